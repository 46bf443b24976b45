/** Keys that work wherever one is, unless one is typing. */
import { notice } from "../state/notices";
import { nextTheme, theme } from "../state/preferences";
import { go } from "../state/router";
import { canRedo, canUndo, collection, redo, undo } from "../state/talk";
import { focusComposer } from "../talk/Composer";
import { helpOpen } from "./Help";

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && ["range", "button", "checkbox"].includes(target.type))
  );
}

/** The picture of the wall that the arrow keys go on from; false where there is none. */
export function focusWall(): boolean {
  const tile = document.querySelector<HTMLElement>(".tile-open[tabindex='0']");
  tile?.focus();
  return tile !== null;
}

/** The focus goes to the button first, as a click would take it there; the drawer takes it on. */
function openFilters(): void {
  const button = document.querySelector<HTMLElement>(".facets-button");
  button?.focus();
  button?.click();
}

/** Whether it is the message field with nothing in it: there is no typing to take back. */
function isEmptyComposer(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement && target.id === "composer" && !target.value;
}

export function onKey(event: KeyboardEvent): void {
  const steps = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
  if (event.defaultPrevented || (isTyping(event.target) && !(steps && isEmptyComposer(event.target)))) return;
  const modal = document.querySelector("dialog[open]") !== null;
  if (steps) {
    if (modal && !document.querySelector("dialog.large[open]")) return;
    event.preventDefault();
    if (event.shiftKey) canRedo.value && void redo();
    else canUndo.value && void undo();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "?") helpOpen.value = !helpOpen.value;
  else if (modal) return;
  else if (event.key === "/") focusComposer();
  else if (event.key.startsWith("Arrow") && event.target === document.body) {
    if (!focusWall()) return;
  } else if (event.key === "n" && collection.value)
    go({ page: "talk", collection: collection.value, conversation: null, picture: null });
  else if (event.key === "f") openFilters();
  else if (event.key === "t") {
    nextTheme();
    notice(theme.value === "system" ? "Theme: as the system" : `Theme: ${theme.value}`);
  } else return;
  event.preventDefault();
}
