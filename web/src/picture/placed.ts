/** The box that is placed on the picture in large: one that took care is not lost by a key or a click. */
import { signal } from "@preact/signals";
import { notice } from "../state/notices";
import { route, showPicture } from "../state/router";
import type { Region } from "./box";
import { editing } from "./editing";

/** The box that a key or a button begins with: nobody has placed it yet. */
export const START_BOX: Region = { x1: 0.25, y1: 0.25, x2: 0.75, y2: 0.75 };

export const box = signal<Region | null>(null);
let wanted: { picture: string; region: Region; edits: boolean } | null = null;

/** The box that a picture opens with: the one that was brought back to it. */
export function beginBox(picture: string): void {
  const back = wanted?.picture === picture ? wanted : null;
  box.value = back?.region ?? null;
  if (back?.edits) editing.value = true; // Enter does there what it did before
  wanted = null;
}

/** Takes the box away. Nothing was done with it, and a tap brings it back. */
export function dropBox(picture: string): void {
  const region = box.value;
  const edits = editing.value;
  box.value = null;
  if (!region || region === START_BOX) return;
  const bringBack = (): void => {
    const now = route.value;
    if (now.page === "talk" && now.picture === picture) box.value = region;
    else {
      wanted = { picture, region, edits };
      showPicture(picture);
    }
  };
  notice("The box is gone, and nothing was cropped.", { action: { label: "Bring it back", run: bringBack } });
}
