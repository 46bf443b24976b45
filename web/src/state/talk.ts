/** The conversation: what was said, what is on its way, and everything a person can do in it. */
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { download } from "../api/addresses";
import { ApiError, get, send, stream } from "../api/client";
import type { Conversation, Point, Turn } from "../api/types";
import { withEarlier, withTurn } from "../talk/pages";
import { isAlike, stepsBack, stepsForth } from "../talk/story";
import { replyInWords } from "../talk/telling";
import { wishesInWords } from "../talk/wishes";
import { forget, recall, remember } from "../talk/waiting";
import { count, sentence } from "../text/words";
import { untilBack } from "./connection";
import { announce, dismiss, notice, tell } from "./notices";
import { takeOpening } from "./opening";
import { retriever } from "./preferences";
import { go, route, showPicture, showView } from "./router";
import { needsKey } from "./session";
import { follow, live, turnOf } from "./live";
import { seenInstead } from "./versions";
import { hangAll, hangTurn, source } from "./wall";

export const conversation = signal<Conversation | null>(null);
export const collection = signal<string | null>(null);
export const talkError = signal<ApiError | null>(null);
export const opening = signal(false);
/** Whether the sheet of the conversation is raised, where the screen is too small for both. */
export const sheetOpen = signal(false);
/** The composer's text; kept here so that a failed message comes back into it. */
export const draft = signal("");
/** What was typed in other collections and not sent. */
const unsent = new Map<string, string>();
/** What is said as soon as a new conversation is open: chosen on another page. */
export const firstWords = signal("");

export const turns = computed(() => conversation.value?.turns ?? []);
export const latest = computed<Turn | null>(() => turns.value.at(-1) ?? null);
/** Which turn of which conversation is the last one: what was put away at it comes back with the next. */
export const lastStep = computed(() => `${conversation.value?.id} ${latest.value?.number}`);
export const closedComparison = signal("");
export const wishes = computed(() => latest.value?.brief.wishes ?? []);
/** Whether one is asked here: it belongs to the conversation. */
export const asks = computed(() => latest.value?.asks ?? true);
export const question = computed(() => {
  const asked = live.value ? live.value.question : (latest.value?.question ?? null);
  return asks.value || !asked?.optional ? asked : null; // what a message meant is asked in any case
});
export const canUndo = computed(() => latest.value?.can_undo ?? turns.value.length > 0);
export const canRedo = computed(() => latest.value?.can_redo ?? (latest.value?.undone?.length ?? 0) > 0);
export const busy = computed(() => live.value !== null);

function path(id: string, rest = ""): string {
  return `/conversations/${encodeURIComponent(id)}${rest}`;
}

/** Opens a collection, and a conversation in it where one is named. */
export async function open(name: string, id: string | null): Promise<void> {
  if (collection.value !== name) {
    unsent.set(collection.value ?? "", draft.value);
    draft.value = unsent.get(name) ?? "";
  }
  collection.value = name;
  if (id !== null && conversation.value?.id === id) return;
  talkError.value = null;
  live.value = null;
  if (id === null) {
    conversation.value = null;
    hangAll(name);
    const words = firstWords.value;
    firstWords.value = "";
    if (words) void say(words);
    return;
  }
  const known = takeOpening("conversation", (one) => one.id === id && one.collection === name);
  if (known) adopt(known);
  opening.value = !known;
  try {
    const found = known ?? (await get<Conversation>(path(id)));
    if (!isOpen(name, id)) return; // somebody went on meanwhile
    if (!known) adopt(found);
    opening.value = false;
    await resume(found);
  } catch (error) {
    if (isOpen(name, id)) talkError.value = error as ApiError;
  } finally {
    opening.value = false;
  }
}

function isOpen(name: string, id: string): boolean {
  const now = route.value;
  return now.page === "talk" && now.collection === name && now.conversation === id;
}

function adopt(found: Conversation): void {
  batch(() => {
    conversation.value = found;
    talkError.value = null;
    const last = found.turns.at(-1);
    if (last) hangTurn(found.id, found.collection, last);
    else hangAll(found.collection);
  });
}

/** A message was on its way when the page was left: waits for its answer instead of asking again. */
async function resume(found: Conversation): Promise<void> {
  const waiting = recall(found.id);
  if (!waiting) return;
  // What is there already may still lack its question.
  if (found.total === waiting.turns) live.value = { message: waiting.text, stage: "sent", question: null };
  await awaitAnswer(found.id, waiting.turns, waiting.text);
}

/** How long to wait between looks. The server answers when it has done what it was told: only a message that comes later is missed. */
const PAUSES = [0, 200, 600, 1200, 2500];

/** Looks again and again whether a message was answered after all; gives it back to the composer if not. */
async function awaitAnswer(id: string, before: number, text: string): Promise<void> {
  for (const pause of PAUSES) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    let found: Conversation;
    try {
      found = await get<Conversation>(path(id, "?settled=true"));
    } catch (error) {
      if (!(error instanceof ApiError) || !error.passing) break;
      live.value = { message: text, stage: "away", question: null };
      await untilBack();
      continue;
    }
    if (conversation.value && conversation.value.id !== id) return;
    if (found.total > before) {
      forget();
      live.value = null;
      return adopt(found);
    }
  }
  forget();
  live.value = null;
  hangAgain();
  if (!text) return;
  draft.value ||= text; // what was typed meanwhile stays
  notice("This message was not answered. It is back in the field below.", {
    kind: "error",
    action: { label: "Send again", run: () => void say(text) },
  });
}

