/** What a wish is called where it is shown. */
import type { Wish } from "../api/types";
import { inWords } from "../shell/filters";
import { days, orderInWords } from "../text/words";

/** A picture as the server calls it; nobody sees numbers of turns. */
const PICTURED = /\b(?:the picture of turn \d+|picture [0-9a-f]{8}\b|turn \d+)|#\d+ of turn \d+/;

/** Beside a chip's picture, "like #2 of turn 9" is "like this one". */
export function labelOf(wish: Wish): string {
  // The server says "in Portugal" and "for men"; prices and days are told as the reader's country writes them.
  if (wish.kind === "filter") return /\d/.test(wish.text) ? inWords(wish.text) : wish.label || inWords(wish.text);
  if (wish.kind === "sort") return orderInWords(wish.attribute, wish.text === "ascending");
  const label = wish.label || wish.text;
  return wish.picture ? label.replace(PICTURED, "this one") : label;
}

/** A reason that is a picture, away from that picture. */
export function reasonInWords(text: string): string {
  return inWords(text)
    .replace(/\d{4}-\d{2}-\d{2} to \d{4}-\d{2}-\d{2}/g, days)
    .replace(PICTURED, "the one you chose");
}

/** A text of the server with its wishes as a person reads them: "price <= 40" is "price up to 40". */
export function wishesInWords(text: string, wishes: readonly Wish[]): string {
  return wishes
    .filter((wish) => wish.label && labelOf(wish) !== wish.label)
    .sort((a, b) => b.label!.length - a.label!.length) // "like #1 of turn 12" before "like #1 of turn 1"
    .reduce((told, wish) => told.replaceAll(wish.label!, labelOf(wish)), text);
}
