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

/** Which edges a pointer has taken hold of; all four move the box. */
export type Hold = readonly (keyof Region)[];

const ALL: Hold = ["x1", "y1", "x2", "y2"];
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
