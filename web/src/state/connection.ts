/** Notices when the server is away, keeps knocking, and tells everyone when it is back. */
import { signal } from "@preact/signals";
import { BASE } from "../api/client";

export const online = signal(true);
/** How often the server came back: pictures that failed meanwhile are tried again. */
export const comebacks = signal(0);

const SOONEST = 500;
const LATEST = 5000;
let returning: Promise<void> | null = null;

/** Resolves when the server answers again. Many may wait; only one knocks. */
export function untilBack(): Promise<void> {
  online.value = false;
  returning ??= knock().finally(() => {
    returning = null;
    online.value = true;
    comebacks.value++;
  });
  return returning;
}

/** Whether the server answers, asked after something could not be had from it. */
export async function isThere(): Promise<boolean> {
  try {
    if (online.value && (await fetch(`${BASE}/health`, { cache: "no-store" })).ok) return true;
  } catch {
    // away
  }
  void untilBack();
  return false;
}

async function knock(): Promise<void> {
  for (let pause = SOONEST; ; pause = Math.min(LATEST, pause * 1.5)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      if ((await fetch(`${BASE}/health`, { cache: "no-store" })).ok) return;
    } catch {
      // still away
    }
  }
}
