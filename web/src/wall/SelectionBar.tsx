/** What can be done with the pictures that are selected. */
import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { call } from "../api/client";
import { pasteEdits, copiedEdits } from "../picture/clipboard";
import { PRESETS } from "../picture/presets";
import { IconButton, MenuItem, Popover } from "../shell/controls";
import { Icon } from "../shell/Icon";
import { useLayer } from "../shell/useLayer";
import { albums, changeAlbum, favouriteLabel, favourites, loadAlbums, makeAlbum, setFavourite } from "../state/albums";
import { notice, tell } from "../state/notices";
import { clearSelection, isSelecting, selected } from "../state/selection";
import { mayWrite } from "../state/session";
import { seenAs } from "../state/versions";
import { busy, collection, command, latest, sheetOpen } from "../state/talk";
import { moreUntil, source, tiles, total } from "../state/wall";
import { amount, count } from "../text/words";

/** As many as the server packs into one file. */
const MOST = 200;
/** More do not fit side by side. */
const MOST_COMPARED = 4;

/** As many as are selected with one button. */
const MOST_SELECTED = 2000;

type PanelName = "album" | "edit";

/** What is there to select: of a search all that match, and not what only comes near. */
function fittingNow(): string[] {
  const fitting = tiles.value.filter((one) => !("match" in one) || one.match);
  return (fitting.length ? fitting : tiles.value).map((one) => one.id);
}

/** How many these are, with those that were not fetched yet; an estimate promises nothing. */
function whole(): number {
  if (source.value.kind === "turn") return latest.value?.about ? 0 : (latest.value?.matches ?? 0);
  return total.value ?? 0;
}

export function SelectionBar() {
  const panel = useSignal<PanelName | null>(null);
  useLayer(clearSelection, isSelecting.value);
  const fetching = useSignal(false);
  if (!isSelecting.value) return null;
  const ids = tiles.value.map((one) => one.id).filter((id) => selected.value.has(id));
  const all = fittingNow();
  const there = Math.min(MOST_SELECTED, Math.max(all.length, whole()));
  const shown = ids.map(seenAs); // what is done with their pixels is done with what is seen
  const none = ids.length === 0;
  const allLiked = !none && ids.every((id) => favourites.value.has(id));
  const close = (): void => {
    panel.value = null;
  };
  return (
    <div class="selection-bar" role="toolbar" aria-label="Selected pictures">
      <strong aria-live="polite">{none ? "Select pictures" : `${amount(ids.length)} selected`}</strong>
      {ids.length < there && (
        <button
          type="button"
          class="button small"
          disabled={fetching.value}
          onClick={() => {
            fetching.value = true;
            void moreUntil(there).then(() => {
              fetching.value = false;
              selected.value = new Set([...selected.value, ...fittingNow().slice(0, MOST_SELECTED)]);
            });
          }}
        >
          <Icon name="select" size={15} /> Select {whole() > MOST_SELECTED ? "the first" : "all"} {amount(there)}
        </button>
      )}
      <div class="selection-acts">
        <button
          type="button"
          class="button small"
          disabled={none}
          aria-pressed={allLiked}
          onClick={() => void setFavourite(ids, !allLiked)}
        >
          <Icon name="like" size={15} /> {favouriteLabel(allLiked)}
        </button>
        <PanelButton name="album" label="Album" panel={panel} disabled={none}>
          <AlbumPanel ids={ids} onClose={close} />
        </PanelButton>
        {mayWrite.value && (
          <PanelButton name="edit" label="Edit" panel={panel} disabled={none || busy.value}>
            <EditPanel ids={shown} onClose={close} />
          </PanelButton>
        )}
        {ids.length >= 2 && ids.length <= MOST_COMPARED && (
          <button type="button" class="button small" disabled={busy.value} onClick={() => compare(shown)}>
            <Icon name="compare" size={15} /> Compare
          </button>
        )}
        <button type="button" class="button small" disabled={none} onClick={() => void download(shown)}>
          <Icon name="export" size={15} /> Download
        </button>
      </div>
      <IconButton icon="close" label="Let go of the selection" onClick={clearSelection} />
    </div>
  );
}

