/** Where one types. Enter sends, Shift and Enter breaks the line, the up arrow brings the last message back. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "../shell/controls";
import { PictureField } from "../shell/PictureField";
import { mayWrite } from "../state/session";
import { draft, latest, say, searchWith, turns } from "../state/talk";
import { columns } from "../wall/columns";

const LONGEST = 4000;

export function focusComposer(): void {
  const field = document.querySelector<HTMLTextAreaElement>("#composer");
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

/** After a click the next thing is mostly typed; where it would raise a keyboard over the pictures it is not. */
export function focusComposerQuietly(): void {
  if (matchMedia("(hover: hover)").matches) focusComposer();
}

export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);

  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, 160)}px`;
  }, [draft.value]);

  const submit = (): void => {
    const text = draft.value;
    if (!text.trim()) return;
    draft.value = "";
    if (matchMedia("(hover: none)").matches) field.current?.blur(); // its keyboard would hide what was found
    void say(text, { columns: columns.value });
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    } else if (event.key === "ArrowUp" && !draft.value) {
      draft.value = turns.value.findLast((turn) => turn.message)?.message ?? "";
    } else if (event.key === "Escape") field.current?.blur();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <IconButton
        icon="picture"
        label="Search with a picture of yours"
        disabled={!mayWrite.value}
        onClick={() => file.current?.click()}
      />
      <PictureField
        field={file}
        label="A picture to search with"
        multiple={false}
        onFiles={([chosen]) => {
          if (chosen) void searchWith(chosen);
        }}
      />
      <textarea
        id="composer"
        ref={field}
        rows={1}
        maxLength={LONGEST}
        value={draft.value}
        placeholder={placeholder()}
        aria-label="Your message"
        enterkeyhint="send"
        autocomplete="off"
        onInput={(event) => {
          draft.value = event.currentTarget.value;
        }}
        onKeyDown={keyDown}
      />
      <IconButton icon="send" label="Send" keys="Enter" class="send" disabled={!draft.value.trim()} onClick={submit} />
    </form>
  );
}

function placeholder(): string {
  if (latest.value?.hand?.edits.length) return "What should change in it?";
  if (latest.value?.question) return "Answer, or say something else";
  return latest.value ? "What should be different?" : "Describe a picture";
}
