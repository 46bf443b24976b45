/** Edits that were copied from one picture, to be put on others. */
import { signal } from "@preact/signals";
import type { Turn } from "../api/types";
import { notice } from "../state/notices";
import { edit, offerUndo } from "../state/talk";
import { count } from "../text/words";
import { editsInWords } from "./presets";
import { transferable } from "./steps";

export const copiedEdits = signal<readonly string[]>([]);

export function copyEdits(commands: readonly string[]): void {
  const kept = transferable(commands);
  copiedEdits.value = kept;
  const told = kept.length
    ? `Copied: ${editsInWords(kept).join(", ")}.`
    : "There is nothing here that fits other pictures.";
  notice(kept.length && kept.length < commands.length ? `${told} The crop stays behind.` : told);
}

/** Puts edits on several pictures, one after the other; a notice takes all of them back. */
export async function pasteEdits(ids: readonly string[], commands: readonly string[]): Promise<void> {
  const made: Turn[] = [];
  for (const id of ids) {
    const turn = await edit(id, [...commands]);
    if (!turn) break;
    made.push(turn);
  }
  if (made.length === 0) return;
  offerUndo(`${editsInWords(commands).join(", ")}: ${count(made.length, "picture")} edited.`, made);
}
