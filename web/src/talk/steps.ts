/** Turns that only move where the conversation stands. Pure. */
import type { Turn } from "../api/types";

const STEP = /^(undo|redo|rollback)\b/;
const STEP_MESSAGE = /^(undo|redo|back to turn \d+)?$/;
/** How a reply begins that tells where a step led to; one that led nowhere says why. */
const STEPPED = /^(Undone|Redone|Back to)\b/;

/** Whether a turn only moved where the conversation stands: "back", "undo". It has no place of its own in the story. */
export function isStep(turn: Turn): boolean {
  const moved = STEP_MESSAGE.test(turn.message) || STEPPED.test(turn.reply);
  return turn.commands.length > 0 && turn.commands.every((one) => STEP.test(one)) && moved;
}
