/** Edits that are tried on a picture: drafts, their live preview, and keeping or dropping them. */
import { batch, computed, signal } from "@preact/signals";
import { ApiError, blob } from "../api/client";
import type { Operation, Picture, Turn } from "../api/types";
import { announce, tell } from "../state/notices";
import { route, showPicture } from "../state/router";
import { operations } from "../state/session";
import { collection, edit, latest, offerUndo, point, redo, rollback, say, turns, undo } from "../state/talk";
import type { Place } from "./box";
import {
  commandOf,
  defaults,
  isComplete,
  isNeutral,
  sizeAfter,
  sliderAt,
  withStep,
  type Draft,
  type Values,
} from "./commands";
import { isSelection, keepMarks, splitMarks, withMarks } from "./marks";
import { closeMask, findMask, fresh, marked, masking, openMask } from "./masking";
import { editsInWords } from "./presets";
import { inWords, turnAt } from "./steps";
import { ORIGINAL } from "./versions";

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
/** The steps that the open picture was made by, of its original: sliders show them. */
const made = signal<{ source: string; steps: readonly string[] } | null>(null);
/** The same as sliders have changed them since, `null` where one was taken out; null where none was changed. */
export const remade = signal<readonly (string | null)[] | null>(null);
/** Whether something is tried that is not kept yet. */
export const isTrying = computed(() => drafts.value.length > 0 || remade.value !== null);

let timer = 0;
let request: AbortController | null = null;
let picture = "";

/** Begins with another picture: nothing tried yet. What was tried on the one before is kept. */
export function begin(id: string): void {
  leave();
  picture = id;
  made.value = null;
  const first = wanted?.picture === id ? wanted.command : null;
  wanted = null;
  if (first) tryMarked(first);
}

/** The steps that made the picture are known. */
export function beginAt(found: Pick<Picture, "id" | "source_id" | "edits">): void {
  if (found.id === picture && found.source_id) made.value = { source: found.source_id, steps: found.edits ?? [] };
}

/** What is tried: from the original anew where a step that was kept is changed, or else from the picture. */
function recipe(drafted: readonly string[] = commands.value): { picture: string; commands: string[] } {
  const steps = made.value && remade.value?.filter((step) => step !== null);
  return steps && made.value
    ? { picture: made.value.source, commands: [...steps, ...drafted] }
    : { picture, commands: [...drafted] };
}

/** The steps of what is seen: with those that were kept, where `whole`. */
export function shownSteps(whole: boolean): string[] {
  const kept = whole ? (remade.value ?? made.value?.steps ?? []).filter((step) => step !== null) : [];
  return [...kept, ...commands.value];
}

/** The step that was kept and that a slider stands for; -1 where there is none, or where there are several. */
function madeBy(operation: Operation): number {
  const at = (made.value?.steps ?? []).flatMap((step, i) =>
    sliderAt(operations.value, step)?.slider.template === operation.template ? [i] : [],
  );
  return at.length === 1 ? at[0]! : -1;
}

/** Changes a step that was kept, takes it out (`null`), or puts it back as it was. */
function remake(at: number, command: string | null): void {
  const steps = made.value!.steps;
  const next = (remade.value ?? steps).map((step, i) => (i === at ? command : step));
  remade.value = next.every((step, i) => step === steps[i]) ? null : next;
  show();
}

/** Puts a step that was kept back to what it was. */
export function putBack(at: number): void {
  const step = made.value?.steps[at];
  const slider = step ? sliderAt(operations.value, step)?.slider : undefined;
  if (slider) forgetValues(slider.template);
  if (step) remake(at, step);
}

/** Whether what was changed of the kept steps leaves every pixel where it is. */
export function keepsSize(): boolean {
  const size = { width: 1, height: 1 };
  const stays = (step: string | null | undefined): boolean => !step || sizeAfter(size, [step]) === size;
  return !remade.value?.some(
    (step, i) => step !== made.value?.steps[i] && !(stays(step) && stays(made.value?.steps[i])),
  );
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
  const saved = isTrying.value && !saving ? save() : null; // what is being kept already is not kept twice
  const told = tried();
  clear();
  void saved?.then((turn) => {
    if (!turn || turn.pending?.length) return; // what is in doubt is asked in the conversation
    offerUndo(`Kept: ${told}.`, [turn]);
  });
}

/** What is tried, in words. */
function tried(): string {
  const steps = remade.value?.filter((step, i) => step !== null && step !== made.value?.steps[i]) ?? [];
  const gone =
    remade.value?.flatMap((step, i) => (step === null ? [`no ${inWords(made.value!.steps[i]!)}`] : [])) ?? [];
  return [...steps.map((step) => inWords(step!)), ...gone, ...editsInWords(commands.value)].join(", ");
}

