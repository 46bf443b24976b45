/** Edits that are tried on a picture: drafts, their live preview, and keeping or dropping them. */
import { batch, computed, signal } from "@preact/signals";
import { ApiError, blob } from "../api/client";
import type { Operation, Turn } from "../api/types";
import { announce, notice, tell } from "../state/notices";
import { route, showPicture } from "../state/router";
import { operations } from "../state/session";
import { canUndo, collection, edit, point, redo, rollback, say, turns, undo } from "../state/talk";
import type { Place } from "./box";
import { commandOf, defaults, isComplete, isNeutral, sliderAt, withStep, type Draft, type Values } from "./commands";
import { isSelection, keepMarks, splitMarks, withMarks } from "./marks";
import { closeMask, findMask, fresh, marked, masking, openMask } from "./masking";
import { inWords, turnAt } from "./steps";

/** The size of a preview's longer side: enough for a screen, quick to make. */
const PREVIEW = 1024;
const PAUSE = 90;

/** Whether the edit bar is open. */
export const editing = signal(false);
export const drafts = signal<Draft[]>([]);
export const values = signal<Record<string, Values>>({});
export const trial = signal<{ url: string; width: number; height: number } | null>(null);
export const trying = signal(false);
export const objection = signal("");
/** What is asked before an edit is shown that may have found the wrong thing. */
export const doubt = signal("");
export const commands = computed(() => drafts.value.map((draft) => draft.command));

let timer = 0;
let request: AbortController | null = null;
let picture = "";

/** Begins with another picture: nothing tried yet. What was tried on the one before is kept. */
export function begin(id: string): void {
  leave();
  picture = id;
  const first = wanted?.picture === id ? wanted.command : null;
  wanted = null;
  if (first) tryMarked(first);
}

let wanted: { picture: string; command: string } | null = null;

/** Opens a picture with an edit tried on it and its mask shown. */
export function editMarked(id: string, command: string): void {
  editing.value = true;
  const now = route.value;
  if (picture === id && now.page === "talk" && now.picture === id) return tryMarked(command);
  wanted = { picture: id, command };
  showPicture(id);
}

function tryMarked(command: string): void {
  const draft = { operation: `marked#${drafts.value.length}`, command };
  drafts.value = [...drafts.value, draft];
  showMask(draft);
}

/** Takes a step that was kept back, to try it again with its mask shown; `before` are the steps before it. */
export async function correct(source: string, before: string[], command: string): Promise<void> {
  const turn = await goBackTo(source, before);
  const id = turn?.hand?.picture ?? (before.length ? null : source);
  if (id) editMarked(id, command);
}

/** Keeps what was tried when its picture is left: a change that was seen must not vanish. A notice takes it back. */
export function leave(): void {
  const list = commands.value;
  const id = picture;
  clear();
  if (list.length === 0) return;
  void edit(id, list).then((turn) => {
    if (!turn || turn.pending?.length) return; // what is in doubt is asked in the conversation
    const take = { label: "Undo", run: () => void undo().catch(tell) };
    notice(`Kept: ${list.map(inWords).join(", ")}.`, { action: take });
  });
}

/** A tab that closes cannot keep anything: the browser asks first. */
addEventListener("beforeunload", (event) => {
  if (drafts.value.length > 0) event.preventDefault();
});

