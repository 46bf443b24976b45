/** A message that was sent and not answered yet survives a reload and a restart of the server. */

export interface Waiting {
  conversation: string;
  text: string;
  /** How many turns there were before: one more means that it was answered after all. */
  turns: number;
  at: number;
}

const KEY = "visavis.waiting";
/** After this long nobody is waiting any more. */
const PATIENCE = 10 * 60 * 1000;

export function remember(waiting: Waiting, storage: Storage = sessionStorage): void {
  try {
    storage.setItem(KEY, JSON.stringify(waiting));
  } catch {
    // without storage a reload forgets the message; the conversation itself is the server's
  }
}

export function forget(storage: Storage = sessionStorage): void {
  try {
    storage.removeItem(KEY);
  } catch {
    // see above
  }
}

export function recall(conversation: string, storage: Storage = sessionStorage, now = Date.now()): Waiting | null {
  try {
    const waiting = JSON.parse(storage.getItem(KEY) ?? "null") as Waiting | null;
    if (!waiting || waiting.conversation !== conversation || now - waiting.at > PATIENCE) return null;
    return waiting;
  } catch {
    return null;
  }
}
