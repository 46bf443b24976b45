import { describe, expect, it } from "vitest";
import {
  fromNothing,
  hasMask,
  hasRoom,
  keepMarks,
  markOf,
  simplified,
  splitMarks,
  withMarks,
} from "../src/picture/marks";

describe("marks of a command", () => {
  it.each([
    ["remove dog", ["+1,2"], "remove dog marked +1,2"],
    ["image_cutout", ["+1,2", "-9:3,4,5,6"], "image_cutout on subject marked +1,2 -9:3,4,5,6"],
    ["replace_background white", ["-1,2"], "replace_background white on subject marked -1,2"],
    ["recolor blue on dress marked +7,7", ["+1,2"], "recolor blue on dress marked +1,2"],
    ["recolor blue on dress marked +7,7", [], "recolor blue on dress"],
  ])("%s with %s", (command, marks, wanted) => {
    expect(withMarks(command, marks)).toBe(wanted);
    expect(splitMarks(wanted).marks).toEqual(marks);
  });

  it("belong to edits of a thing", () => {
    expect(
      ["remove dog", "image_cutout", "blur 50 on background", "recolor red on hat marked +1,2"].every(hasMask),
    ).toBe(true);
    expect(["grayscale", "adjust_attr brightness 20", 'caption "SALE on all" top'].some(hasMask)).toBe(false);
  });

  it("stay with the same thing, and with no other", () => {
    expect(keepMarks("recolor blue on hat marked +1,2", "recolor red on hat")).toBe("recolor red on hat marked +1,2");
    expect(keepMarks("recolor blue on hat marked +1,2", "recolor red on bag")).toBe("recolor red on bag");
    expect(keepMarks(undefined, "remove bag")).toBe("remove bag");
  });

  it("can stand alone", () => {
    expect(fromNothing("remove dog marked +1,2", "+9:3,4")).toBe("remove selection marked +9:3,4");
    expect(fromNothing("recolor blue on dress", "+9:3,4")).toBe("recolor blue on selection marked +9:3,4");
    expect(fromNothing("image_cutout", "+9:3,4")).toBe("image_cutout on selection marked +9:3,4");
  });

  it("have an end", () => {
    expect(hasRoom("remove dog", "+1,2")).toBe(true);
    expect(hasRoom(`remove dog marked ${Array(400).fill("+100,200").join(" ")}`, "+1,2")).toBe(false);
  });
});

describe("a stroke", () => {
  it("is written in thousandths, inside the picture", () => {
    expect(markOf([{ x: 0.5123, y: -0.2 }], null, true)).toBe("+512,0");
    expect(
      markOf(
        [
          { x: 0, y: 0 },
          { x: 0.5, y: 1.2 },
        ],
        0.02,
        false,
      ),
    ).toBe("-20:0,0,500,1000");
  });

  it("has no more points than its bends need", () => {
    const straight = Array.from({ length: 50 }, (_, i) => ({ x: i / 50, y: i / 50 }));
    expect(simplified(straight)).toHaveLength(2);
    expect(
      simplified([
        { x: 0, y: 0 },
        { x: 0.5, y: 0 },
        { x: 0.5, y: 0.5 },
      ]),
    ).toHaveLength(3);
    expect(simplified([{ x: 0.5, y: 0.5 }])).toHaveLength(1);
  });
});
