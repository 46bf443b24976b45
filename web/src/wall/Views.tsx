/** What else can hang here: favourites, albums, the map, everything. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { IconButton, MenuItem, Popover, toggles } from "../shell/controls";
import { Icon } from "../shell/Icon";
import { Thumb } from "../shell/Thumb";
import { albums, changeAlbum, favourites, favouritesName, loadAlbums, removeAlbum, showAlbum } from "../state/albums";
import { notice, tell } from "../state/notices";
import { clearSelection, isSelecting, selecting } from "../state/selection";
import { collections } from "../state/session";
import { route, showView, type View } from "../state/router";
import { collection, conversation, latest, opening } from "../state/talk";
import { hangAll, hangTurn, source, mapOpen } from "../state/wall";
import { count } from "../text/words";

/** Back from an album to what the conversation shows, or to the whole collection. */
export function showOwn(): void {
  const talk = conversation.value;
  showView(null);
  if (talk && latest.value) hangTurn(talk.id, talk.collection, latest.value);
  else hangAll(collection.value ?? "");
}

function isFavourites(): boolean {
  return source.value.kind === "list" && source.value.album === null && source.value.title === favouritesName.value;
}

function viewNow(): View {
  return route.value.page === "talk" ? (route.value.view ?? null) : null;
}

function hasPlaces(): boolean {
  return collections.value?.find((one) => one.name === collection.value)?.has_places ?? false;
}

export function Views() {
  const open = useSignal(false);
  const loaded = useSignal<string | null>(null);
  const close = (): void => {
    open.value = false;
  };
  useEffect(() => {
    clearSelection();
    const name = collection.value;
    if (!name) return; // the page has only just been opened
    const done = (): void => {
      loaded.value = name;
    };
    loadAlbums().then(done, () => undefined); // without them the hearts are empty, and say so when they are clicked
  }, [collection.value]);
  const view = viewNow();
  const ready = loaded.value !== null && loaded.value === collection.value && !opening.value;
  // After a reload, and where the browser goes back and forth.
  useEffect(() => {
    if (!ready || view !== viewNow()) return; // a click came between the rendering and this effect: the next one tells
    mapOpen.value = view === "map";
    const now = source.value.kind === "list" ? (source.value.album ?? "favourites") : null;
    if (view === "map" || view === now) return;
    const album = albums.value.find((one) => one.id === view);
    if (view === null) {
      if (now !== null && source.value.kind === "list" && !source.value.elsewhere) showOwn();
    } else if (album || view === "favourites") showAlbum(album ?? null).catch(tell);
    else showView(null); // the album is gone
  }, [view, ready]);
  const show = (work: () => void | Promise<void>): void => {
    close();
    clearSelection();
    Promise.resolve(work()).catch(tell);
  };
  return (
    <>
      <IconButton
        icon="select"
        label="Select pictures"
        pressed={isSelecting.value}
        onClick={() => {
          if (isSelecting.value) clearSelection();
          else selecting.value = true;
        }}
      />
      <IconButton
        icon="like"
        label={favouritesName.value}
        pressed={isFavourites()}
        class="favourites-button"
        onClick={() => show(isFavourites() ? showOwn : () => showAlbum(null))}
      />
      {hasPlaces() && <IconButton icon="map" label="Map" onClick={() => showView("map")} />}
      <span class="views">
        <IconButton icon="album" label="Albums" aria-expanded={open.value} onClick={toggles(open)} />
        {open.value && (
          <Popover label="Albums" class="views-panel" onClose={close}>
            <MenuItem icon="picture" onClick={() => show(showOwn)}>
              {conversation.value ? "What was found" : "All pictures"}
            </MenuItem>
            <button type="button" class="menu-item" onClick={() => show(() => showAlbum(null))}>
              <Icon name="like" /> <span>{favouritesName.value}</span>
              <span class="answer-count">{favourites.value.size}</span>
            </button>
            {albums.value.length > 0 && <hr />}
            {albums.value.map((album) => (
              <button key={album.id} type="button" class="menu-item" onClick={() => show(() => showAlbum(album))}>
                {album.cover[0] ? <Thumb collection={album.collection} id={album.cover[0]} /> : <Icon name="album" />}
                <span>{album.name}</span>
                <span class="answer-count">{album.pictures}</span>
              </button>
            ))}
            {albums.value.length === 0 && <p class="quiet small">Select pictures to save them as an album.</p>}
          </Popover>
        )}
      </span>
    </>
  );
}

/** The head of an album on the wall. */
export function ListTitle() {
  const deleting = useSignal(false);
  const now = source.value;
  if (now.kind !== "list") return null;
  const album = albums.value.find((one) => one.id === now.album);
  const rename = (name: string): void => {
    if (album && name.trim() && name.trim() !== album.name) changeAlbum(album, { name: name.trim() }).catch(tell);
  };
  return (
    <div class="wall-title">
      {album ? (
        <h1>
          <input
            class="album-name"
            aria-label="Name of this album"
            value={album.name}
            maxLength={200}
            onBlur={(event) => rename(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") event.currentTarget.blur();
            }}
          />
        </h1>
      ) : (
        <h1>{now.title}</h1>
      )}
      <p class="quiet">
        {count(now.ids.length, "picture")} ·{" "}
        <button type="button" class="link" onClick={showOwn}>
          {conversation.value ? "back to what was found" : "back to all pictures"}
        </button>
        {album && !deleting.value && (
          <>
            {" · "}
            <button
              type="button"
              class="link"
              onClick={() => {
                deleting.value = true;
              }}
            >
              delete this album
            </button>
          </>
        )}
        {album && deleting.value && (
          <>
            {" · "}
            <button
              type="button"
              class="link"
              onClick={() => {
                deleting.value = false;
                removeAlbum(album)
                  .then(showOwn)
                  .then(() => notice(`“${album.name}” is deleted. Its pictures stay.`))
                  .catch(tell);
              }}
            >
              yes, delete it (the pictures stay)
            </button>
          </>
        )}
      </p>
    </div>
  );
}
