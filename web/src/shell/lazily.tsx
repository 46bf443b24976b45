/** Parts of the page that are loaded when they are first shown, so that the first pictures need not wait for them. */
import { signal } from "@preact/signals";
import type { ComponentType, FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { notice } from "../state/notices";

/** A component that loads itself; `ahead` fetches it before anybody asks for it. */
export function lazily<P extends object>(
  load: () => Promise<ComponentType<P>>,
): FunctionComponent<P> & { ahead: () => void } {
  const ready = signal<ComponentType<P> | null>(null);
  let asked = false;
  const ahead = (): void => {
    if (asked) return;
    asked = true;
    load()
      .then((part) => {
        ready.value = part;
      })
      .catch(() => {
        asked = false;
        // A newer version of the page may be there by now.
        notice("This part of the page could not be loaded.", {
          kind: "error",
          action: { label: "Load the page again", run: () => location.reload() },
        });
      });
  };
  const Shown = (props: P) => {
    useEffect(ahead, []);
    const Part = ready.value;
    return Part ? <Part {...props} /> : null;
  };
  return Object.assign(Shown, { ahead });
}

/** Runs something when nothing else is to be done. */
export function whenIdle(run: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: 4000 });
  else setTimeout(run, 1500);
}
