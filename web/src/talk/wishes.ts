/** What a wish is called where it is shown. */
import type { Wish } from "../api/types";
import { inWords } from "../shell/filters";

export function labelOf(wish: Wish): string {
  return wish.kind === "filter" ? inWords(wish.text) : wish.label || wish.text;
}
