/** The wall with the edits of this conversation: what was edited is shown, opened, downloaded and edited further. */
import { computed } from "@preact/signals";
import { versionsOf, withVersions } from "../picture/versions";
import { turns } from "./talk";
import { source, tiles } from "./wall";

export const versions = computed(() => versionsOf(turns.value));
export const seen = computed(() => withVersions(tiles.value, versions.value));

/** The picture that stands for this one now: its latest version, or itself. */
export function seenAs(id: string): string {
  return versions.value.get(id)?.picture ?? id;
}

/** As many pictures as a message tells of: people count no further. */
const COUNTED = 200;

/** The pictures that hang instead of the results of the last turn: "the second one" is one of these. */
export function seenInstead(): { shown?: string[] } {
  if (source.value.kind !== "browse" && source.value.kind !== "list") return {};
  return { shown: seen.value.slice(0, COUNTED).map((one) => one.version ?? one.id) };
}