/** The conversation that is open, or a new one. */
async function ensure(): Promise<Conversation> {
  if (conversation.value) return conversation.value;
  const made = await send<Conversation>("POST", "/conversations", { collection: collection.value });
  return meet({ ...made, turns: made.turns ?? [], total: 0 });
}

/** The first message begins its conversation, in one request; what comes back is the answer to it. */
async function begin(body: object, message: string): Promise<Response> {
  const name = collection.value ?? "";
  let response: Response;
  try {
    response = await stream(`/collections/${encodeURIComponent(name)}/messages`, body);
  } catch (error) {
    draft.value ||= message;
    throw error;
  }
  const id = response.headers.get("Location")!.split("/").at(-1)!;
  meet({ id, name: "", collection: name, branch_of: null, branch_at: null, title: "", total: 0, turns: [] });
  return response;
}

/** Goes on in a conversation that was just made. */
function meet(made: Conversation): Conversation {
  conversation.value = made;
  const picture = route.value.page === "talk" ? route.value.picture : null;
  go({ page: "talk", collection: made.collection, conversation: made.id, picture }, true);
  return made;
}

let chain: Promise<unknown> = Promise.resolve();

/** One thing after the other: a turn always starts from the one before it. */
function inOrder<T>(work: () => Promise<T>): Promise<T | undefined> {
  const mine = chain.then(work).catch((error: unknown) => {
    live.value = null;
    forget();
    if (error instanceof ApiError && error.code === "stale") void refresh();
    if (error instanceof ApiError && error.status === 401) needsKey.value = true;
    tell(error);
    return undefined;
  });
  chain = mine;
  return mine;
}

/** Sends a message or a command and follows its answer as it comes. */
function converse(rest: string, body: object, message: string): Promise<Turn | undefined> {
  return inOrder(async () => {
    live.value = { message, stage: "sent", question: null };
    const first = rest === "/messages" && !conversation.value ? await begin(body, message) : null;
    const at = await ensure();
    remember({ conversation: at.id, text: message, turns: at.total, at: Date.now() });
    try {
      const turn = await follow(first ?? (await stream(path(at.id, rest), { ...body, ...after() })));
      forget();
      return add(turn);
    } catch (error) {
      if (error instanceof ApiError && !error.passing) {
        draft.value ||= message;
        hangAgain();
        throw error;
      }
      // The connection broke: the server may have answered all the same.
      live.value = { message, stage: "away", question: null };
      await untilBack();
      await awaitAnswer(at.id, at.total, message);
      return undefined;
    }
  });
}

/** The wall as it was before a message that came to nothing, though its results may have been hung already. */
function hangAgain(): void {
  const now = conversation.value;
  if (source.value.kind === "list") return; // nothing else was hung
  if (now && latest.value) hangTurn(now.id, now.collection, latest.value);
  else if (collection.value) hangAll(collection.value);
}

/** Fetches the conversation again: it went on elsewhere, or by more than one turn. */
async function refresh(): Promise<void> {
  const now = conversation.value;
  if (now) await get<Conversation>(path(now.id)).then(adopt).catch(tell);
}

/** The last turn that this page knows; the server refuses to go on from another one. */
function after(): { after: number } {
  return { after: latest.value?.number ?? 0 };
}

/** Adds a finished turn to the conversation and hangs its results. */
function add(turn: Turn): Turn {
  if (turn.number > (latest.value?.number ?? 0) + 1) void refresh();
  const last = latest.value;
  batch(() => {
    const now = conversation.value;
    live.value = null;
    if (!now) return;
    conversation.value = withTurn(now, turn);
    // An album stays where one only asks about its pictures, or edits them.
    if (source.value.kind === "list" && isAlike(turn, last)) return;
    showView(null);
    hangTurn(now.id, now.collection, turn);
  });
  if (turn.hand && turn.commands.some((one) => /^export\b/.test(one))) handOver(turn.hand.picture);
  const asked = wishesInWords(turn.question?.text ?? "", turn.brief.wishes);
  const told = [replyInWords(turn, turns.value), count(turn.results.length, "picture"), asked];
  announce(told.flatMap((text) => (text ? sentence(text) : [])).join(" "));
  return turn;
}

/** Saves a picture in full size where the browser saves files. */
function handOver(picture: string): void {
  const link = document.createElement("a");
  link.href = download(collection.value ?? "", picture, "");
  link.download = "";
  link.click();
}

/** Fetches the turns before those that are shown. */
export async function showEarlier(): Promise<void> {
  const now = conversation.value;
  const first = now?.turns[0]?.number;
  if (!now || !first) return;
  try {
    const found = await get<Conversation>(path(now.id, `?before=${first}`));
    if (conversation.value?.id === now.id) conversation.value = withEarlier(conversation.value, found);
  } catch (error) {
    tell(error);
  }
}

