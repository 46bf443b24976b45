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
  headings: { label: string; y: number }[];
  height: number;
}

export interface Shape {
  width: number;
  rowHeight: number;
  gap: number;
  /** Room below each picture, for what is written there. */
  foot?: number;
}

/** Where a part of the pictures begins that has a heading. */
export interface Break {
  index: number;
  label: string;
}

/** The height of a heading. */
export const HEADING = 40;

/** Panoramas and strips are shown cropped beyond these, so that one picture cannot take a whole screen. */
const NARROWEST = 0.45;
const WIDEST = 2.6;

/** How much a row may differ from the wanted height for the next one to follow it. */
const ALIKE = 0.15;

export function aspect(size: Size): number {
  const ratio = size.width > 0 && size.height > 0 ? size.width / size.height : 1;
  return Math.min(WIDEST, Math.max(NARROWEST, ratio));
}

/** Lays pictures out in rows of about `rowHeight`; the last row keeps that height and may stay open. */
export function justify(sizes: readonly Size[], shape: Shape, breaks: readonly Break[] = []): Layout {
  const layout: Layout = { boxes: [], rows: [], headings: [], height: 0 };
  if (shape.width <= 0) return layout;
  const starts = breaks.filter((one) => one.index < sizes.length);
  if (starts[0]?.index !== 0) fill(layout, sizes, 0, starts[0]?.index ?? sizes.length, shape);
  starts.forEach(({ index, label }, i) => {
    const y = layout.height === 0 ? 0 : layout.height + shape.gap;
    layout.headings.push({ label, y });
    layout.height = y + HEADING - shape.gap;
    fill(layout, sizes, index, starts[i + 1]?.index ?? sizes.length, shape);
  });
  return layout;
}

/** The rows of one part. */
function fill(layout: Layout, sizes: readonly Size[], from: number, to: number, shape: Shape): void {
  let first = from;
  let ratios = 0;
  for (let i = from; i < to; i++) {
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
  const count = to - first;
  if (count <= 0) return;
  const filled = rowHeight(ratios, count, shape);
  // A row that stays open is as high as the one above it, so that pictures of one shape are of one size.
  const above = first > from ? layout.rows.at(-1)!.height - (shape.foot ?? 0) : shape.rowHeight;
  const wanted = Math.abs(above - shape.rowHeight) < ALIKE * shape.rowHeight ? above : shape.rowHeight;
  place(layout, sizes, first, to, Math.min(filled, wanted), shape, filled > wanted);
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
  const whole = Math.round(height) + (shape.foot ?? 0);
  layout.rows.push({ first: from, y, height: whole });
  layout.height = y + whole;
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
