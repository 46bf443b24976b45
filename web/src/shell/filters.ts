/** Conditions on attributes, in the text form of the server's `filter` command, and back. */
import { signal } from "@preact/signals";
import type { Wish } from "../api/types";
import { attributeName, days } from "../text/words";

/** The field, as a person reads it, that the drawer is opened for; empty for all of them. */
export const facetWanted = signal("");

/** Plain words stand alone, anything else in quotation marks: as the grammar writes them itself. */
export function quoted(value: string): string {
  return /^[\p{L}][\p{L}\p{N}_-]*$/u.test(value) && !["and", "or", "not"].includes(value)
    ? value
    : JSON.stringify(value);
}

export function choiceFilter(field: string, values: readonly string[]): string {
  return `filter ${quoted(field)} = ${values.map(quoted).join(" | ")}`;
}

export function rangeFilters(field: string, low: number | null, high: number | null): string[] {
  const commands: string[] = [];
  if (low !== null) commands.push(`filter ${quoted(field)} >= ${low}`);
  if (high !== null) commands.push(`filter ${quoted(field)} <= ${high}`);
  return commands;
}

/** The bounds that the brief sets for a number now. */
export function rangeOf(wishes: readonly Wish[], field: string): { low: number | null; high: number | null } {
  const range: { low: number | null; high: number | null } = { low: null, high: null };
  for (const { text } of filterOn(wishes, field)) {
    const [, sign = "", value = ""] = /(<=|>=|<|>)\s*(-?[\d.]+)$/.exec(text) ?? [];
    if (sign.startsWith("<")) range.high = Number(value);
    else if (sign) range.low = Number(value);
  }
  return range;
}

/** Longer lists of values are folded. */
const FOLDED = 8;

/** What a drawer lists of values in their order: what is left here; unfolded, what is not left comes after it. */
export function listed<Value extends { value: string; count: number }>(
  values: readonly Value[],
  chosen: readonly string[],
  unfolded: boolean,
): Value[] {
  const left = values.filter(({ count }) => count > 0);
  if (unfolded) return [...left, ...values.filter(({ count }) => count === 0)];
  const first = new Set(left.slice(0, FOLDED));
  return values.filter((one) => first.has(one) || chosen.includes(one.value));
}

/** The values that the brief asks of a field now: `colour = red | "dark blue"` has two. */
export function chosen(wishes: readonly Wish[], field: string): string[] {
  const wish = filterOn(wishes, field).find((one) => /^\S+\s*=/.test(one.text) || one.text.includes(" = "));
  if (!wish) return [];
  const right = wish.text.slice(wish.text.indexOf("=") + 1).trim();
  return right.split(/\s*\|\s*/).map((part) => (part.startsWith('"') ? unquoted(part) : part));
}

function unquoted(part: string): string {
  try {
    return String(JSON.parse(part));
  } catch {
    return part;
  }
}

/** The filters of the brief that are about a field and count. */
export function filterOn(wishes: readonly Wish[], field: string): Wish[] {
  return wishes.filter((wish) => wish.kind === "filter" && wish.active && wish.attribute === field);
}

const SIGNS: Record<string, string> = {
  "|": " or ",
  ">=": " from ",
  "<=": " up to ",
  "<": " under ",
  ">": " over ",
  "!=": ": not ",
  "=": ": ",
};

/** Amounts of money with both of their digits: 151.1 is 151.10. */
export function inCents(text: string): string {
  return text.replace(/(?<![\d.])\d+\.\d(?![\d%])/g, "$&0");
}

/** A condition as a person reads it: `colour = red | "dark blue"` is "colour: red or dark blue". */
export function inWords(condition: string): string {
  const [, field = ""] = /^(\w+) (?:=|!=|<=|>=|<|>) /.exec(condition) ?? [];
  const time = /^taken (!?)= "?([^"]*\d{4}-\d{2}-\d{2})"?$/.exec(condition);
  if (time) return `${time[1] ? "not " : ""}taken ${days(time[2]!)}`;
  const cost = field.toLowerCase() === "price";
  const named = field ? attributeName(field) + condition.slice(field.length) : condition;
  const plain = cost ? inCents(named).replace(/#(\d+)/, "that of picture $1") : named;
  return plain.replace(/"(?:[^"\\]|\\.)*"| (\||>=|<=|<|>|!=|=) /g, (whole, sign?: string) =>
    sign ? SIGNS[sign]! : unquoted(whole),
  );
}
