/** The head of the conversation: where we are, and what can be done with the conversation as a whole. */
import { useSignal } from "@preact/signals";
import { BASE, send } from "../api/client";
import { announce, notice, tell } from "../state/notices";
import { showCommands, theme, type Theme } from "../state/preferences";
import { go } from "../state/router";
import { collections, mayWrite, me, signOut, titleOfCollection } from "../state/session";
import { asks, canRedo, canUndo, collection, conversation, redo, rename, setAsking, turns, undo } from "../state/talk";
import { amount } from "../text/words";
import { titleOf } from "../talk/telling";
import { AddPictures } from "./AddPictures";
import { ConversationList } from "./ConversationList";
import { IconButton, MenuItem, Popover } from "./controls";
import { helpOpen } from "./Help";
import { Icon, Mark, type IconName } from "./Icon";
import { RetrieverChoice } from "./RetrieverChoice";

type Panel = "collections" | "conversations" | "menu" | null;

export function Head() {
  const panel = useSignal<Panel>(null);
  const close = (): void => {
    panel.value = null;
  };
  const toggle = (which: Panel): void => {
    panel.value = panel.value === which ? null : which;
  };
  return (
    <header class="head">
      <div class="head-row">
        <a
          class="home-link"
          href="/"
          aria-label="visavis: all collections"
          onClick={(event) => {
            event.preventDefault();
            go({ page: "home" });
          }}
        >
          <Mark />
        </a>
        <button
          type="button"
          class="place"
          aria-expanded={panel.value === "collections"}
          onClick={() => toggle("collections")}
        >
          <span class="place-name">{titleOfCollection(collection.value)}</span>
          <Icon name="down" size={14} />
          <span class="visually-hidden">, choose a collection</span>
        </button>
        <span class="head-tools">
          <IconButton icon="undo" label="Undo" keys="Ctrl Z" disabled={!canUndo.value} onClick={() => void undo()} />
          <IconButton
            icon="redo"
            label="Redo"
            keys="Ctrl Shift Z"
            disabled={!canRedo.value}
            onClick={() => void redo()}
          />
          <IconButton
            icon="talk"
            label="Conversations"
            aria-expanded={panel.value === "conversations"}
            onClick={() => toggle("conversations")}
          />
          <IconButton
            icon="plus"
            label="New conversation"
            keys="N"
            onClick={() => go({ page: "talk", collection: collection.value ?? "", conversation: null, picture: null })}
          />
          <IconButton icon="more" label="More" aria-expanded={panel.value === "menu"} onClick={() => toggle("menu")} />
        </span>
        {panel.value === "collections" && <Collections onClose={close} />}
        {panel.value === "conversations" && <ConversationList onClose={close} />}
        {panel.value === "menu" && <Menu onClose={close} />}
      </div>
      {conversation.value && turns.value.length > 0 && <Title key={conversation.value.id} />}
    </header>
  );
}

