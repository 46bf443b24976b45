/** A turn on its way: read from its stream and shown piece by piece. */
import { signal } from "@preact/signals";
import { ApiError } from "../api/client";
import { eventsOf } from "../api/events";
import type { Question, Reason, Result, Turn } from "../api/types";
import { addReasons, hangEarly } from "./wall";

/** What is known of it so far. */
export interface Live {
  message: string;
  stage: "sent" | "results" | "reasons" | "away";
  question: Question | null;
}

export const live = signal<Live | null>(null);

/** Reads an answer to its end: results hang at once, reasons and the question follow, the whole turn comes last. */
export async function follow(response: Response): Promise<Turn> {
  if (!response.headers.get("content-type")?.includes("event-stream")) return turnOf(await response.json());
  for await (const { event, data } of eventsOf(response)) {
    const value: unknown = JSON.parse(data);
    if (event === "results") {
      hangEarly((value as { results: Result[] }).results);
      performance.mark("visavis:results"); // read by the browser's tools and by benchmarks/page.py
      progress({ stage: "results" });
    } else if (event === "reasons") {
      addReasons((value as { because: Record<string, Reason[]> }).because);
      progress({ stage: "reasons" });
    } else if (event === "question") progress({ question: (value as { question: Question | null }).question });
    else if (event === "done") return turnOf(value);
    else if (event === "error") throw errorOf(value);
  }
  throw new ApiError("The answer broke off.", 0);
}

function progress(change: Partial<Live>): void {
  if (live.value) live.value = { ...live.value, ...change };
}

/** Some answers are a turn, some hold one. */
export function turnOf(value: unknown): Turn {
  return (value as { turn?: Turn }).turn ?? (value as Turn);
}

function errorOf(value: unknown): ApiError {
  const told = (value as { error?: { message?: string; remedy?: string; code?: string } }).error;
  return new ApiError(
    told?.message ?? "This message could not be answered.",
    500,
    told?.remedy ?? "",
    told?.code ?? "",
  );
}
