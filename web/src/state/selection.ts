/** Pictures that are selected on the wall, to do something with all of them. */
import { computed, signal } from "@preact/signals";

export const selected = signal<ReadonlySet<string>>(new Set());
/** Whether a click selects instead of opening. */
export const selecting = signal(false);
export const isSelecting = computed(() => selecting.value || selected.value.size > 0);

let last: string | null = null;

/** Selects a picture or lets it go; with `range` everything from the one before to it, in the order of the wall. */
export function toggleSelected(id: string, range = false, order: readonly { id: string }[] = []): void {
  const next = new Set(selected.value);
  const from = range && last ? order.findIndex((one) => one.id === last) : -1;
  const to = order.findIndex((one) => one.id === id);
  if (from >= 0 && to >= 0) for (const one of order.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one.id);
  else if (!next.delete(id)) next.add(id);
  last = id;
  selected.value = next;
}

export function clearSelection(): void {
  last = null;
  selecting.value = false;
  selected.value = new Set();
}
