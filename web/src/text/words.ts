/** Small words: counts, times, sizes. */

const number = new Intl.NumberFormat("en-GB");

export function count(value: number, one: string, many = `${one}s`): string {
  return `${number.format(value)} ${value === 1 ? one : many}`;
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
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" }).format(then);
}

/** "about 3 minutes left". */
export function left(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "";
  if (seconds < 5) return "a moment left";
  if (seconds < 90) return `about ${Math.round(seconds / 5) * 5} seconds left`;
  return `about ${count(Math.round(seconds / 60), "minute")} left`;
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
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
