/** The story of a conversation: which turns are told, which are told together, and where it stands now. Pure. */
import type { Turn, Wish } from "../api/types";
import { count } from "../text/words";
import { isStep } from "./steps";
import { labelOf } from "./wishes";

export { isStep };

/** What the history shows as one step: a turn, or several clicks on filters and chips in a row. */
export interface Entry {
  /** The last of its turns: to go back to it leads there. */
  turn: Turn;
  /** What clicks came to, in words; null for a turn that was said. */
  clicked: string[] | null;
  onPath: boolean;
  current: boolean;
  /** The pictures that the same edit was put on, one turn each; empty for all other turns. */
  edited: string[];
}

const CONDITION = /^(filter|sort|questions) /;
/** A condition as the server writes it for a click that says nothing. */
const WRITTEN = /^(sort \S+ (asc|desc)|filter \S+ (=|!=|<|>|<=|>=) .+|questions (on|off))$/;

/** Whether a turn was a click on a filter or a chip: nothing was said. */
export function isClick(turn: Turn): boolean {
  if (turn.changes.length > 0) return true;
  const commands = turn.commands;
  // As the server writes it then; what it carried out may be another form of it: by the year where that is all it knows.
  const wordless = turn.message.split("; ").every((one) => one === "" || WRITTEN.test(one));
  return commands.length > 0 && wordless && commands.every((one) => CONDITION.test(one));
}

/** Whether a turn only took the picture in hand that the next words were said in front of. */
function isTaken(turn: Turn, next: Turn | undefined): boolean {
  const taken = turn.message === "this one" && turn.commands.length === 1 && turn.commands[0]!.startsWith("select id:");
  return taken && next?.grew_from === turn.number;
}

