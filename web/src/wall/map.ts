/** Places on a flat map: which part of the world to show, and which places are one dot. Pure. */
import type { Place } from "../api/types";

export interface Frame {
  west: number;
  east: number;
  south: number;
  north: number;
}

export type Point = readonly [number, number];
export type Ring = readonly Point[];

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
  const wide = bounds(around(places.map((one) => one.longitude)));
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

/** Longitudes that begin behind the widest gap between them: Fiji and Samoa are neighbours. */
function around(longitudes: readonly number[]): number[] {
  const order = [...longitudes].sort((a, b) => a - b);
  let first = order[0]!;
  let widest = first + 360 - order.at(-1)!;
  order.forEach((here, i) => {
    const next = order[i + 1];
    if (next === undefined || next - here <= widest) return;
    [widest, first] = [next - here, next];
  });
  return longitudes.map((one) => (one < first ? one + 360 : one));
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

/** A longitude as a frame counts it, which may reach over the date line. */
function within(longitude: number, { west, east }: Frame): number {
  return longitude + 360 * Math.round(((west + east) / 2 - longitude) / 360);
}

/** A coast whose longitudes go on at the date line, instead of starting again there; one around a pole ends at it. */
export function unwrapped(ring: Ring): Ring {
  let turns = 0;
  const line = ring.map(([longitude, latitude], i): Point => {
    const step = i > 0 ? longitude - ring[i - 1]![0] : 0;
    if (Math.abs(step) > 180) turns -= Math.sign(step);
    return [longitude + 360 * turns, latitude];
  });
  if (turns === 0) return line;
  const pole = Math.sign(line[0]![1]) * 90;
  return [...line, [line.at(-1)![0], pole], [line[0]![0], pole]];
}

/** The coasts that a frame shows, once around the world if need be. */
export function visible(rings: readonly Ring[], { west, east }: Frame): Ring[] {
  return rings.flatMap((ring) => {
    const { middle, size } = bounds(ring.map(([longitude]) => longitude));
    const turns = [-360, 0, 360].filter((by) => middle + by + size / 2 > west && middle + by - size / 2 < east);
    return turns.map((by) => ring.map(([longitude, latitude]): Point => [longitude + by, latitude]));
  });
}

/** Places that would overlap are one dot; those outside the frame are none. `grain`: how near is too near. */
export function clusters(places: readonly Place[], frame: Frame, grain = 0.035): Cluster[] {
  const cells = new Map<string, Cluster>();
  for (const { id, longitude, latitude } of places) {
    const { x, y } = project(within(longitude, frame), latitude, frame);
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