/** How many turns are being made of what was tried: while the server is away, that lasts until it is back. */
let saving = 0;

/** Makes a turn of what is tried. */
async function save(): Promise<Turn | undefined> {
  saving++;
  return make().finally(() => {
    saving--;
  });
}

async function make(): Promise<Turn | undefined> {
  const { picture: id, commands: list } = recipe();
  const seen = new Set([...agreed, ...(made.value?.steps ?? [])]); // what was kept before is in doubt no more
  const source = made.value?.source;
  if (list.length === 0) return source ? goBackTo(source, []) : undefined;
  const turn = await edit(id, list, tried());
  return turn?.pending?.length && turn.pending.every((command) => seen.has(command)) ? say("yes") : turn;
}

/** A tab that closes cannot keep anything: the browser asks first. */
addEventListener("beforeunload", (event) => {
  if (isTrying.value || saving) event.preventDefault();
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
    remade.value = null;
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
  return values.value[operation.template] ?? { ...defaults(operation), ...madeValues(operation) };
}

/** Where a slider is by the steps that were kept. */
function madeValues(operation: Operation): Values {
  const step = made.value?.steps[madeBy(operation)];
  const at = step ? sliderAt(operations.value, step) : null;
  return at ? { [operation.params[0]!.name]: at.value } : {};
}

/** Sets one parameter and shows the effect; a slider back where it rests takes the step out again. */
export function set(operation: Operation, name: string, value: number | string): void {
  const next = { ...valuesOf(operation), [name]: value };
  const counts = !isNeutral(operation, next) && isComplete(operation, next);
  batch(() => {
    values.value = { ...values.value, [operation.template]: next };
    const at = madeBy(operation);
    if (at >= 0) return remake(at, counts ? commandOf(operation, next) : null);
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

function forgetValues(operation: string): void {
  const { [operation]: _, ...rest } = values.value;
  values.value = rest;
}

export function takeOut(draft: Draft): void {
  forgetValues(draft.operation);
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
  if (at >= 0) {
    const found = recipe(commands.value.slice(0, at + 1));
    void findMask(found.picture, found.commands);
  }
  const { picture: from, commands: list } = recipe(at >= 0 ? commands.value.slice(0, at) : commands.value);
  if (list.length === 0 && from === picture) {
    release(trial.value?.url);
    trial.value = null;
    trying.value = false;
    return;
  }
  trying.value = true;
  // What was kept before is in doubt no more.
  const sure = confirmed || at >= 0 || remade.value !== null;
  timer = window.setTimeout(() => void fetchTrial(from, list, sure), PAUSE);
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
  if (!isTrying.value) return undefined;
  const told = tried();
  const turn = await save();
  if (!turn) return undefined;
  clear();
  follow(turn);
  // What waits for an answer was announced already.
  if (!turn.pending?.length) announce(`Kept: ${told}`);
  return turn;
}

/** The picture that words are about: the one with everything that was tried on it; null where that must be asked first. */
export async function keptPicture(): Promise<string | null> {
  if (!isTrying.value) return picture;
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
  if (remade.value) return clear();
  if (!source || !made.value) return;
  // The last step of the conversation is taken back where it made this picture; what else went on there is left alone.
  const now = turns.value.find((one) => one.number === latest.value?.stands_at);
  const isLast = now?.hand?.picture === picture && now.commands.some((one) => now.hand!.edits.includes(one));
  const left = made.value.steps.slice(0, -1);
  const back = isLast ? undo() : left.length ? edit(source, [...left]) : point({ hold: source }, ORIGINAL);
  follow((await back.catch(tell)) as Turn | undefined, source);
}

/** Whether the step that was taken back last is one of this picture. */
export function canStepForth(origin: string): boolean {
  const next = turns.value.find((one) => one.number === latest.value?.undone?.at(-1));
  return (next?.hand?.edits.length ?? 0) > 0 && next?.hand?.source === origin;
}

export async function stepForth(origin: string): Promise<void> {
  if (canStepForth(origin)) follow(await redo());
}

/** Back to what a picture was after so many of its steps; the steps after them are not lost, but in the history. */
export function goBackTo(source: string, steps: string[]): Promise<Turn | undefined> {
  const turn = turnAt(turns.value, source, steps);
  if (turn !== null) return rollback(turn);
  return steps.length > 0 ? edit(source, steps) : point({ hold: source }, ORIGINAL);
}