/** The conversation's name; what is typed here renames it. */
function Title() {
  const now = conversation.value;
  const field = useSignal(now ? titleOf(now) : "");
  if (!now) return null;
  const save = (): void => {
    const name = field.value.trim();
    if (name && name !== titleOf(now))
      rename(now.id, name)
        .then(() => announce(`Renamed to ${name}`))
        .catch(tell);
    else field.value = titleOf(now);
  };
  return (
    <input
      class="title"
      aria-label="Name of this conversation"
      value={field.value}
      maxLength={120}
      spellcheck={false}
      onInput={(event) => {
        field.value = event.currentTarget.value;
      }}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}

function Collections({ onClose }: { onClose: () => void }) {
  return (
    <Popover label="Collections" class="head-panel" onClose={onClose}>
      {collections.value?.map((one) => (
        <button
          key={one.name}
          type="button"
          class="menu-item"
          aria-current={one.name === collection.value}
          onClick={() => {
            onClose();
            go({ page: "talk", collection: one.name, conversation: null, picture: null });
          }}
        >
          <span>{one.title || one.name}</span>
          <span class="answer-count">{amount(one.pictures)}</span>
        </button>
      ))}
      <MenuItem
        icon="plus"
        onClick={() => {
          onClose();
          go({ page: "home" });
        }}
      >
        All collections, or a new one
      </MenuItem>
    </Popover>
  );
}

const THEMES: { value: Theme; icon: IconName; label: string }[] = [
  { value: "system", icon: "system", label: "As the system" },
  { value: "light", icon: "sun", label: "Light" },
  { value: "dark", icon: "moon", label: "Dark" },
];

/** Whether an address means the machine that it is opened on. */
function isLocal(address: string): boolean {
  return /^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(new URL(address).hostname);
}

function Menu({ onClose }: { onClose: () => void }) {
  const now = conversation.value;
  const shared = useSignal("");
  const share = async (): Promise<void> => {
    if (!now) return;
    try {
      const { url, token } = await send<{ url?: string; token: string }>(
        "POST",
        `/conversations/${encodeURIComponent(now.id)}/share`,
      );
      shared.value = new URL(url ?? `/s/${token}`, location.href).href;
      await navigator.clipboard.writeText(shared.value).then(
        () => notice("The link is in your clipboard."),
        () => undefined,
      );
    } catch (error) {
      tell(error);
    }
  };
  const unshare = async (): Promise<void> => {
    if (!now) return;
    try {
      await send("DELETE", `/conversations/${encodeURIComponent(now.id)}/share`);
      shared.value = "";
      notice("The link leads nowhere any more.");
    } catch (error) {
      tell(error);
    }
  };
  const exportAs = (format: string): string =>
    `${BASE}/conversations/${encodeURIComponent(now?.id ?? "")}/export?format=${format}`;
  return (
    <Popover label="More" class="head-panel" onClose={onClose}>
      {now && turns.value.length > 0 && (
        <>
          {mayWrite.value && (
            <MenuItem icon="share" onClick={() => void share()}>
              Share a link to look at
            </MenuItem>
          )}
          {shared.value && (
            <div class="share-link">
              <input
                readOnly
                aria-label="Link to this conversation"
                value={shared.value}
                onFocus={(event) => event.currentTarget.select()}
              />
              <p class="quiet small">
                Whoever has this link may look at this conversation and its pictures, without logging in, until you{" "}
                <button type="button" class="link" onClick={() => void unshare()}>
                  take it back
                </button>
                .
              </p>
              {isLocal(shared.value) && (
                <p class="objection" role="note">
                  Only this computer can open it. For others to open it, stop visavis and start it again with{" "}
                  <code>visavis serve --host 0.0.0.0</code>, open it at the address of this computer in your network,
                  and share the link from there.
                </p>
              )}
            </div>
          )}
          <a class="menu-item" href={exportAs("html")} download>
            <Icon name="export" /> <span>Export as a page (HTML)</span>
          </a>
          <a class="menu-item" href={exportAs("json")} download>
            <Icon name="export" /> <span>Export as data (JSON)</span>
          </a>
          <hr />
        </>
      )}
      {mayWrite.value && <AddPictures onDone={onClose} />}
      <label class="menu-item">
        <span>Ask me questions in this conversation</span>
        <input
          type="checkbox"
          role="switch"
          checked={asks.value}
          onChange={(event) => void setAsking(event.currentTarget.checked)}
        />
      </label>
      <label class="menu-item">
        <span>Show the commands, and what ranks the pictures</span>
        <input
          type="checkbox"
          role="switch"
          checked={showCommands.value}
          onChange={(event) => {
            showCommands.value = event.currentTarget.checked;
          }}
        />
      </label>
      {collection.value && showCommands.value && <RetrieverChoice />}
      <div class="themes" role="group" aria-label="Theme">
        {THEMES.map(({ value, icon, label }) => (
          <IconButton
            key={value}
            icon={icon}
            label={label}
            pressed={theme.value === value}
            onClick={() => {
              theme.value = value;
            }}
          />
        ))}
      </div>
      <MenuItem
        icon="keyboard"
        onClick={() => {
          onClose();
          helpOpen.value = true;
        }}
      >
        Keyboard
      </MenuItem>
      {me.value?.mode === "keys" && (
        <MenuItem icon="leave" onClick={() => void signOut().catch(tell)}>
          Sign out {me.value.user}
        </MenuItem>
      )}
    </Popover>
  );
}
