/** The three things that a click on a picture can mean, wherever it is clicked. */
import type { Point, Turn } from "../api/types";
import type { IconName } from "../shell/Icon";
import { point } from "../state/talk";

export type Pointing = "like" | "unlike" | "from";

export const POINTINGS: Record<Pointing, { key: string; icon: IconName; label: string; at: (id: string) => Point }> = {
  like: { key: "l", icon: "similar", label: "More like this", at: (id) => ({ more_like: id }) },
  unlike: { key: "x", icon: "unlike", label: "Not like this", at: (id) => ({ less_like: id }) },
  from: { key: "s", icon: "from", label: "Start from this", at: (id) => ({ start_from: id }) },
};

export function pointAt(id: string, as: Pointing): Promise<Turn | undefined> {
  return point(POINTINGS[as].at(id), `${POINTINGS[as].label} one`);
}

/** What a key means on a picture. */
export function pointingOf(key: string): Pointing | undefined {
  return (Object.keys(POINTINGS) as Pointing[]).find((name) => POINTINGS[name].key === key);
}
