/** Places on a flat map: which part of the world to show, and which places are one dot. Pure. */
import type { Place } from "../api/types";

export interface Frame {
  west: number;
  east: number;
  south: number;
  north: number;
}

export interface Cluster {
  x: number;
  y: number;
  ids: string[];
}

export const WORLD: Frame = { west: -180, east: 180, south: -60, north: 85 };
/** No map of less than so many degrees: a street has no coast to be found by. */
const LEAST = 6;

/** The part of the world that holds these places, in the proportion of 2 to 1, with room around them. */
export function frameOf(places: readonly Place[]): Frame {
  if (places.length === 0) return WORLD;
  const wide = bounds(places.map((one) => one.longitude));
  const high = bounds(places.map((one) => one.latitude));
  const width = Math.max(wide.size * 1.25, high.size * 2.5, LEAST * 2);
  if (width >= 300) return WORLD;
  const height = width / 2;
  return {
    west: wide.middle - width / 2,
    east: wide.middle + width / 2,
    south: high.middle - height / 2,
    north: high.middle + height / 2,
  };
}

function bounds(values: readonly number[]): { middle: number; size: number } {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  return { middle: (low + high) / 2, size: high - low };
}

/** Where a place lies in a frame, from 0 to 1. */
export function project(longitude: number, latitude: number, frame: Frame): { x: number; y: number } {
  return {
    x: (longitude - frame.west) / (frame.east - frame.west),
    y: (frame.north - latitude) / (frame.north - frame.south),
  };
}

/** Places that would overlap are one dot; those outside the frame are none. `grain`: how near is too near. */
export function clusters(places: readonly Place[], frame: Frame, grain = 0.035): Cluster[] {
  const cells = new Map<string, Cluster>();
  for (const { id, longitude, latitude } of places) {
    const { x, y } = project(longitude, latitude, frame);
    if (x < 0 || x > 1 || y < 0 || y > 1) continue;
    const key = `${Math.floor(x / grain)} ${Math.floor(y / (grain * 2))}`;
    const cell = cells.get(key);
    if (!cell) cells.set(key, { x, y, ids: [id] });
    else {
      const n = cell.ids.push(id);
      cell.x += (x - cell.x) / n;
      cell.y += (y - cell.y) / n;
    }
  }
  const dots: Cluster[] = [];
  for (const cell of [...cells.values()].sort((a, b) => b.ids.length - a.ids.length)) {
    // Neighbours on both sides of a border between cells would overlap.
    const near = dots.find((dot) => Math.hypot(dot.x - cell.x, (dot.y - cell.y) / 2) < grain);
    if (!near) dots.push(cell);
    else {
      const share = cell.ids.length / (cell.ids.length + near.ids.length);
      near.x += (cell.x - near.x) * share;
      near.y += (cell.y - near.y) * share;
      near.ids.push(...cell.ids);
    }
  }
  return dots;
}

/** A frame half as large (or twice as large) around a point of it; never larger than the world. */
export function zoomed(frame: Frame, at: { x: number; y: number }, factor: number): Frame {
  const width = Math.max(0.02, (frame.east - frame.west) * factor);
  if (width >= 340) return WORLD;
  const height = width / 2;
  const east = frame.west + at.x * (frame.east - frame.west);
  const north = frame.north - at.y * (frame.north - frame.south);
  return { west: east - width / 2, east: east + width / 2, south: north - height / 2, north: north + height / 2 };
}
