import { describe, expect, it } from "vitest";
import { transferable } from "../src/picture/steps";
import { clearSelection, selected, toggleSelected } from "../src/state/selection";
import { month, price } from "../src/text/words";
import { HEADING, justify } from "../src/wall/justify";
import { clusters, frameOf, project, unwrapped, visible, WORLD, zoomed } from "../src/wall/map";
import { monthBreaks, nearBreaks } from "../src/wall/parts";
import { result } from "./turns";

describe("the parts of the wall", () => {
  it("begin with each month of a timeline", () => {
    const photos = ["2019-06-02T10:00:00", "2019-06-01", "2018-01-05", ""].map((taken, i) => result(`${i}`, { taken }));
    expect(monthBreaks(photos)).toEqual([
      { index: 0, label: month("2019-06") },
      { index: 2, label: month("2018-01") },
      { index: 3, label: "No date" },
    ]);
    expect(month("2019-06")).toContain("2019");
  });

  it("tell what matches from what comes near", () => {
    const near = { match: false };
    expect(nearBreaks([result("a"), result("b", near)])).toEqual([{ index: 1, label: "These come near" }]);
    expect(nearBreaks([result("a", near)])[0]?.label).toContain("These come nearest");
    expect(nearBreaks([result("a"), result("b")])).toEqual([]);
    expect(nearBreaks([result("a", near), result("b")])).toEqual([]);
  });

  it("are laid out below their headings, with room below each picture", () => {
    const square = { width: 100, height: 100 };
    const breaks = [
      { index: 0, label: "a" },
      { index: 2, label: "b" },
    ];
    const layout = justify([square, square, square], { width: 1000, rowHeight: 200, gap: 8, foot: 40 }, breaks);
    expect(layout.headings.map((one) => one.label)).toEqual(["a", "b"]);
    expect(layout.boxes[0]!.y).toBe(HEADING);
    expect(layout.boxes[1]!.row).toBe(0);
    expect(layout.headings[1]!.y).toBe(HEADING + 240 + 8);
    expect(layout.boxes[2]!.y).toBe(layout.headings[1]!.y + HEADING);
    expect(layout.height).toBe(layout.boxes[2]!.y + 240);
  });
});

describe("the map", () => {
  const at = (id: string, longitude: number, latitude: number) => ({ id, longitude, latitude });
  const lisbon = [at("a", -9.14, 38.72), at("b", -9.15, 38.71)];

  it("shows the part of the world where pictures are", () => {
    expect(frameOf([])).toBe(WORLD);
    const near = frameOf(lisbon);
    expect(near.east - near.west).toBeLessThan(20);
    expect(project(near.west, near.north, near)).toEqual({ x: 0, y: 0 });
    const everywhere = [170, -150, 80, -80].map((longitude, i) => at(`${i}`, longitude, 20));
    expect(frameOf([...lisbon, ...everywhere])).toBe(WORLD);
  });

  it("knows that places on both sides of the date line are near", () => {
    const fiji = frameOf([at("a", 178, -18), at("b", -172, -14)]);
    expect(fiji.east - fiji.west).toBeLessThan(20);
    expect(clusters([at("a", 178, -18), at("b", -172, -14)], fiji)).toHaveLength(2);
  });

  it("draws a coast over the date line whole, and once on each side of the world", () => {
    const chukotka = [
      [170, 60],
      [-170, 65],
      [-170, 70],
      [170, 70],
      [170, 60],
    ] as const;
    const coast = unwrapped(chukotka);
    expect(coast.map(([longitude]) => longitude)).toEqual([170, 190, 190, 170, 170]);
    expect(visible([coast], WORLD).map((ring) => ring[0]![0])).toEqual([-190, 170]);
    expect(visible([coast], { west: 0, east: 20, south: 0, north: 10 })).toEqual([]);
  });

  it("ends a coast around a pole at the pole", () => {
    const polar = unwrapped([-180, -60, 60, 180, -180].map((longitude) => [longitude, -70] as const));
    expect(polar.slice(-2)).toEqual([
      [180, -90],
      [-180, -90],
    ]);
  });

  it("makes one dot of neighbours on both sides of a border of its grid", () => {
    const border = WORLD.west + (WORLD.east - WORLD.west) * 0.035 * 14;
    const dots = clusters([at("a", border - 0.5, 10), at("b", border + 0.5, 10), at("c", border + 60, 10)], WORLD);
    expect(dots.map((dot) => dot.ids)).toEqual([["a", "b"], ["c"]]);
  });

  it("makes one dot of places that overlap, and two when one looks nearer", () => {
    expect(clusters(lisbon, WORLD).map((dot) => dot.ids.length)).toEqual([2]);
    let frame = frameOf(lisbon);
    for (let i = 0; i < 8; i++) frame = zoomed(frame, project(-9.145, 38.715, frame), 0.5);
    expect(clusters(lisbon, frame)).toHaveLength(2);
    expect(zoomed(WORLD, { x: 0.5, y: 0.5 }, 2)).toBe(WORLD);
  });
});

describe("a selection", () => {
  it("takes single pictures and ranges", () => {
    const order = ["a", "b", "c", "d"].map((id) => ({ id }));
    toggleSelected("a", false, order);
    toggleSelected("c", true, order);
    expect([...selected.value]).toEqual(["a", "b", "c"]);
    toggleSelected("b", false, order);
    expect([...selected.value]).toEqual(["a", "c"]);
    clearSelection();
    expect(selected.value.size).toBe(0);
  });
});

describe("a price", () => {
  it("has its currency where there is one", () => {
    expect(price(39.9, "EUR")).toMatch(/39[.,]90/);
    expect(price(39.9, "EUR")).toContain("€");
    expect(price(20)).toBe("20");
    expect(price(20, "gold coins")).toBe("20 gold coins");
  });
});

describe("copied edits", () => {
  it("leave a box in pixels behind", () => {
    expect(transferable(["crop 1 2 3 4", "crop 1:1", "grayscale"])).toEqual(["crop 1:1", "grayscale"]);
  });
});
