/** A box on a picture, in parts of its sides: drawn, moved, and sized by its edges. Pure. */

export interface Region {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export interface Place {
  x: number;
  y: number;
}

const ALL: Hold = ["x1", "y1", "x2", "y2"];

/** Shapes that a box can be locked to: width by height in pixels; the one of the picture itself is "original". */
export const ASPECTS = ["free", "original", "1:1", "4:3", "3:2", "16:9", "3:4", "2:3", "9:16"] as const;
export type Aspect = (typeof ASPECTS)[number];

/** The ratio of a box's sides, in parts of the picture's sides; null where it is free. */
export function ratioOf(aspect: Aspect, size: { width: number; height: number }): number | null {
  if (aspect === "free") return null;
  if (aspect === "original") return 1;
  const [wide = 1, high = 1] = aspect.split(":").map(Number);
  return (wide / high) * (size.height / size.width);
}

/** The box in a shape: the edges that are not held stay where they are, as far as the picture goes. */
export function inShape(box: Region, ratio: number | null, hold: Hold = ALL): Region {
  if (ratio === null) return box;
  const byHeight = hold.length === 1 && hold[0]!.startsWith("y");
  const wide = byHeight ? (box.y2 - box.y1) * ratio : box.x2 - box.x1;
  const [x, roomX] = anchored(box.x1, box.x2, hold, "x1", "x2");
  const [y, roomY] = anchored(box.y1, box.y2, hold, "y1", "y2");
  const width = Math.min(wide, roomX, roomY * ratio);
  const [x1, y1] = [x(width), y(width / ratio)];
  return { x1, y1, x2: x1 + width, y2: y1 + width / ratio };
}

/** Where a side of some length begins, and how long it can be: from the end that is not held, or around its middle. */
function anchored(
  low: number,
  high: number,
  hold: Hold,
  first: keyof Region,
  second: keyof Region,
): [(length: number) => number, number] {
  const [heldLow, heldHigh] = [hold.includes(first), hold.includes(second)];
  if (heldLow && !heldHigh) return [(length) => high - length, high];
  if (heldHigh && !heldLow) return [() => low, 1 - low];
  const middle = (low + high) / 2;
  return [(length) => Math.min(1 - length, Math.max(0, middle - length / 2)), 1];
}

/** Which edges a pointer has taken hold of; all four move the box. */
export type Hold = readonly (keyof Region)[];

const SMALLEST = 0.02;

function inside(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** Two corners in any order, inside the picture. */
export function regionOf(a: Place, b: Place): Region {
  return {
    x1: inside(Math.min(a.x, b.x)),
    y1: inside(Math.min(a.y, b.y)),
    x2: inside(Math.max(a.x, b.x)),
    y2: inside(Math.max(a.y, b.y)),
  };
}

/** A box that is too small was a click. */
export function isBox(region: Region): boolean {
  return region.x2 - region.x1 > SMALLEST && region.y2 - region.y1 > SMALLEST;
}

/** What a pointer takes hold of at a place: edges within `reach`, the whole from inside, or nothing. */
export function holdOf(box: Region, at: Place, reach: Place): Hold | null {
  const near = (a: number, b: number, far: number): boolean => Math.abs(a - b) <= far;
  const within =
    at.x > box.x1 - reach.x && at.x < box.x2 + reach.x && at.y > box.y1 - reach.y && at.y < box.y2 + reach.y;
  if (!within) return null;
  const edges: (keyof Region)[] = [];
  if (near(at.x, box.x1, reach.x)) edges.push("x1");
  else if (near(at.x, box.x2, reach.x)) edges.push("x2");
  if (near(at.y, box.y1, reach.y)) edges.push("y1");
  else if (near(at.y, box.y2, reach.y)) edges.push("y2");
  return edges.length > 0 ? edges : ALL;
}

/** The box after what is held was pulled so far; it stays inside the picture, and a box. */
export function pulled(box: Region, hold: Hold, by: Place): Region {
  if (hold.length === 4) {
    const dx = Math.min(1 - box.x2, Math.max(-box.x1, by.x));
    const dy = Math.min(1 - box.y2, Math.max(-box.y1, by.y));
    return { x1: box.x1 + dx, y1: box.y1 + dy, x2: box.x2 + dx, y2: box.y2 + dy };
  }
  const next = { ...box };
  for (const edge of hold) next[edge] = box[edge] + (edge.startsWith("x") ? by.x : by.y);
  const region = regionOf({ x: next.x1, y: next.y1 }, { x: next.x2, y: next.y2 });
  return isBox(region) ? region : box;
}

const NUDGE = 0.02;

/** The box after an arrow key: moved, or sized by its far corner. */
export function nudged(box: Region, key: string, size: boolean): Region {
  const dx = key === "ArrowLeft" ? -NUDGE : key === "ArrowRight" ? NUDGE : 0;
  const dy = key === "ArrowUp" ? -NUDGE : key === "ArrowDown" ? NUDGE : 0;
  const moved = size
    ? { ...box, x2: Math.max(box.x1 + 0.04, box.x2 + dx), y2: Math.max(box.y1 + 0.04, box.y2 + dy) }
    : { x1: box.x1 + dx, y1: box.y1 + dy, x2: box.x2 + dx, y2: box.y2 + dy };
  const inside = moved.x1 >= 0 && moved.y1 >= 0 && moved.x2 <= 1 && moved.y2 <= 1;
  return inside ? moved : box;
}
