/** What the server put into the page, so that the first sight of it needs no further request. Each part is taken once. */
import type { Collection, Conversation, Me, Tile } from "../api/types";

export interface Opening {
  me?: Me;
  collections?: Collection[];
  wall?: { collection: string; total: number; sort: string; pictures: Tile[] };
  suggestions?: { collection: string; messages: string[] };
  conversation?: Conversation;
}

const found = read();

function read(): Opening {
  try {
    return JSON.parse(document.getElementById("opening")?.textContent ?? "{}") as Opening;
  } catch {
    return {}; // then everything is asked for
  }
}

/** A part of it, if it is there and about what is wanted; later it may not hold any more, so it is given away once. */
export function takeOpening<Part extends keyof Opening>(
  part: Part,
  fits: (value: NonNullable<Opening[Part]>) => boolean = () => true,
): Opening[Part] | undefined {
  const value = found[part];
  delete found[part];
  return value && fits(value) ? value : undefined;
}
