/** What an edit that is tried would touch: shown over the picture, and corrected by clicks and a brush. */
import { batch, computed, signal } from "@preact/signals";
import { ApiError, send } from "../api/client";
import type { Mask } from "../api/types";
import { notice } from "../state/notices";
import { collection } from "../state/talk";
import type { Place } from "./box";
import type { Draft } from "./commands";
import { fromNothing, hasRoom, isSelection, markOf, splitMarks, withMarks } from "./marks";

/** The size of a mask's longer side: that of a preview. */
const SIZE = 1024;

export type Tool = "click" | "brush";

/** The step whose mask is shown; null where none is. */
export const masking = signal<{ picture: string; operation: string } | null>(null);
export const mask = signal<Mask | null>(null);
export const finding = signal(false);
export const maskError = signal("");
export const tool = signal<Tool>("click");
export const adds = signal(true);
/** Half the width of the brush, in parts of the picture's longer side. */
export const radius = signal(0.03);
/** Whether the next stroke begins from nothing instead of from what was found. */
export const fresh = signal(false);
/** Where the mask can be used as an image. */
export const maskAddress = computed(() => (mask.value ? `data:image/png;base64,${mask.value.mask}` : null));

let request: AbortController | null = null;

export function openMask(picture: string, draft: Draft): void {
  batch(() => {
    masking.value = { picture, operation: draft.operation };
    mask.value = null;
    maskError.value = "";
    fresh.value = isSelection(draft.command) && splitMarks(draft.command).marks.length === 0;
    adds.value = true;
  });
}

export function closeMask(): void {
  request?.abort();
  batch(() => {
    masking.value = null;
    mask.value = null;
    finding.value = false;
    fresh.value = false;
    maskError.value = "";
  });
}

/** Asks what the last of some commands would touch. */
export async function findMask(picture: string, commands: string[]): Promise<void> {
  request?.abort();
  const mine = (request = new AbortController());
  finding.value = true;
  maskError.value = "";
  const path = `/collections/${encodeURIComponent(collection.value ?? "")}/pictures/${encodeURIComponent(picture)}/mask`;
  try {
    const found = await send<Mask>("POST", path, { commands, size: SIZE }, mine.signal);
    if (!mine.signal.aborted) mask.value = found;
  } catch (error) {
    if (!mine.signal.aborted)
      maskError.value = error instanceof ApiError ? `${error.message} ${error.remedy}`.trim() : "It cannot be shown.";
  } finally {
    if (!mine.signal.aborted) finding.value = false;
  }
}

/** The command with one more click or stroke; null where it cannot take more. */
export function marked(command: string, points: readonly Place[]): string | null {
  const mark = markOf(points, tool.value === "brush" ? radius.value : null, adds.value);
  if (!hasRoom(command, mark)) {
    notice("So many strokes do not fit into one edit. Keep it, then go on with another.");
    return null;
  }
  if (!fresh.value) return withMarks(command, [...splitMarks(command).marks, mark]);
  fresh.value = false;
  return fromNothing(command, mark);
}
