/** What can be tapped where an answer could not be acted on. Pure. */
import type { Turn } from "../api/types";
import { hasMask } from "../picture/marks";

export type Way = { label: string } & (
  { to: "filter"; field: string } | { to: "picture"; id: string } | { to: "mark"; id: string; command: string }
);

/** As many attributes as are offered one by one. */
const MOST = 4;

/** The ways on from the last turn; none where it says all there is to do. */
export function waysOn(turns: readonly Turn[]): Way[] {
  const turn = turns.at(-1);
  if (!turn || turn.question) return [];
  const id = turn.hand?.picture ?? turn.results[0]?.id;
  const ways: Way[] = [];
  const refused = turns.at(-2)?.pending?.find(hasMask);
  if (/^All right, I leave it as it is/.test(turn.reply) && id && refused)
    ways.push({ label: "Mark it myself", to: "mark", id, command: refused });
  if (/do not tell (?:their|when)\b/.test(turn.reply)) {
    const [, told = ""] = /They tell their ([^.]+)\./.exec(turn.reply) ?? [];
    const fields = told.split(/, | and /).filter(Boolean);
    ways.push(...fields.slice(0, MOST).map((field): Way => ({ label: field, to: "filter", field })));
    ways.push({ label: fields.length ? "All filters" : "Filters", to: "filter", field: "" });
  }
  const untold = /I cannot tell that|I do not know|is not told here|is not known here|^All right, I leave it/;
  if (id && untold.test(turn.reply)) ways.push({ label: "Open the picture", to: "picture", id });
  return ways;
}
