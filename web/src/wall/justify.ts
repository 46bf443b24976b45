/** Rows of pictures that fill the width exactly, like lines of justified text. Pure: sizes in, boxes out. */

export interface Size {
  width: number;
  height: number;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  row: number;
}

export interface Layout {
  boxes: Box[];
  /** For each row, its first box's index and its top edge. */
  rows: { first: number; y: number; height: number }[];
  height: number;
}

export interface Shape {
  width: number;
  rowHeight: number;
  gap: number;
}

/** Panoramas and strips are shown cropped beyond these, so that one picture cannot take a whole screen. */
const NARROWEST = 0.45;
const WIDEST = 2.6;

export function aspect(size: Size): number {
  const ratio = size.width > 0 && size.height > 0 ? size.width / size.height : 1;
  return Math.min(WIDEST, Math.max(NARROWEST, ratio));
}

/** Lays pictures out in rows of about `rowHeight`; the last row keeps that height and may stay open. */
export function justify(sizes: readonly Size[], shape: Shape): Layout {
  const layout: Layout = { boxes: [], rows: [], height: 0 };
  if (shape.width <= 0) return layout;
  let first = 0;
  let ratios = 0;
  for (let i = 0; i < sizes.length; i++) {
    const ratio = aspect(sizes[i]!);
    const count = i - first;
    const before = count > 0 ? rowHeight(ratios, count, shape) : Infinity;
    const after = rowHeight(ratios + ratio, count + 1, shape);
    // The break that brings the row nearer to the wanted height is the better one.
    if (count > 0 && after < shape.rowHeight && before - shape.rowHeight < shape.rowHeight - after) {
      place(layout, sizes, first, i, before, shape);
      first = i;
      ratios = ratio;
    } else ratios += ratio;
  }
  const count = sizes.length - first;
  if (count > 0) {
    const filled = rowHeight(ratios, count, shape);
    place(layout, sizes, first, sizes.length, Math.min(filled, shape.rowHeight), shape, filled > shape.rowHeight);
  }
  return layout;
}

function rowHeight(ratios: number, count: number, shape: Shape): number {
  return (shape.width - (count - 1) * shape.gap) / ratios;
}

function place(
  layout: Layout,
  sizes: readonly Size[],
  from: number,
  to: number,
  height: number,
  shape: Shape,
  open = false,
): void {
  const row = layout.rows.length;
  const y = layout.height === 0 ? 0 : layout.height + shape.gap;
  let x = 0;
  for (let i = from; i < to; i++) {
    const last = i === to - 1 && !open;
    const width = last ? shape.width - x : Math.round(aspect(sizes[i]!) * height);
    layout.boxes.push({ x, y, width, height: Math.round(height), row });
    x += width + shape.gap;
  }
  layout.rows.push({ first: from, y, height: Math.round(height) });
  layout.height = y + Math.round(height);
}

/** The boxes that lie between two heights: `[first, last)`. */
export function visible(layout: Layout, top: number, bottom: number): [number, number] {
  const rows = layout.rows;
  const from = search(rows.length, (i) => rows[i]!.y + rows[i]!.height >= top);
  const to = search(rows.length, (i) => rows[i]!.y > bottom);
  if (from >= to) return [0, 0];
  return [rows[from]!.first, rows[to]?.first ?? layout.boxes.length];
}

/** The first index for which the condition holds; it must hold for all that follow. */
function search(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export type Direction = "left" | "right" | "up" | "down" | "first" | "last";

/** Where an arrow key leads from a box; up and down go to the box that is nearest below or above. */
export function neighbour(layout: Layout, index: number, direction: Direction): number {
  const last = layout.boxes.length - 1;
  const box = layout.boxes[index];
  if (!box) return Math.max(0, Math.min(index, last));
  if (direction === "left") return Math.max(0, index - 1);
  if (direction === "right") return Math.min(last, index + 1);
  if (direction === "first") return 0;
  if (direction === "last") return last;
  const row = box.row + (direction === "down" ? 1 : -1);
  if (!layout.rows[row]) return index;
  const from = layout.rows[row].first;
  const to = layout.rows[row + 1]?.first ?? layout.boxes.length;
  const middle = box.x + box.width / 2;
  let best = from;
  for (let i = from; i < to; i++)
    if (distance(layout.boxes[i]!, middle) < distance(layout.boxes[best]!, middle)) best = i;
  return best;
}

function distance(box: Box, x: number): number {
  return Math.abs(box.x + box.width / 2 - x);
}
