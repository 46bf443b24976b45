/** Which edited version stands for a picture in a conversation. Pure. */
import type { Hand, Result, Tile, Turn } from "../api/types";
import { lineage } from "../talk/story";

/** What taking a picture in hand without its edits is called in the history. */
export const ORIGINAL = "the original";

/** By the original's id: what was last made of each picture in the turns that led to the present state. */
export function versionsOf(turns: readonly Turn[]): Map<string, Hand> {
  const byNumber = new Map(turns.map((turn) => [turn.number, turn]));
  const found = new Map<string, Hand | null>();
  for (const number of lineage(turns)) {
    const turn = byNumber.get(number);
    const hand = turn?.hand;
    if (!hand || found.has(hand.source)) continue;
    if (hand.edits.length) found.set(hand.source, hand);
    else if (turn.message === ORIGINAL) found.set(hand.source, null); // all edits were taken back by hand
  }
  return new Map([...found].filter((entry): entry is [string, Hand] => entry[1] !== null));
}

/** A picture on the wall; `version` is the id of the edited one that is shown in its place. */
export type Shown = (Tile | Result) & { version?: string };

/** The pictures as they are to be seen: those that were edited, edited. */
export function withVersions(
  pictures: readonly (Tile | Result)[],
  versions: ReadonlyMap<string, Hand>,
): readonly Shown[] {
  if (!pictures.some((one) => versions.has(one.id))) return pictures;
  return pictures.map((one) => {
    const hand = versions.get(one.id);
    if (!hand) return one;
    const size = hand.width && hand.height ? { width: hand.width, height: hand.height } : {};
    return { ...one, ...size, edited: true, version: hand.picture };
  });
}

/** The picture that an edited one was made of in this conversation; its own id otherwise. */
export function originOf(turns: readonly Turn[], id: string): string {
  return turns.findLast(({ hand }) => hand?.picture === id)?.hand?.source ?? id;
}
