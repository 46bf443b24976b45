/** Small words: counts, times, sizes. */

/** The reader's own way to write numbers and dates; the words are English. */
const LOCALE = typeof navigator === "undefined" ? "en-GB" : navigator.language;
// Years and numbers of articles have four digits and no separator: only longer numbers are grouped.
const number = new Intl.NumberFormat(LOCALE, { useGrouping: "min2" });
const counted = new Intl.NumberFormat(LOCALE);
/** Dates are written as the answers write them: "15 December 2025". */
const DATES = "en-GB";
const day = new Intl.DateTimeFormat(DATES, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
const moment = new Intl.DateTimeFormat(DATES, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

/** A number of things: grouped, however few digits it has. */
export function amount(value: number): string {
  return counted.format(value);
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${amount(value)} ${value === 1 ? one : many}`;
}

/** "2019-06" is "June 2019". */
export function month(text: string): string {
  const when = Date.parse(`${text}-01T00:00:00Z`);
  if (Number.isNaN(when)) return text;
  return new Intl.DateTimeFormat(DATES, { month: "long", year: "numeric", timeZone: "UTC" }).format(when);
}

/** A price with its currency, where the catalogue has one. */
export function price(value: number, currency = "", digits = Number.isInteger(value) ? 0 : 2): string {
  const plain = { minimumFractionDigits: digits, maximumFractionDigits: 2 };
  try {
    if (currency) return new Intl.NumberFormat(LOCALE, { style: "currency", currency, ...plain }).format(value);
  } catch {
    return `${new Intl.NumberFormat(LOCALE, plain).format(value)} ${currency}`; // no code, but a name
  }
  return new Intl.NumberFormat(LOCALE, plain).format(value);
}

/** Prices beside each other: all with decimals, or none. */
export function prices(values: readonly string[], currency = ""): string[] {
  const numbers = values.map((value) => (value.trim() === "" ? NaN : Number(value)));
  const digits = numbers.some((one) => !Number.isNaN(one) && !Number.isInteger(one)) ? 2 : 0;
  return numbers.map((one, at) => (Number.isNaN(one) ? values[at]! : price(one, currency, digits)));
}

/** "just now", "4 minutes ago", "yesterday", "12 March". */
export function ago(date: string | null | undefined, now = Date.now()): string {
  const then = date ? Date.parse(date) : NaN;
  if (Number.isNaN(then)) return "";
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${count(minutes, "minute")} ago`;
  if (minutes < 24 * 60) return `${count(Math.floor(minutes / 60), "hour")} ago`;
  if (minutes < 48 * 60) return "yesterday";
  return new Intl.DateTimeFormat(DATES, { day: "numeric", month: "long" }).format(then);
}

/** "about 3 minutes left". */
export function left(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "";
  if (seconds < 5) return "a moment left";
  if (seconds < 90) return `about ${Math.round(seconds / 5) * 5} seconds left`;
  return `about ${count(Math.round(seconds / 60), "minute")} left`;
}

/** How far indexing is: "120 of 400 pictures · about 2 minutes left". */
export function progressInWords(now: {
  done: number;
  total?: number | null;
  left_seconds?: number | null;
  failed: number;
}): string {
  const parts = [
    now.total ? `${amount(now.done)} of ${count(now.total, "picture")}` : count(now.done, "picture"),
    left(now.left_seconds),
    now.failed ? `${amount(now.failed)} unreadable` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}

/** An attribute's value as a person reads it. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(", ");
  if (typeof value === "number") return number.format(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null || value === undefined) return "";
  if (typeof value === "string" && DATE.test(value)) return dated(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/;

/** "2011-11-17T12:33:37" is "17 November 2011 at 12:33": a camera's clock knows no time zone. */
function dated(text: string): string {
  const when = Date.parse(`${text.replace(" ", "T")}${text.length > 10 ? "Z" : ""}`);
  if (Number.isNaN(when)) return text;
  return (text.length > 10 ? moment : day).format(when);
}

/** Days as a person says them: "2020-01-01 to 2020-12-31" is "in 2020", the days of a month are that month. */
export function days(text: string): string {
  const [, first = "", last = ""] = /^(\d{4}-\d{2}-\d{2}) to (\d{4}-\d{2}-\d{2})$/.exec(text) ?? [];
  if (!first) return text.replace(/\d{4}-\d{2}-\d{2}/g, dated);
  const [year, ends] = [first.slice(0, 4), new Date(Date.UTC(Number(last.slice(0, 4)), Number(last.slice(5, 7)), 0))];
  if (first === `${year}-01-01` && last === `${year}-12-31`) return `in ${year}`;
  const whole = first.endsWith("-01") && last === ends.toISOString().slice(0, 10);
  if (whole && first.slice(0, 7) === last.slice(0, 7)) return `in ${month(first.slice(0, 7))}`;
  return whole
    ? `from ${month(first.slice(0, 7))} to ${month(last.slice(0, 7))}`
    : `from ${dated(first)} to ${dated(last)}`;
}

/** An order as a person says it: "taken", descending, is "newest first". */
export function orderInWords(attribute: string, ascending: boolean): string {
  if (attribute === "taken" || attribute === "year") return ascending ? "oldest first" : "newest first";
  return `${attributeName(attribute)}, ${ascending ? "low" : "high"} first`;
}

/** With a full stop, unless it ends already. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** An attribute's name as a person reads it: "articleType" and "article_type" are "article type". */
export function attributeName(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replaceAll("_", " ")
    .trim();
}