interface PanelButtonProps {
  name: PanelName;
  label: string;
  panel: Signal<PanelName | null>;
  disabled: boolean;
  children: ComponentChildren;
}

/** A button that opens and closes a panel beside it. */
function PanelButton({ name, label, panel, disabled, children }: PanelButtonProps) {
  const isOpen = panel.value === name;
  return (
    <span class="selection-with-panel">
      <button
        type="button"
        class="button small"
        disabled={disabled}
        aria-expanded={isOpen}
        onClick={() => {
          panel.value = isOpen ? null : name;
        }}
      >
        <Icon name={name} size={15} /> {label}
      </button>
      {isOpen && children}
    </span>
  );
}

function AlbumPanel({ ids, onClose }: { ids: string[]; onClose: () => void }) {
  const name = useSignal("");
  const now = source.value;
  const open = now.kind === "list" && now.album ? albums.value.find((one) => one.id === now.album) : undefined;
  const done = (work: Promise<void>, told?: string): void => {
    onClose();
    work.then(() => (told ? notice(told) : undefined)).catch(tell);
  };
  return (
    <Popover label="Album" class="selection-panel" onClose={onClose}>
      <form
        class="paste"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.value.trim()) done(makeAlbum(name.value.trim(), ids));
        }}
      >
        <input
          aria-label="Name of a new album"
          placeholder="A new album"
          maxLength={200}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="button small" disabled={!name.value.trim()}>
          Save
        </button>
      </form>
      {albums.value.map((album) => (
        <MenuItem
          key={album.id}
          icon="album"
          onClick={() => done(changeAlbum(album, { add: ids }), `${count(ids.length, "picture")} in “${album.name}”.`)}
        >
          Add to “{album.name}”
        </MenuItem>
      ))}
      {open && (
        <MenuItem icon="minus" onClick={() => done(changeAlbum(open, { remove: ids }).then(loadAlbums))}>
          Take out of “{open.name}”
        </MenuItem>
      )}
    </Popover>
  );
}

function EditPanel({ ids, onClose }: { ids: string[]; onClose: () => void }) {
  const run = (commands: readonly string[]): void => {
    onClose();
    void pasteEdits(ids, commands); // they stay selected, to be looked at and downloaded
  };
  return (
    <Popover label="Edit the selected pictures" class="selection-panel" onClose={onClose}>
      {copiedEdits.value.length > 0 && (
        <MenuItem icon="edit" onClick={() => run(copiedEdits.value)}>
          Paste the copied edits
        </MenuItem>
      )}
      {PRESETS.map(({ name, commands }) => (
        <MenuItem key={name} icon="picture" onClick={() => run(commands)}>
          {name}
        </MenuItem>
      ))}
    </Popover>
  );
}

/** Puts pictures side by side, with what differs between them. */
function compare(ids: string[]): void {
  clearSelection();
  sheetOpen.value = false; // on a phone the pictures would stand behind the answer
  void command([`compare ${ids.map((id) => `id:${id}`).join(" ")}`], `Compare these ${ids.length}`);
}

/** The pictures in one file; a browser would ask before it saves several. */
async function download(ids: string[]): Promise<void> {
  if (ids.length > MOST) notice(`The first ${MOST} are in this file; select the others for the next.`);
  try {
    const path = `/collections/${encodeURIComponent(collection.value ?? "")}/export`;
    const body = JSON.stringify({ pictures: ids.slice(0, MOST) });
    const packed = await call(path, { method: "POST", body, headers: { "Content-Type": "application/json" } });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await packed.blob());
    link.download = `${collection.value}.zip`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    tell(error);
  }
}
