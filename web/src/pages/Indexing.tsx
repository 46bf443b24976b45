/** Watching a folder being indexed: how far, how fast, and the pictures as they arrive. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, send } from "../api/client";
import type { Progress, Tile } from "../api/types";
import { Thumb } from "../shell/Thumb";
import { announce, tell } from "../state/notices";
import { followJob } from "../state/jobs";
import { go } from "../state/router";
import { loadCollections, titleOfCollection } from "../state/session";
import { firstWords } from "../state/talk";
import { progressInWords } from "../text/words";

export interface Job {
  collection: string;
  /** What it is called, where that is not its name. */
  title?: string;
  /** None when the pictures are there already. */
  job: string | null;
  /** Whether its pictures are drawn first, which takes a while. */
  drawn?: boolean;
}

const NEWEST = 24;

/** What is done before the first picture is looked at. */
function beginning(job: Job, now: Progress | null): string {
  if (job.drawn && !now?.done) return "Drawing the pictures …";
  return now && (now.total || now.done) ? "" : "Counting pictures …";
}

export function Indexing({ job, onLeave }: { job: Job; onLeave: () => void }) {
  const progress = useSignal<Progress | null>(null);
  const state = useSignal<"running" | "done" | "failed">(job.job ? "running" : "done");
  const problem = useSignal("");
  const pictures = useSignal<Tile[]>([]);
  const samples = useSignal<string[]>([]);
  const where = `/collections/${encodeURIComponent(job.collection)}`;

  const look = async (): Promise<void> => {
    const page = await get<{ total: number; pictures: Tile[] }>(`${where}/wall?offset=0&limit=${NEWEST}`).catch(
      () => null,
    );
    if (page) pictures.value = page.pictures;
  };
  const finish = async (): Promise<void> => {
    state.value = "done";
    await Promise.allSettled([look(), loadCollections()]);
    announce("Indexing is done");
    samples.value = (
      await get<{ messages: string[] }>(`${where}/suggestions`).catch(() => ({ messages: [] }))
    ).messages;
  };
  useEffect(() => {
    const stop = new AbortController();
    let looked = 0;
    const follow = async (id: string): Promise<void> => {
      const end = await followJob(id, stop.signal, (now) => {
        progress.value = now;
        if (Date.now() - looked > 1200 && (looked = Date.now())) void look();
      });
      if (end?.state === "done") return finish();
      if (!end) return;
      state.value = "failed";
      problem.value = end.problem;
    };
    void (job.job ? follow(job.job) : finish());
    return () => stop.abort();
  }, [job.job, job.collection]);

  const stop = (): Promise<unknown> => send("DELETE", `/jobs/${job.job}`).catch(tell);
  const now = progress.value;
  const title = job.title || titleOfCollection(job.collection);
  const open = (): void => go({ page: "talk", collection: job.collection, conversation: null, picture: null });
  return (
    <section class="indexing" aria-label={`Indexing ${title}`}>
      <h1>
        {state.value === "done"
          ? `${title} is ready`
          : state.value === "failed"
            ? "Indexing stopped"
            : `Looking at ${title}`}
      </h1>
      {state.value === "running" && (
        <>
          <progress
            max={now?.total ?? 1}
            value={now?.total && (now.done || !job.drawn) ? now.done : undefined}
            aria-label="Indexing"
          />
          <p class="quiet">{beginning(job, now) || progressInWords(now!)}</p>
        </>
      )}
      {state.value === "failed" && (
        <p role="alert" class="objection">
          {problem.value}
        </p>
      )}
      <div class="arriving">
        {pictures.value.map((one) => (
          <Thumb key={one.id} collection={job.collection} id={one.id} alt={one.caption ?? ""} />
        ))}
      </div>
      {state.value === "done" && samples.value.length > 0 && (
        <div class="first-words">
          <span class="quiet">You could begin with</span>
          {samples.value.slice(0, 3).map((text) => (
            <button
              key={text}
              type="button"
              class="button small"
              onClick={() => {
                firstWords.value = text;
                open();
              }}
            >
              “{text}”
            </button>
          ))}
        </div>
      )}
      <div class="points">
        {(state.value === "done" || pictures.value.length > 0) && (
          <button type="button" class="button accent" onClick={open}>
            {state.value === "done" ? "Begin" : "Begin already"}
          </button>
        )}
        {state.value === "running" && job.job && (
          <button type="button" class="button" onClick={() => void stop()}>
            Stop
          </button>
        )}
        {state.value !== "done" && (
          <button type="button" class="button" onClick={onLeave}>
            {state.value === "failed" ? "Back" : "All collections"}
          </button>
        )}
      </div>
    </section>
  );
}
