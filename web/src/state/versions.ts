/** The wall with the edits of this conversation: what was edited is shown, opened, downloaded and edited further. */
import { computed } from "@preact/signals";
import { versionsOf, withVersions } from "../picture/versions";
import { turns } from "./talk";
import { tiles } from "./wall";

export const versions = computed(() => versionsOf(turns.value));
export const seen = computed(() => withVersions(tiles.value, versions.value));

/** The picture that stands for this one now: its latest version, or itself. */
export function seenAs(id: string): string {
  return versions.value.get(id)?.picture ?? id;
}
