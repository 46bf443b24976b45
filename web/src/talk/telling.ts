/** How a turn is told in the history. Pure. */
import type { Turn, Wish } from "../api/types";

/** A conversation's name; one that nobody named is called by what was said first. */
export function titleOf(talk: {
  id: string;
  name: string;
  title?: string | null;
  turns?: readonly Turn[] | number;
}): string {
  const first = Array.isArray(talk.turns) ? (talk.turns as Turn[])[0] : undefined;
  const named = talk.name && !talk.id.startsWith(talk.name) ? talk.name : "";
  return named || talk.title || first?.message || "Untitled conversation";
}

/** What the person did, in their words, or in ours where they clicked. */
export function headline(turn: Turn): string {
  if (turn.message) return turn.message;
  if (turn.restores) return `Back to turn ${turn.restores}`;
  if (turn.changes.length) return turn.changes.map((change) => changeInWords(change, turn.brief.wishes)).join(", ");
  return turn.commands.join(", ");
}

/** "off 1.1" is what the server reads; a person reads `“red” switched off`. */
export function changeInWords(change: string, wishes: readonly Wish[]): string {
  const [verb = "", id = "", value = ""] = change.split(" ");
  const wish = wishes.find((one) => one.id === id);
  const name = wish ? `“${wish.label}”` : "a wish";
  const words: Record<string, string> = {
    off: `${name} switched off`,
    on: `${name} switched on`,
    pin: `${name} pinned`,
    unpin: `${name} unpinned`,
    remove: `${name} removed`,
    weight: `${name} counts ${value} ×`,
  };
  return words[verb] ?? change;
}

/** The turns that led to the state that is in force: the others are side steps, and shown as such. */
export function lineage(turns: readonly Turn[]): Set<number> {
  const byNumber = new Map(turns.map((turn) => [turn.number, turn]));
  const path = new Set<number>();
  let at = turns.at(-1)?.stands_at ?? 0;
  while (at > 0 && !path.has(at)) {
    path.add(at);
    const turn = byNumber.get(at);
    at = turn?.restores ?? turn?.grew_from ?? 0;
  }
  return path;
}

/** What was understood, unless it says the same as the message. */
export function understood(turn: Turn): string {
  const commands = turn.commands.filter((command) => !command.startsWith("chat "));
  if (commands.length === 0) return "";
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/^(search|refine|answer|avoid) /, "")
      .replace(/^(an?|the|some) |[.!?]+$/g, "")
      .trim();
  if (commands.length === 1 && plain(commands[0]!) === plain(turn.message)) return "";
  return commands.join(" · ").replace(/id:([0-9a-f]{6})[0-9a-f]+/g, "$1…");
}

/** Which pictures two turns share. */
export function shared(a: Turn, b: Turn): Set<string> {
  const left = new Set(a.results.map((result) => result.id));
  return new Set(b.results.map((result) => result.id).filter((id) => left.has(id)));
}

/** How the pictures of a comparison are called: by their numbers, where they are shown. */
export function pictureNames(turn: Turn, ids: readonly string[]): string[] {
  const shown = turn.results.map((result) => result.id);
  return ids.map((id) => (shown.includes(id) ? `#${shown.indexOf(id) + 1}` : "this"));
}