/** The turn whose state is in force; a step back points at the one that it led to. */
export function standing(turns: readonly Turn[]): number {
  const byNumber = new Map(turns.map((turn) => [turn.number, turn]));
  let at = turns.at(-1)?.stands_at ?? 0;
  for (let turn = byNumber.get(at); turn?.restores != null && turn.restores < at; turn = byNumber.get(at))
    at = turn.restores;
  return at;
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

/** The turns as they look now: one that was gone back to after pictures arrived shows what was found since. */
function refreshed(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  const at = standing(turns);
  if (!last || !isStep(last) || !AGAIN.test(last.reply)) return turns;
  const { results, about } = last;
  const reply = last.reply.replace(/^.*?(?=(?:The collection has changed|About \d|\d+ pictures? ))/, "");
  return turns.map((turn) =>
    turn.number === at ? { ...turn, results, matches: last.matches ?? null, about, reply } : turn,
  );
}

/** What a reply says of results that were looked for anew. */
const AGAIN = /The collection has changed since/;

/** The steps that the history shows, in order. */
export function story(all: readonly Turn[]): Entry[] {
  const turns = refreshed(all);
  const byNumber = new Map(turns.map((turn) => [turn.number, turn]));
  const path = lineage(turns);
  const now = standing(turns);
  const last = turns.at(-1);
  const entries: (Entry & { first: Turn; members: Turn[] })[] = [];
  for (const [at, turn] of turns.entries()) {
    if (turn.number !== now && isTaken(turn, turns[at + 1])) continue;
    if (isStep(turn) || (isClick(turn) && turn.stands_at !== turn.number)) continue; // it moved or changed nothing
    // What changed nothing (an answer, "it does not matter") belongs to the state that it was said in.
    const onPath = path.has(turn.number) || path.has(turn.stands_at) || (turn === last && turn.stands_at === 0);
    const before = entries.at(-1);
    const goesOn = before?.clicked && isClick(turn) && turn.grew_from === before.turn.number;
    const alike = before && isSameEdit(turn, before.turn);
    const edited = alike ? [...(before.edited.length ? before.edited : [handOf(before.turn)]), handOf(turn)] : [];
    const members = goesOn ? [...before.members, turn] : [turn];
    const entry = { turn, first: members[0]!, members, clicked: null, onPath, current: false, edited };
    const again = before && isOtherwise(turn, before.turn);
    if (again && now === before.turn.number) continue;
    if (goesOn || again || alike) entries.pop();
    entries.push({ ...entry, clicked: isClick(turn) ? cameTo(entry.first, turn, byNumber) : null });
  }
  // A line of clicks tells of the one that is in force, where only some of them were taken back.
  for (const entry of entries) {
    const turn = entry.members.find((one) => one.number === now);
    if (turn && turn !== entry.turn) Object.assign(entry, { turn, clicked: cameTo(entry.first, turn, byNumber) });
  }
  const shown = entries.filter((one) => one.clicked?.length !== 0 || one.turn.number === now);
  const current =
    shown.findLast((one) => one.turn.number === now) ?? shown.findLast((one) => one.turn.stands_at === now);
  return shown.map(({ first: _, members: __, ...one }) => ({ ...one, current: one.turn === current?.turn }));
}

function handOf(turn: Turn): string {
  return turn.hand?.picture ?? "";
}

/** Whether a turn put the edits of the one before it on another picture: several were edited at once. */
function isSameEdit(turn: Turn, before: Turn): boolean {
  const [now, then] = [turn.hand, before.hand];
  if (!now?.edits.length || !then || now.source === then.source || turn.grew_from !== before.number) return false;
  return turn.message === before.message && now.edits.join() === then.edits.join();
}

/** Whether the history tells a turn in one line with the one before it. */
function isOneStep(turn: Turn, before: Turn): boolean {
  return isSameEdit(turn, before) || (isClick(turn) && isClick(before) && turn.grew_from === before.number);
}

/** How many turns one step back takes back: a line of the history, with all clicks or pictures that it tells of. */
export function stepsBack(turns: readonly Turn[]): number {
  const known = new Map(turns.map((turn) => [turn.number, turn]));
  let steps = 1;
  for (let turn = known.get(turns.at(-1)?.stands_at ?? 0); turn; steps++) {
    const before = known.get(turn.grew_from);
    if (!before || !isOneStep(turn, before)) break;
    turn = before;
  }
  return steps;
}

/** How many turns one step forth brings again. */
export function stepsForth(turns: readonly Turn[]): number {
  const known = new Map(turns.map((turn) => [turn.number, turn]));
  const order = [...(turns.at(-1)?.undone ?? [])].reverse(); // the next one comes last
  let steps = 1;
  while (steps < order.length) {
    const [before, next] = [known.get(order[steps - 1]!), known.get(order[steps]!)];
    if (!before || !next || !isOneStep(next, before)) break;
    steps++;
  }
  return steps;
}

/** What the clicks from one turn to another changed together; what was taken back again is not told. */
function cameTo(first: Turn, last: Turn, byNumber: ReadonlyMap<number, Turn>): string[] {
  const before = byNumber.get(first.grew_from);
  const told = changed(before?.brief.wishes ?? [], last.brief.wishes);
  if (last.asks !== (before?.asks ?? true)) told.push(last.asks ? "questions again" : "no more questions");
  if (last.retriever !== (before?.retriever ?? "composed")) told.push(`ranked by ${last.retriever}`);
  return told;
}

/** The difference between two briefs in words. */
export function changed(before: readonly Wish[], after: readonly Wish[]): string[] {
  const known = new Map(before.map((wish) => [wish.id, wish]));
  const replaced = new Set(after.filter((wish) => wish.active && !known.get(wish.id)?.active).map(topicOf));
  const told: string[] = [];
  for (const wish of after) {
    const was = known.get(wish.id);
    if (wish.active && !was?.active) told.push(labelOf(wish));
    else if (!wish.active && was?.active && !replaced.has(topicOf(wish))) told.push(`no longer ${labelOf(wish)}`);
    else if (was && was.weight !== wish.weight) told.push(`${labelOf(wish)} counts ${wish.weight} ×`);
    else if (was && was.pinned !== wish.pinned) told.push(`${labelOf(wish)} ${wish.pinned ? "pinned" : "unpinned"}`);
  }
  const left = new Set(after.map((wish) => wish.id));
  for (const wish of before)
    if (wish.active && !left.has(wish.id) && !replaced.has(topicOf(wish))) told.push(`no longer ${labelOf(wish)}`);
  return told;
}

function topicOf(wish: Wish): string {
  return wish.kind === "filter" || wish.kind === "sort" ? `${wish.kind} ${wish.attribute}` : wish.id;
}

/** Whether a message came to nothing that one could go on from: it was not understood, and nothing is asked back. */
export function isDeadEnd(turn: Turn): boolean {
  if (turn.question || turn.readings.length || !turn.message || turn.changes.length) return false;
  return turn.commands.every((one) => /^chat (nonsense|help|complaint|refusal)\b/.test(one));
}

/** How many pictures a turn's state leaves, in a few words. */
export function found(turn: Turn): string {
  if (turn.matches === null || turn.matches === undefined) return "";
  if (turn.matches === 0) return turn.results.length ? "nothing surely fits" : "no picture is left"; // as the reply has it
  return `${turn.about ? "about " : ""}${count(turn.matches, "picture")}`;
}

/** Whether a turn takes the message of the one before it in its other way: the two are one step of the story. */
function isOtherwise(turn: Turn, before: Turn): boolean {
  const retaken = turn.commands.length === 2 && turn.commands[0] === "undo";
  return retaken && turn.message === before.message && turn.grew_from === before.number;
}

/** Another way to take the last message: together with what was wanted before it, or by itself. */
export interface Otherwise {
  label: string;
  commands: string[];
}

/** What the last turn could have meant as well: one tap away, and nothing where that is not in question. */
export function otherwise(turns: readonly Turn[]): Otherwise | null {
  const turn = turns.at(-1);
  if (!turn || turn.stands_at !== turn.number || isClick(turn)) return null;
  const parent = turns.find((one) => one.number === turn.grew_from);
  const retaken = parent !== undefined && isOtherwise(turn, parent); // then the other way is one step back
  const [command = "", ...others] = turn.commands.slice(retaken ? 1 : 0);
  if (others.length) return null;
  const from = retaken ? turns.find((one) => one.number === parent.grew_from) : parent;
  const before = from?.brief.wishes.filter((wish) => wish.active) ?? [];
  const wanted = before.filter((wish) => wish.kind === "want" || wish.kind === "relative");
  const [, verb = "", text = ""] = /^(search|refine) (.+)$/.exec(command) ?? [];
  if (!text || wanted.length === 0) return null;
  const earlier = `“${wanted.map(labelOf).join(", ")}”`;
  const back = retaken ? ["undo"] : null;
  if (verb === "search")
    return { label: `Combine with ${earlier} instead`, commands: back ?? ["undo", `refine ${text}`] };
  // A whole noun phrase may have been meant by itself; so may anything that fits nothing together with the rest.
  const whole = /^(an?|some|the|two|three) \S+ \S+/i.test(turn.message) || turn.matches === 0;
  if (!whole && !retaken) return null;
  return { label: `Look for “${text}” alone instead`, commands: back ?? ["undo", `search ${text}`] };
}

/** Whether a turn only asked or edited, so that what hangs stays; a step back leads to what the conversation shows. */
export function isAlike(turn: Turn, last: Turn | null): boolean {
  const shown = (one: Turn | null): string =>
    JSON.stringify([one?.results.map(({ id }) => id) ?? [], one?.brief.wishes ?? []]);
  return !turn.comparison && turn.restores == null && !isStep(turn) && shown(turn) === shown(last);
}
