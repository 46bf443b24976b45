/** Indexing that goes on: how far it is, and what arrived meanwhile. */
import { signal } from "@preact/signals";
import { call, get } from "../api/client";
import { eventsOf } from "../api/events";
import type { Collection, Progress } from "../api/types";
import { untilBack } from "./connection";
import { loadCollections } from "./session";
import { collection } from "./talk";

/** How a job ended; `problem` in words where it failed. */
export interface End {
  state: "done" | "failed";
  problem: string;
}

/** Follows a job to its end, over breaks of the connection; undefined where it was left. */
export async function followJob(
  job: string,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<End | undefined> {
  while (!signal.aborted) {
    try {
      const response = await call(`/jobs/${job}/events`, { signal, headers: { Accept: "text/event-stream" } });
      for await (const { event, data } of eventsOf(response)) {
        const value = JSON.parse(data);
        if (event === "progress") onProgress(value as Progress);
        else if (event === "done") return { state: "done", problem: "" };
        else if (event === "error")
          return {
            state: "failed",
            problem: value.error?.message ?? "It was stopped. What was indexed until then is there.",
          };
      }
    } catch {
      if (!signal.aborted) await untilBack();
    }
  }
  return undefined;
}

/** The progress of indexing the collection that is open; null while nothing is indexed. */
export const indexing = signal<Progress | null>(null);
/** How many of the pictures that are being sent from here have arrived; null while none are. */
export const adding = signal<{ done: number; total: number } | null>(null);
/** How many pictures came since the wall was hung. */
export const arrived = signal(0);

/** How often the pictures are counted while they come. */
const COUNTED = 2500;
let known: number | null = null;

/** Watches the indexing of a collection, where there is any; call what it returns to stop. */
export function watchIndexing(name: string): () => void {
  const stop = new AbortController();
  indexing.value = null;
  arrived.value = 0;
  known = null;
  void (async () => {
    const { jobs } = await get<{ jobs: { id: string; collection: string; state: string; progress: Progress }[] }>(
      "/jobs",
      stop.signal,
    );
    const running = jobs.find((one) => one.state === "running" && one.collection === name);
    if (!running) return;
    known = await pictures(name);
    indexing.value = running.progress;
    let counted = Date.now();
    await followJob(running.id, stop.signal, (progress) => {
      indexing.value = progress;
      if (Date.now() - counted > COUNTED && (counted = Date.now())) void count(name);
    });
    if (stop.signal.aborted) return;
    indexing.value = null;
    await count(name);
    await loadCollections();
  })().catch(() => undefined); // without it one looks again by hand
  return () => stop.abort();
}

async function pictures(name: string): Promise<number> {
  return (await get<Collection>(`/collections/${encodeURIComponent(name)}`)).pictures;
}

async function count(name: string): Promise<void> {
  const now = await pictures(name).catch(() => known ?? 0);
  if (collection.value === name && known !== null) arrived.value = Math.max(0, now - known);
}

/** What arrived is on the wall now. */
export function countAnew(): void {
  if (known !== null) known += arrived.value;
  arrived.value = 0;
}
