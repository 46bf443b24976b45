/** The spread of tones, from pixels. Pure. */

export type Channels = Record<"light" | "red" | "green" | "blue", number[]>;

/** For each channel, how many pixels have each tone, as a share of the most frequent; transparent ones do not count. */
export function histogramOf(pixels: Uint8ClampedArray | readonly number[], bins: number): Channels {
  const empty = (): number[] => new Array<number>(bins).fill(0);
  const counts: Channels = { light: empty(), red: empty(), green: empty(), blue: empty() };
  const bin = (value: number): number => Math.min(bins - 1, Math.floor((value / 256) * bins));
  for (let i = 0; i + 3 < pixels.length; i += 4) {
    if (pixels[i + 3] === 0) continue;
    const [red, green, blue] = [pixels[i]!, pixels[i + 1]!, pixels[i + 2]!];
    counts.red[bin(red)]!++;
    counts.green[bin(green)]!++;
    counts.blue[bin(blue)]!++;
    counts.light[bin(0.299 * red + 0.587 * green + 0.114 * blue)]!++;
  }
  // One flat colour must not press all the others to the ground: the second highest column counts, too.
  const all = Object.values(counts).flatMap((values) => [...values].sort((a, b) => b - a).slice(1, 2));
  const most = Math.max(1, ...all);
  const share = (values: number[]): number[] => values.map((value) => Math.min(1, value / most));
  return { light: share(counts.light), red: share(counts.red), green: share(counts.green), blue: share(counts.blue) };
}
