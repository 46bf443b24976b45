/** What a comparison of pictures tells, in a person's words. Pure. */
import type { Comparison, Result } from "../api/types";
import { attributeName, prices, shown } from "../text/words";

export interface Row {
  name: string;
  values: string[];
}

/** What is seen in one picture and not in the others. */
const ONLY_HERE = "seen only here";

/** The rows that people read: a place tells more than its numbers, and a shop's words are titles. */
export function rowsOf(comparison: Comparison, results: readonly Result[]): Row[] {
  const { pictures, rows } = comparison;
  const known = pictures.map((id) => results.find((one) => one.id === id));
  const isShop = rows.some((row) => row.name === "price") || known.some((one) => one?.price != null);
  const hasPlace = rows.some((row) => row.name === "place");
  return rows
    .filter((row) => !(hasPlace && /^(latitude|longitude)$/.test(row.name)))
    .map(({ name, values }) => {
      if (name === "price") return { name, values: prices(values, known.find((one) => one?.currency)?.currency) };
      const called = name === "caption" && isShop ? "title" : attributeName(name);
      return { name: called, values: values.map(shown) };
    });
}

/** For each picture, the things that are seen in it alone: "a red bag (82%)" is "a red bag". */
export function seenOnlyIn(comparison: Comparison): string[][] {
  const row = comparison.rows.find((one) => one.name === ONLY_HERE);
  return comparison.pictures.map((_, at) =>
    (row?.values[at] ?? "")
      .split(", ")
      .map((one) => one.replace(/ \(\d+%\)$/, ""))
      .filter((one) => one && one !== "–"),
  );
}
