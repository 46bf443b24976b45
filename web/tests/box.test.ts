import { describe, expect, it } from "vitest";
import { inShape, ratioOf, holdOf, isBox, pulled, regionOf } from "../src/picture/box";
import { histogramOf } from "../src/picture/histogram";

const box = { x1: 0.2, y1: 0.2, x2: 0.6, y2: 0.6 };
const reach = { x: 0.02, y: 0.02 };

describe("what a pointer takes hold of", () => {
  it.each([
    [{ x: 0.4, y: 0.4 }, ["x1", "y1", "x2", "y2"]],
    [{ x: 0.21, y: 0.4 }, ["x1"]],
    [{ x: 0.59, y: 0.61 }, ["x2", "y2"]],
    [{ x: 0.4, y: 0.19 }, ["y1"]],
    [{ x: 0.9, y: 0.4 }, null],
  ])("%o: %o", (at, hold) => {
    expect(holdOf(box, at, reach)).toEqual(hold);
  });
});

describe("pulling", () => {
  it("moves the whole, and no further than the edge of the picture", () => {
    const moved = pulled(box, ["x1", "y1", "x2", "y2"], { x: 0.9, y: -0.1 });
    expect(moved.x2).toBeCloseTo(1);
    expect(moved.x1).toBeCloseTo(0.6);
    expect(moved.y1).toBeCloseTo(0.1);
  });
  it("sizes by an edge or a corner, also beyond the opposite one", () => {
    expect(pulled(box, ["x2", "y2"], { x: 0.1, y: 0.9 })).toEqual({ ...box, x2: 0.7, y2: 1 });
    expect(pulled(box, ["x2"], { x: -0.5, y: 0 })).toEqual({ ...box, x1: expect.closeTo(0.1), x2: 0.2 });
  });
  it("leaves a box a box", () => {
    expect(pulled(box, ["x2"], { x: -0.4, y: 0 })).toEqual(box);
  });
});

it("a box from two corners is inside the picture", () => {
  expect(regionOf({ x: 1.4, y: 0.5 }, { x: 0.5, y: -1 })).toEqual({ x1: 0.5, y1: 0, x2: 1, y2: 0.5 });
  expect(isBox(regionOf({ x: 0.5, y: 0.5 }, { x: 0.51, y: 0.9 }))).toBe(false);
});

describe("a box in a shape", () => {
  const size = { width: 400, height: 200 };
  const at = (x1: number, y1: number, x2: number, y2: number) => ({ x1, y1, x2, y2 });
  const pixels = (box: { x1: number; y1: number; x2: number; y2: number }): number =>
    ((box.x2 - box.x1) * size.width) / ((box.y2 - box.y1) * size.height);

  it("is free, as the picture, or as one says", () => {
    expect(ratioOf("free", size)).toBeNull();
    expect(ratioOf("original", size)).toBe(1);
    expect(ratioOf("1:1", size)).toBe(0.5);
    expect(inShape(at(0, 0, 0.3, 0.9), null)).toEqual(at(0, 0, 0.3, 0.9));
  });

  it("keeps the shape and the edges that are not held", () => {
    const corner = inShape(at(0.1, 0.1, 0.4, 0.2), ratioOf("1:1", size), ["x2", "y2"]);
    expect(pixels(corner)).toBeCloseTo(1);
    expect([corner.x1, corner.y1, corner.x2]).toEqual([0.1, 0.1, 0.4]);
    const left = inShape(at(0.1, 0.3, 0.4, 0.9), ratioOf("16:9", size), ["x1", "y1"]);
    expect(pixels(left)).toBeCloseTo(16 / 9);
    expect([left.x2, left.y2]).toEqual([expect.closeTo(0.4), expect.closeTo(0.9)]);
    const edge = inShape(at(0.4, 0.2, 0.5, 0.6), ratioOf("1:1", size), ["y2"]);
    expect(pixels(edge)).toBeCloseTo(1);
    expect((edge.x1 + edge.x2) / 2).toBeCloseTo(0.45);
  });

  it("stays inside the picture", () => {
    const low = inShape(at(0.1, 0.8, 0.9, 0.9), ratioOf("1:1", size), ["x2", "y2"]);
    expect(low.y2).toBeLessThanOrEqual(1 + 1e-9);
    expect(pixels(low)).toBeCloseTo(1);
  });
});

describe("a histogram", () => {
  it("counts tones by channel, without what is transparent", () => {
    const found = histogramOf([255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9, 0], 2);
    expect(found.red[1]).toBe(1);
    expect(found.red[0]).toBeGreaterThan(0);
    expect(found.blue[1]).toBe(0);
  });
});
