/** What hangs on the wall: a turn's results, the whole collection, or the preview of a change. */
import { computed, signal } from "@preact/signals";
import { get, send, type ApiError } from "../api/client";
import type { Reason, Result, Tile, Turn } from "../api/types";
import { takeOpening } from "./opening";

export type Source =
  | { kind: "nothing" }
  | { kind: "browse"; collection: string }
  | { kind: "turn"; conversation: string; turn: number }
  /** An album, or the pictures of a place on the map; `album` is the id of the one that it is. */
  | {
      kind: "list";
      collection: string;
      title: string;
      ids: readonly string[];
      album: string | null;
      elsewhere?: boolean;
    };

export interface Preview {
  label: string;
  results: Result[] | null;
}

/** The first page is what a screen shows, so that it is there at once; the next ones are larger. */
const FIRST_PAGE = 60;
const PAGE = 200;
/** The server ranks this deep at most. */
const DEEPEST = 10_000;

export const source = signal<Source>({ kind: "nothing" });
export const hung = signal<(Tile | Result)[]>([]);
export const ended = signal(false);
export const loading = signal(false);
export const failed = signal<ApiError | null>(null);
export const total = signal<number | null>(null);
/** The order of the whole collection: what was chosen, and what it is in; the server knows which one is usual. */
export const wantedSort = signal("");
export const sort = signal("none");
export const preview = signal<Preview | null>(null);

/** What is shown now: a preview where there is one. */
/** Whether the map is open. */
export const mapOpen = signal(false);
export const tiles = computed(() => preview.value?.results ?? hung.value);

let errand = 0;

/**
 * Hangs a turn's results; with the first of them the rest can follow by scrolling. A turn before anything was asked for
 * (a greeting, a message that is asked back about) leaves the whole collection to look at.
 */
export function hangTurn(conversation: string, collection: string, turn: Turn): void {
  if (turn.results.length === 0 && !turn.brief.wishes.some((wish) => wish.active)) return hangAll(collection);
  errand++;
  source.value = { kind: "turn", conversation, turn: turn.number };
  failed.value = null;
  loading.value = false;
  preview.value = null;
  total.value = null;
  ended.value = turn.results.length === 0;
  if (!sameOrder(hung.value, turn.results)) hung.value = turn.results;
  else addReasons(Object.fromEntries(turn.results.map((one) => [one.id, one.because ?? []])));
}

/** Hangs results before their turn is complete. */
export function hangEarly(results: Result[]): void {
  // Where nothing fits or nothing was asked for, and whether an album has to go, the complete turn tells.
  if (results.length === 0 || source.value.kind === "list") return;
  errand++;
  preview.value = null;
  loading.value = false;
  failed.value = null;
  source.value = { kind: "nothing" };
  ended.value = true;
  hung.value = results;
}

function sameOrder(now: readonly Tile[], next: readonly Tile[]): boolean {
  return now.length >= next.length && next.length > 0 && next.every((one, i) => one.id === now[i]?.id);
}

export function addReasons(because: Record<string, Reason[]>): void {
  hung.value = hung.value.map((one) => (because[one.id] ? { ...one, because: because[one.id]! } : one));
}

/** Hangs the whole collection, for looking around. */
export function hangAll(collection: string): void {
  if (source.value.kind === "browse" && source.value.collection === collection && hung.value.length) return;
  errand++;
  source.value = { kind: "browse", collection };
  failed.value = null;
  loading.value = false;
  preview.value = null;
  const first = takeOpening("wall", (wall) => wall.collection === collection && !wantedSort.value);
  total.value = first?.total ?? null;
  sort.value = first?.sort ?? "none";
  hung.value = first?.pictures ?? [];
  ended.value = first !== undefined && first.pictures.length >= first.total;
  if (!first) void more();
}

/** Hangs pictures that were chosen by hand; `elsewhere` on the map, which has its own address. */
export function hangList(
  collection: string,
  title: string,
  ids: readonly string[],
  album: string | null,
  elsewhere = false,
): void {
  errand++;
  source.value = { kind: "list", collection, title, ids, album, elsewhere };
  failed.value = null;
  loading.value = false;
  preview.value = null;
  total.value = ids.length;
  hung.value = [];
  ended.value = ids.length === 0;
  if (ids.length) void more();
}

/** The whole collection from its beginning, after it changed. */
export function hangAnew(collection: string): void {
  source.value = { kind: "nothing" };
  hangAll(collection);
}

/** Fetches what comes next on the wall; does nothing while it is on its way or when there is no more. */
export async function more(): Promise<void> {
  if (loading.value || ended.value || preview.value || source.value.kind === "nothing") return;
  const mine = errand;
  loading.value = true;
  failed.value = null;
  try {
    const page = await fetchPage(source.value, hung.value.length);
    if (mine !== errand) return;
    const known = new Set(hung.value.map((one) => one.id));
    const fresh = page.filter((one) => !known.has(one.id));
    hung.value = [...hung.value, ...fresh];
    ended.value =
      (fresh.length === 0 && !isListed(source.value)) ||
      hung.value.length >= DEEPEST ||
      hung.value.length === total.value;
  } catch (error) {
    if (mine === errand) failed.value = error as ApiError;
  } finally {
    if (mine === errand) loading.value = false;
  }
}

/** Fetches what hangs further down, so far. */
export async function moreUntil(wanted: number): Promise<void> {
  for (let before = -1; !ended.value && hung.value.length < wanted && hung.value.length > before;) {
    const mine = errand;
    while (loading.value && mine === errand) await new Promise((resolve) => setTimeout(resolve, 50));
    before = hung.value.length;
    await more();
    if (mine !== errand) return;
  }
}

function isListed(from: Source): boolean {
  return from.kind === "list" && listed < from.ids.length;
}

/** How many of a list were asked for: those that are gone leave no picture. */
let listed = 0;

async function fetchPage(from: Source, offset: number): Promise<Tile[]> {
  if (from.kind === "browse") {
    const path = `/collections/${encodeURIComponent(from.collection)}/wall?offset=${offset}&limit=${offset ? PAGE : FIRST_PAGE}`;
    const order = wantedSort.value ? `&sort=${encodeURIComponent(wantedSort.value)}` : "";
    const page = await get<{ total: number; sort: string; pictures: Tile[] }>(path + order);
    total.value = page.total;
    sort.value = page.sort;
    return page.pictures;
  }
  if (from.kind === "list") {
    listed = offset === 0 ? 0 : listed;
    const pictures = from.ids.slice(listed, listed + PAGE);
    const body = { pictures };
    const path = `/collections/${encodeURIComponent(from.collection)}/wall`;
    const page = pictures.length ? await send<{ pictures: Tile[] }>("POST", path, body) : { pictures: [] };
    listed += pictures.length;
    return page.pictures;
  }
  if (from.kind === "turn") {
    const query = `turn=${from.turn}&offset=${offset}&limit=${PAGE}`;
    const path = `/conversations/${encodeURIComponent(from.conversation)}/more?${query}`;
    return (await send<{ results: Result[] }>("POST", path)).results;
  }
  return [];
}
