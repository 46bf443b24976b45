/** The conversations of this collection: go on with one, rename it, delete it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, type ApiError } from "../api/client";
import type { ConversationSummary } from "../api/types";
import { notice, tell } from "../state/notices";
import { go } from "../state/router";
import { collection, conversation, remove, rename, renamings } from "../state/talk";
import { titleOf } from "../talk/telling";
import { ago, count } from "../text/words";
import { ConfirmDeletion, IconButton, Popover } from "./controls";
import { Icon } from "./Icon";
import { Thumb } from "./Thumb";

export function ConversationList({ onClose }: { onClose: () => void }) {
  const list = useSignal<ConversationSummary[] | null>(null);
  const error = useSignal<ApiError | null>(null);
  const name = collection.value ?? "";
  const load = (): void => {
    get<{ conversations: ConversationSummary[] }>(`/conversations?collection=${encodeURIComponent(name)}`)
      .then((found) => {
        list.value = found.conversations;
      })
      .catch((failure: ApiError) => {
        error.value = failure;
      });
  };
  useEffect(load, [name, renamings.value]);
  return (
    <Popover label="Conversations" class="head-panel conversations" onClose={onClose}>
      {error.value && (
        <p role="alert" class="quiet">
          {error.value.message}
        </p>
      )}
      {!list.value && !error.value && <p class="quiet">One moment …</p>}
      {list.value?.length === 0 && <p class="quiet">No conversations here yet.</p>}
      {list.value?.map((one) => (
        <Row key={one.id} one={one} onClose={onClose} onChanged={load} />
      ))}
    </Popover>
  );
}

function Row({ one, onClose, onChanged }: { one: ConversationSummary; onClose: () => void; onChanged: () => void }) {
  const mode = useSignal<"plain" | "naming" | "deleting">("plain");
  const title = titleOf(one);
  const open = (): void => {
    onClose();
    go({ page: "talk", collection: one.collection, conversation: one.id, picture: null });
  };
  const give = (name: string): void => {
    mode.value = "plain";
    if (name.trim() && name !== title) rename(one.id, name.trim()).catch(tell);
  };
  const drop = async (): Promise<void> => {
    try {
      await remove(one.id);
      notice(`“${title}” is deleted. Pictures that you edited stay.`);
      if (conversation.value?.id === one.id)
        go({ page: "talk", collection: one.collection, conversation: null, picture: null }, true);
      onChanged();
    } catch (error) {
      tell(error);
    }
  };
  if (mode.value === "naming") {
    return (
      <input
        class="rename"
        aria-label={`New name for ${title}`}
        value={title}
        ref={(field) => field?.focus()}
        onBlur={(event) => give(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
        }}
      />
    );
  }
  if (mode.value === "deleting") {
    return (
      <ConfirmDeletion
        name={title}
        onDelete={drop}
        onKeep={() => {
          mode.value = "plain";
        }}
      >
        Delete “{title}”?
      </ConfirmDeletion>
    );
  }
  return (
    <div class="conversation-row" aria-current={conversation.value?.id === one.id ? "true" : undefined}>
      <button type="button" class="conversation-open" onClick={open}>
        <span class="stack">
          {one.thumbs.slice(0, 3).map((id) => (
            <Thumb key={id} collection={one.collection} id={id} />
          ))}
          {one.thumbs.length === 0 && <Icon name="talk" />}
        </span>
        <span class="conversation-words">
          <span class="conversation-title">{title}</span>
          <span class="quiet small">
            {count(one.turns, "step")}
            {one.branch_of ? ", a branch" : ""} · {ago(one.changed_at)}
          </span>
        </span>
      </button>
      <IconButton
        icon="edit"
        label={`Rename ${title}`}
        onClick={() => {
          mode.value = "naming";
        }}
      />
      <IconButton
        icon="trash"
        label={`Delete ${title}`}
        onClick={() => {
          mode.value = "deleting";
        }}
      />
    </div>
  );
}
