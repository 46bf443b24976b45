import { describe, expect, it } from "vitest";
import { holdOf, isBox, pulled, regionOf } from "../src/picture/box";

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
