/** How many pictures the first row has: what "the third in the second row" is counted by. */
import { signal } from "@preact/signals";

export const columns = signal(4);
