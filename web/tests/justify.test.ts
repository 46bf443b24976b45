import { describe, expect, it } from "vitest";
import { aspect, justify, neighbour, visible, type Shape, type Size } from "../src/wall/justify";

const SHAPE: Shape = { width: 1000, rowHeight: 200, gap: 8 };

/** Sizes that are the same in every run. */
function sizes(count: number): Size[] {
  return Array.from({ length: count }, (_, i) => ({
    width: 200 + ((i * 7919) % 600),
    height: 200 + ((i * 104729) % 500),
  }));
}

describe("justify", () => {
  it("fills every row but the last to the last pixel", () => {
    const layout = justify(sizes(200), SHAPE);
    for (let row = 0; row < layout.rows.length - 1; row++) {
      const last = layout.boxes[layout.rows[row + 1]!.first - 1]!;
      expect(last.x + last.width).toBe(1000);
    }
  });

  it("keeps rows near the wanted height", () => {
    for (const row of justify(sizes(500), SHAPE).rows.slice(0, -1)) {
      expect(row.height).toBeGreaterThan(120);
      expect(row.height).toBeLessThan(320);
    }
  });

  it("never lets boxes overlap", () => {
    const { boxes } = justify(sizes(120), SHAPE);
    boxes.slice(1).forEach((box, i) => {
      const before = boxes[i]!;
      if (box.row === before.row) expect(box.x).toBe(before.x + before.width + 8);
      else expect(box.y).toBe(before.y + before.height + 8);
    });
  });

  it("does not blow a single picture up", () => {
    expect(justify([{ width: 100, height: 100 }], SHAPE).boxes[0]).toMatchObject({ width: 200, height: 200 });
  });

  it("gives pictures of one shape one size, also in a last row that stays open", () => {
    const layout = justify(Array(7).fill({ width: 1, height: 1 }), { width: 1000, rowHeight: 190, gap: 8 });
    expect(layout.rows.length).toBe(2);
    expect(new Set(layout.boxes.map((box) => box.height)).size).toBe(1);
    expect(layout.boxes.at(-1)!.width).toBe(layout.boxes[0]!.width);
  });

  it("keeps a picture's place when more pictures follow, but for the open last row", () => {
    const few = justify(sizes(60), SHAPE);
    const many = justify(sizes(160), SHAPE);
    const sure = few.rows.at(-1)!.first;
    expect(many.boxes.slice(0, sure)).toEqual(few.boxes.slice(0, sure));
  });

  it("survives sizes that make no sense", () => {
    expect(aspect({ width: 0, height: 10 })).toBe(1);
    expect(aspect({ width: 100000, height: 1 })).toBeLessThan(3);
    expect(justify([], SHAPE).height).toBe(0);
    expect(justify(sizes(5), { ...SHAPE, width: 0 }).boxes).toEqual([]);
  });

  it("lays ten thousand pictures out without a search over all of them", () => {
    const many = sizes(10_000);
    const start = performance.now();
    justify(many, SHAPE);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

describe("visible", () => {
  const layout = justify(sizes(1000), SHAPE);
  it("finds exactly the boxes of the rows that meet the window", () => {
    const [from, to] = visible(layout, 3000, 3600);
    const expected = layout.boxes
      .map((box, i) => ({ box, i }))
      .filter(({ box }) => box.y <= 3600 && box.y + box.height >= 3000)
      .map(({ i }) => i);
    expect([from, to - 1]).toEqual([expected[0], expected.at(-1)]);
  });

  it("is empty outside", () => {
    expect(visible(layout, layout.height + 500, layout.height + 900)).toEqual([0, 0]);
    expect(visible(justify([], SHAPE), 0, 900)).toEqual([0, 0]);
  });
});

describe("neighbour", () => {
  const layout = justify(sizes(50), SHAPE);
  it("goes along the row and stops at the ends", () => {
    expect(neighbour(layout, 0, "left")).toBe(0);
    expect(neighbour(layout, 0, "right")).toBe(1);
    expect(neighbour(layout, 49, "right")).toBe(49);
    expect(neighbour(layout, 10, "first")).toBe(0);
    expect(neighbour(layout, 10, "last")).toBe(49);
  });

  it("goes to the nearest box of the next row, and back into the row it came from", () => {
    const down = neighbour(layout, 1, "down");
    expect(layout.boxes[down]!.row).toBe(1);
    expect(layout.boxes[neighbour(layout, down, "up")]!.row).toBe(0);
    expect(neighbour(layout, 0, "up")).toBe(0);
  });
});
