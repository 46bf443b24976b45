/** A conversation comes in parts: its latest turns first, earlier ones when they are asked for. Pure. */
import type { Conversation, Turn } from "../api/types";

/** The conversation with one more turn, or with a turn that came again. */
export function withTurn(now: Conversation, turn: Turn): Conversation {
  const turns = [...now.turns.filter((one) => one.number !== turn.number), turn];
  return { ...now, turns, title: now.title || turn.message, total: Math.max(now.total, turn.number) };
}

/** The conversation with an earlier part before those turns that are there. */
export function withEarlier(now: Conversation, found: Conversation): Conversation {
  const first = now.turns[0]?.number ?? Infinity;
  return { ...now, turns: [...found.turns.filter((one) => one.number < first), ...now.turns] };
}

/** How many turns lie before those that are shown. */
export function earlier(now: Conversation): number {
  return Math.max(0, (now.turns[0]?.number ?? 1) - 1);
}