/** Gives a preview's memory back once nothing can be loading it any more: the picture and its histogram may still be. */
function release(url: string | undefined): void {
  if (url) setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function clear(): void {
  clearTimeout(timer);
  request?.abort();
  release(trial.value?.url);
  closeMask();
  agreed.clear();
  batch(() => {
    drafts.value = [];
    values.value = {};
    trial.value = null;
    trying.value = false;
    objection.value = "";
    doubt.value = "";
  });
}

export const drop = clear;

/** Edits whose masks were looked at: whoever did has said yes. */
const agreed = new Set<string>();
/** The command whose mask is shown. */
export const maskedCommand = computed(
  () => drafts.value.find((draft) => draft.operation === masking.value?.operation)?.command ?? null,
);

export function showMask(draft: Draft): void {
  openMask(picture, draft);
  show();
}

/** Corrects the mask that is shown by a click or a stroke; false where it cannot take more. */
export function mark(points: readonly Place[]): boolean {
  const command = maskedCommand.value;
  const next = command && marked(command, points);
  if (!next) return false;
  step(masking.value!.operation, next);
  return true;
}

/** Takes the last mark back. */
export function unmark(): void {
  const command = maskedCommand.value;
  if (!command) return;
  const marks = splitMarks(command).marks.slice(0, -1);
  if (isSelection(command) && marks.length === 0) fresh.value = true;
  else step(masking.value!.operation, withMarks(command, marks));
}

/** Shows what the edit makes of what is marked. */
export function doneMarking(): void {
  if (maskedCommand.value) agreed.add(maskedCommand.value);
  closeMask();
  show(true);
}

export function valuesOf(operation: Operation): Values {
  return values.value[operation.template] ?? defaults(operation);
}

/** Sets one parameter and shows the effect; a slider back where it rests takes the step out again. */
export function set(operation: Operation, name: string, value: number | string): void {
  const next = { ...valuesOf(operation), [name]: value };
  const counts = !isNeutral(operation, next) && isComplete(operation, next);
  batch(() => {
    values.value = { ...values.value, [operation.template]: next };
    const before = drafts.value.find((draft) => draft.operation === operation.template)?.command;
    step(operation.template, counts ? keepMarks(before, commandOf(operation, next)) : null);
  });
}

/** Switches an operation with fields on or off. */
export function toggle(operation: Operation): void {
  step(operation.template, isTried(operation) ? null : commandOf(operation, valuesOf(operation)));
}

export function isTried(operation: Operation): boolean {
  return drafts.value.some((draft) => draft.operation === operation.template);
}

/** Adds a step, changes it, or takes it out (`null`), and shows the effect. */
export function step(operation: string, command: string | null): void {
  drafts.value = withStep(drafts.value, operation, command);
  show();
}

/** Puts edits on: a slider shows its part of them, unless it would have to be in two places. */
export function put(name: string, list: readonly string[]): void {
  const sliders = list.map((command) => sliderAt(operations.value, command));
  list.forEach((command, i) => {
    const at = sliders[i];
    const once = at && sliders.filter((other) => other?.slider === at.slider).length === 1;
    if (once) set(at.slider, at.slider.params[0]!.name, at.value);
    else step(`${name}#${i}#${drafts.value.length}`, command);
  });
}

/** A button such as "turn left": pressed again it is done again. */
export function press(operation: Operation): void {
  const name = `${operation.template}#${drafts.value.length}`;
  step(name, commandOf(operation, valuesOf(operation)));
}

export function takeOut(draft: Draft): void {
  const { [draft.operation]: _, ...rest } = values.value;
  values.value = rest;
  step(draft.operation, null);
}

function show(confirmed = false): void {
  clearTimeout(timer);
  request?.abort();
  objection.value = "";
  doubt.value = "";
  // Under a mask the picture is shown as it is before the edit.
  const at = masking.value ? drafts.value.findIndex((draft) => draft.operation === masking.value?.operation) : -1;
  if (masking.value && at < 0) closeMask();
  if (at >= 0) void findMask(picture, commands.value.slice(0, at + 1));
  const list = at >= 0 ? commands.value.slice(0, at) : commands.value;
  if (list.length === 0) {
    release(trial.value?.url);
    trial.value = null;
    trying.value = false;
    return;
  }
  trying.value = true;
  timer = window.setTimeout(() => void fetchTrial(picture, list, confirmed || at >= 0), PAUSE);
}

async function fetchTrial(id: string, list: string[], confirmed: boolean): Promise<void> {
  const mine = (request = new AbortController());
  const path = `/collections/${encodeURIComponent(collection.value ?? "")}/pictures/${encodeURIComponent(id)}/preview`;
  try {
    const made = await blob(path, { commands: list, size: PREVIEW, confirmed }, mine.signal);
    const size = await createImageBitmap(made);
    if (mine.signal.aborted) return;
    release(trial.value?.url);
    trial.value = { url: URL.createObjectURL(made), width: size.width, height: size.height };
    size.close();
    trying.value = false;
  } catch (error) {
    if (mine.signal.aborted) return;
    trying.value = false;
    if (error instanceof ApiError && error.code === "unsure") doubt.value = error.message;
    else
      objection.value =
        error instanceof ApiError ? `${error.message} ${error.remedy}`.trim() : "The preview could not be made.";
  }
}

/** Keeps what was tried: a turn of the conversation, with a new picture in hand. */
export async function keep(): Promise<Turn | undefined> {
  const list = commands.value;
  if (list.length === 0) return undefined;
  let turn = await edit(picture, list);
  if (turn?.pending?.length && turn.pending.every((command) => agreed.has(command))) turn = await say("yes");
  if (!turn) return undefined;
  clear();
  follow(turn);
  // What waits for an answer was announced already.
  if (!turn.pending?.length) announce(`Kept: ${list.map(inWords).join(", ")}`);
  return turn;
}

/** The picture that words are about: the one with everything that was tried on it; null where that must be asked first. */
export async function keptPicture(): Promise<string | null> {
  if (drafts.value.length === 0) return picture;
  const turn = await keep();
  return turn && !turn.pending?.length ? (turn.hand?.picture ?? picture) : null;
}

/** Shows the picture that a turn left in hand. */
export function follow(turn: Turn | undefined, otherwise?: string | null): void {
  const next = turn?.hand?.picture ?? otherwise;
  if (turn && next) showPicture(next);
}

/** One step back: first what was only tried, then what was kept. */
export async function stepBack(source: string | null | undefined): Promise<void> {
  const last = drafts.value.at(-1);
  if (last) return takeOut(last);
  if (!canUndo.value || !source) return;
  follow((await undo().catch(tell)) as Turn | undefined, source);
}

export async function stepForth(): Promise<void> {
  follow(await redo());
}

/** Back to what a picture was after so many of its steps; the steps after them are not lost, but in the history. */
export function goBackTo(source: string, steps: string[]): Promise<Turn | undefined> {
  const turn = turnAt(turns.value, source, steps);
  if (turn !== null) return rollback(turn);
  return steps.length > 0 ? edit(source, steps) : point({ hold: source }, "the original");
}
