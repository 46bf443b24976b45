import { describe, expect, it } from "vitest";
import { inWords, listed, rangeOf } from "../src/shell/filters";
import { isColourField, swatchOf } from "../src/text/colours";
import { RED } from "./turns";

describe("a colour's swatch", () => {
  it("is known by name, by its last word, and shaded", () => {
    expect(swatchOf("Red")).toBe("#cf2a2a");
    expect(swatchOf("navy blue")).toBe("#1d2b5c");
    expect(swatchOf("dark green")).toContain("black");
    expect(swatchOf("multi")).toContain("gradient");
    expect(swatchOf("something")).toBeNull();
  });

  it("is shown for fields about colour only", () => {
    expect(["colour", "baseColour", "second_color", "collar"].map(isColourField)).toEqual([true, true, true, false]);
  });
});

describe("the bounds of a number", () => {
  it("are read from the conditions that count", () => {
    const at = (text: string, active = true) => ({ ...RED, kind: "filter" as const, text, attribute: "price", active });
    expect(rangeOf([at("price <= 50"), at("price >= 20.5")], "price")).toEqual({ low: 20.5, high: 50 });
    expect(rangeOf([at("price < 50", false)], "price")).toEqual({ low: null, high: null });
    expect(rangeOf([at("price < 50")], "year")).toEqual({ low: null, high: null });
  });
});

describe("the values of a drawer", () => {
  const values = [0, 3, 0, 1].map((count, i) => ({ value: `v${i}`, count }));
  const names = (list: readonly { value: string }[]): string[] => list.map(({ value }) => value);

  it("are those that are left, in their order, and what was chosen", () => {
    expect(names(listed(values, [], false))).toEqual(["v1", "v3"]);
    expect(names(listed(values, ["v2"], false))).toEqual(["v1", "v2", "v3"]);
    const many = Array.from({ length: 20 }, (_, i) => ({ value: `v${i}`, count: i % 2 }));
    expect(names(listed(many, [], false))).toEqual(["v1", "v3", "v5", "v7", "v9", "v11", "v13", "v15"]);
  });

  it("end with what is not left, unfolded", () => {
    expect(names(listed(values, [], true))).toEqual(["v1", "v3", "v0", "v2"]);
  });
});

describe("a condition on days", () => {
  it("is told as a year, as months, as dates", () => {
    expect(inWords('taken = "2020-01-01 to 2020-12-31"')).toBe("taken in 2020");
    expect(inWords('taken = "2019-06-01 to 2019-06-30"')).toMatch(/^taken in \w+ 2019$/);
    expect(inWords('taken = "2019-06-01 to 2019-08-31"')).toMatch(/^taken from \w+ 2019 to \w+ 2019$/);
    expect(inWords('taken = "2019-06-02 to 2019-06-30"')).not.toContain("-");
    expect(inWords('taken != "until 2019-05-31"')).toMatch(/^not taken until .*2019/);
    expect(inWords('year = "2019"')).toBe("year: 2019");
  });
});
