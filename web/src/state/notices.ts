/** Short notices at the edge of the window, and what a screen reader is told. */
import { signal } from "@preact/signals";
import { ApiError } from "../api/client";

export interface Notice {
  id: number;
  text: string;
  remedy: string;
  kind: "said" | "error";
  action?: { label: string; run: () => void };
}

export const notices = signal<Notice[]>([]);
/** The live region's text: what just changed, for those who do not see it change. */
export const announced = signal("");

/** The modals that are open, the topmost last: what lies outside it can be neither read nor pressed. */
export const layers = signal<readonly symbol[]>([]);

let next = 1;

export function notice(text: string, extra: Partial<Omit<Notice, "id" | "text">> = {}): number {
  const id = next++;
  notices.value = [...notices.value.slice(-3), { id, text, remedy: "", kind: "said", ...extra }];
  setTimeout(() => dismiss(id), extra.action || extra.kind === "error" ? 9000 : 4500);
  return id;
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((one) => one.id !== id);
}

/** Tells of an error in its own words; gives up silently on requests that were called off. */
export function tell(error: unknown, action?: Notice["action"]): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  const known = error instanceof ApiError ? error : null;
  notice(known?.message ?? "Something went wrong in this page.", {
    kind: "error",
    remedy: known?.remedy ?? "",
    ...(action ? { action } : {}),
  });
  if (!known) console.error(error);
}

export function announce(text: string): void {
  announced.value = text;
}
