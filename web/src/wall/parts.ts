/** The parts of the wall that have a heading: months of a timeline, and what only comes near. Pure. */
import type { Result, Tile } from "../api/types";
import { month } from "../text/words";
import type { Break } from "./justify";

/** Where a month begins, in pictures that are in the order of time. */
export function monthBreaks(pictures: readonly Tile[]): Break[] {
  const breaks: Break[] = [];
  let before: string | null = null;
  pictures.forEach((picture, index) => {
    const now = picture.taken?.slice(0, 7) ?? "";
    if (now === before) return;
    before = now;
    breaks.push({ index, label: now ? month(now) : "No date" });
  });
  return breaks;
}

/** Where the pictures end that match, and those begin that only come near. */
export function nearBreaks(results: readonly (Tile | Result)[]): Break[] {
  const isNear = (one: Tile | Result): boolean => "match" in one && one.match === false;
  const first = results.findIndex(isNear);
  if (first < 0 || !results.slice(first).every(isNear)) return []; // an order of another kind mixes them
  return [{ index: first, label: first === 0 ? "These come nearest" : "These come near" }];
}
