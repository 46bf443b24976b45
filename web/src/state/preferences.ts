/** What a person set for this browser: theme, size of the pictures on the wall, retriever, whether commands are shown. */
import { effect, signal } from "@preact/signals";

function stored(key: string): string | null {
  try {
    return localStorage.getItem(`visavis.${key}`);
  } catch {
    return null;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(`visavis.${key}`, value);
  } catch {
    // a browser that keeps nothing still works
  }
}

/** Whether the commands that a message was understood as are shown as such, for those who want them. */
export const showCommands = signal(stored("commands") === "yes");

/** Whether the drawer of filters is open; on a phone it covers the pictures, so it begins closed. */
export const filtersOpen = signal(stored("filters") === "yes" && (globalThis.innerWidth ?? 0) > 820);

export type Theme = "system" | "light" | "dark";

export const theme = signal<Theme>((stored("theme") as Theme | null) ?? "system");
/** The retriever of the next new conversation; empty where nobody chose. A conversation that has begun keeps its own. */
export const retriever = signal("");
/** The chosen height of the wall's rows; 0 where nobody chose. */
export const rowHeight = signal(Number(stored("row")) || 0);

/** Without a choice of one's own a phone gets smaller pictures than a desk, unless a title has to be read below them. */
export function wantedRowHeight(width: number, titled = false): number {
  if (rowHeight.value) return Math.min(rowHeight.value, width * 0.9);
  if (width < 600 && titled) return 210;
  return width < 600 ? 132 : width < 1400 ? 196 : 232;
}

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

export function nextTheme(): void {
  theme.value = NEXT[theme.value];
}

effect(() => {
  store("theme", theme.value);
  // The server reads it too, so that the page never flashes in the other theme.
  const age = theme.value === "system" ? 0 : 31_536_000;
  document.cookie = `visavis-theme=${theme.value}; path=/; max-age=${age}; SameSite=Strict`;
  if (theme.value === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme.value;
});

effect(() => {
  store("commands", showCommands.value ? "yes" : "");
});

effect(() => {
  if (rowHeight.value) store("row", String(rowHeight.value));
});

effect(() => {
  store("filters", filtersOpen.value ? "yes" : "");
});
