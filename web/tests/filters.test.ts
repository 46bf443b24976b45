import { describe, expect, it } from "vitest";
import { rangeOf } from "../src/shell/filters";
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