/** Something that is answered with one turn and no stream. */
function act(rest: string, body: object, message = "", waiting = message): Promise<Turn | undefined> {
  return inOrder(() => post(rest, body, message, waiting));
}

/** Makes a turn; while the server is away it waits, and then asks first whether the turn was made after all. */
async function post(rest: string, body: object, message = "", waiting = message): Promise<Turn> {
  const from = after();
  let at: Conversation | null = null;
  if (message) live.value = { message, stage: "sent", question: null };
  for (let away = false; ;) {
    try {
      at ??= await ensure();
      const found = away ? await get<Conversation>(path(at.id, "?settled=true")) : null;
      if (found && found.total > from.after) {
        live.value = null;
        if (conversation.value?.id === found.id) adopt(found);
        return found.turns.at(-1)!;
      }
      const made = await send<Turn>("POST", path(at.id, rest), body instanceof FormData ? body : { ...body, ...from });
      return conversation.value?.id === at.id ? add(turnOf(made)) : turnOf(made);
    } catch (error) {
      if (!(error instanceof ApiError) || !error.passing) throw error;
      away = true;
      live.value = { message: waiting, stage: "away", question: null };
      await untilBack();
    }
  }
}

/** Tells of turns that were just made, with a way to take exactly these back: it goes when anything else happens. */
export function offerUndo(text: string, made: readonly Turn[]): void {
  const [at, last] = [conversation.value?.id, made.at(-1)?.number];
  const isLast = (): boolean => conversation.value?.id === at && latest.value?.number === last;
  const take = (): Promise<Turn | undefined> =>
    inOrder(async () => (isLast() ? post("/undo", { steps: made.length }) : undefined));
  const id = notice(text, { action: { label: "Undo", run: () => void take() } });
  const stop = effect(() => {
    if (isLast() && !live.value) return;
    untracked(() => dismiss(id));
    queueMicrotask(() => stop());
  });
}

/** The retriever that was chosen for a new conversation; one that has begun keeps its own. */
function chosen(): { retriever?: string } {
  return retriever.value && !turns.value.length ? { retriever: retriever.value } : {};
}

/** Says something; `about` is the picture that it is said in front of, `columns` how the wall is laid out. */
export function say(text: string, about: { picture?: string; columns?: number } = {}): Promise<Turn | undefined> {
  const message = text.trim();
  return message
    ? converse("/messages", { text: message, ...about, ...seenInstead(), ...chosen() }, message)
    : Promise.resolve(undefined);
}

export const command = (commands: string[], message = commands.join(", ")): Promise<Turn | undefined> =>
  converse("/commands", { commands, message, ...chosen() }, message);

export const point = (at: Point, message: string): Promise<Turn | undefined> =>
  converse("/commands", { point: at, message }, message);

/** Switches questions on or off in this conversation. */
export async function setAsking(on: boolean): Promise<void> {
  if (asks.value !== on) await command([on ? "questions on" : "questions off"], "");
}

export const revise = (changes: string[]): Promise<Turn | undefined> => act("/brief", { changes });

export const rollback = (turn: number): Promise<Turn | undefined> => act("/rollback", { turn });

export const undo = (): Promise<Turn | undefined> => act("/undo", { steps: stepsBack(turns.value) });

export const redo = (): Promise<Turn | undefined> => act("/redo", { steps: stepsForth(turns.value) });

/** `told` says what is edited while the server is waited for. */
export const edit = (picture: string, commands: string[], told = ""): Promise<Turn | undefined> =>
  act("/edit", { picture, commands }, "", told);

/** Goes on from a turn in a conversation of its own; this one stays as it is. */
export async function branch(turn: number): Promise<void> {
  const now = conversation.value;
  if (!now) return;
  const made = await inOrder(() => send<Conversation>("POST", path(now.id, "/branch"), { turn }));
  if (!made) return;
  go({ page: "talk", collection: made.collection, conversation: made.id, picture: null });
  notice("This is a branch. The conversation that you came from is unchanged.");
}

export async function searchWith(file: File): Promise<void> {
  const body = new FormData();
  body.append("file", file);
  await act("/picture", body, `Pictures like ${file.name || "the one I pasted"}`);
}

/** Searches with what lies inside a box of a picture. */
export async function searchInside(picture: string, box: number[]): Promise<void> {
  const turn = await inOrder(async () => {
    const at = await ensure();
    const where = `/collections/${encodeURIComponent(at.collection)}/pictures/${encodeURIComponent(picture)}/region`;
    return turnOf(await send<Turn>("POST", where, { box, conversation: at.id }));
  });
  if (turn && typeof turn.number === "number") {
    add(turn);
    showPicture(null);
  }
}

/** How often a conversation was renamed: lists of them look again. */
export const renamings = signal(0);

export async function rename(id: string, name: string): Promise<void> {
  await send("PATCH", path(id), { name });
  renamings.value++;
  if (conversation.value?.id === id) conversation.value = { ...conversation.value, name };
}

export async function remove(id: string): Promise<void> {
  await send("DELETE", path(id, "?edits=keep"));
}
