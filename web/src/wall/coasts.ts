/** The outlines of countries (Natural Earth, 1 : 110 million, in the public domain), decoded from TopoJSON. */
import world from "world-atlas/countries-110m.json";
import { unwrapped, type Point, type Ring } from "./map";

type Arcs = readonly (readonly number[])[];

interface Topology {
  transform: { scale: Point; translate: Point };
  arcs: readonly (readonly Point[])[];
  objects: { countries: { geometries: readonly { type: string; arcs?: Arcs | readonly Arcs[] }[] } };
}

export function rings(): Ring[] {
  const topology = world as unknown as Topology;
  const { scale, translate } = topology.transform;
  const arcs = topology.arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]): Point => {
      x += dx;
      y += dy;
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
  });
  const line = (index: number): Point[] => (index < 0 ? [...arcs[~index]!].reverse() : [...arcs[index]!]);
  const ring = (indices: readonly number[]): Ring =>
    unwrapped(indices.flatMap((index, i) => (i === 0 ? line(index) : line(index).slice(1))));
  return topology.objects.countries.geometries.flatMap(({ type, arcs: parts = [] }) => {
    if (type === "Polygon") return (parts as Arcs).map(ring);
    if (type === "MultiPolygon") return (parts as readonly Arcs[]).flatMap((part) => part.map(ring));
    return [];
  });
}
