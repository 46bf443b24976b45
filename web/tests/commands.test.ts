import { describe, expect, it } from "vitest";
import type { Operation, Wish } from "../src/api/types";
import {
  commandOf,
  cropOf,
  defaults,
  framing,
  isComplete,
  isNeutral,
  isSlider,
  sizeAfter,
  sliderAt,
  withStep,
} from "../src/picture/commands";
import { isBox, regionOf } from "../src/picture/box";
import { choiceFilter, chosen, filterOn, inWords, quoted, rangeFilters } from "../src/shell/filters";

const BRIGHTNESS: Operation = {
  name: "adjust_attr",
  label: "Brightness",
  template: "adjust_attr brightness {value}",
  group: "light",
  params: [{ name: "value", kind: "number", min: -100, max: 100, step: 1, default: 0, unit: "", choices: [] }],
};

describe("edits", () => {
  it("fills a template in", () => {
    expect(commandOf(BRIGHTNESS, { value: 40 })).toBe("adjust_attr brightness 40");
    expect(commandOf(BRIGHTNESS, { value: 0.1 + 0.2 })).toBe("adjust_attr brightness 0.3");
  });

  it("finds the slider of a command", () => {
    const rotate = {
      ...BRIGHTNESS,
      template: "rotate {degrees}",
      params: [{ ...BRIGHTNESS.params[0]!, name: "degrees" }],
    };
    expect(sliderAt([rotate, BRIGHTNESS], "adjust_attr brightness -20")).toEqual({ slider: BRIGHTNESS, value: -20 });
    expect(sliderAt([rotate, BRIGHTNESS], "grayscale")).toBeNull();
    expect(sliderAt([BRIGHTNESS], "adjust_attr brightness 20 on dog")).toBeNull();
  });

  it("knows when nothing is changed", () => {
    expect(isNeutral(BRIGHTNESS, defaults(BRIGHTNESS))).toBe(true);
    expect(isNeutral(BRIGHTNESS, { value: 1 })).toBe(false);
    expect(isNeutral({ ...BRIGHTNESS, params: [] }, {})).toBe(false);
  });

  it("replaces a step in its place and takes it out", () => {
    const drafts = withStep(withStep([], "a", "blur 1"), "b", "sepia 1");
    expect(withStep(drafts, "a", "blur 2").map((one) => one.command)).toEqual(["blur 2", "sepia 1"]);
    expect(withStep(drafts, "a", null).map((one) => one.command)).toEqual(["sepia 1"]);
  });
});

describe("boxes", () => {
  it("can be dragged from any corner and stay inside", () => {
    const region = { x1: 0.2, y1: 0, x2: 1, y2: 0.5 };
    expect(regionOf({ x: 1.4, y: 0.5 }, { x: 0.2, y: -3 })).toEqual(region);
    expect(cropOf(region, { width: 200, height: 100 })).toBe("crop 40 0 200 50");
  });

  it("are not clicks", () => {
    expect(isBox(regionOf({ x: 0.5, y: 0.5 }, { x: 0.505, y: 0.9 }))).toBe(false);
  });

  it("have at least one pixel", () => {
    expect(cropOf({ x1: 0, y1: 0, x2: 0.03, y2: 0.03 }, { width: 10, height: 10 })).toBe("crop 0 0 1 1");
  });
});

describe("filters", () => {
  const wish = (text: string, attribute: string): Wish => ({
    id: "1.1",
    kind: "filter",
    text,
    attribute,
    end: "",
    answer: false,
    label: text,
    turn: 1,
    weight: 1,
    active: true,
    pinned: false,
  });

  it("quote what is not one plain word", () => {
    expect(quoted("red")).toBe("red");
    expect(quoted("dark blue")).toBe('"dark blue"');
    expect(quoted("3XL")).toBe('"3XL"');
    expect(choiceFilter("colour", ["red", "dark blue"])).toBe('filter colour = red | "dark blue"');
  });

  it("are read back from the brief", () => {
    const wishes = [wish('colour = red | "dark blue"', "colour"), wish("price < 50", "price")];
    expect(chosen(wishes, "colour")).toEqual(["red", "dark blue"]);
    expect(chosen(wishes, "price")).toEqual([]);
    expect(filterOn(wishes, "price")).toHaveLength(1);
    expect(filterOn([{ ...wishes[1]!, active: false }], "price")).toEqual([]);
  });

  it("read as words", () => {
    expect(inWords('colour = red | "dark blue"')).toBe("colour: red or dark blue");
    expect(inWords("details != belt")).toBe("details: not belt");
    expect(inWords("price <= 50")).toBe("price up to 50");
    expect(inWords('title = "a = b"')).toBe("title: a = b");
  });

  it("have one end or two", () => {
    expect(rangeFilters("price", null, 50)).toEqual(["filter price <= 50"]);
    expect(rangeFilters("price", 10, 50)).toHaveLength(2);
  });
});

describe("operations with fields", () => {
  const CAPTION: Operation = {
    name: "caption",
    label: "Caption",
    template: 'caption "{text}" {position}',
    group: "frame",
    params: [
      { name: "text", kind: "text", default: "text", unit: "", choices: [] },
      { name: "position", kind: "choice", default: "bottom", unit: "", choices: ["top", "bottom"] },
    ],
  };
  const RESIZE: Operation = {
    name: "resize",
    label: "Resize",
    template: "resize {value}%",
    group: "shape",
    params: [{ name: "value", kind: "number", min: 1, max: 400, default: 100, unit: "%", choices: [] }],
  };
  const BLUR: Operation = {
    name: "blur",
    label: "Blur",
    template: "blur {value}",
    group: "detail",
    params: [{ name: "value", kind: "number", min: 0, max: 100, default: 50, unit: "", choices: [] }],
  };

  it("escape what a person writes", () => {
    expect(commandOf(CAPTION, { text: 'say "hi" {position}', position: "top" })).toBe(
      'caption "say \\"hi\\" {position}" top',
    );
  });

  it("wait until they are complete", () => {
    expect(isComplete(CAPTION, defaults(CAPTION))).toBe(false);
    expect(isComplete(CAPTION, { text: "a", position: "top" })).toBe(true);
  });

  it("rest where nothing changes, whatever the server offers first", () => {
    expect(defaults(BLUR)).toEqual({ value: 0 });
    expect(defaults(RESIZE)).toEqual({ value: 100 });
    expect(isSlider(CAPTION)).toBe(false);
  });
});

describe("sizeAfter", () => {
  const size = { width: 400, height: 300 };
  it("follows what moves pixels", () => {
    expect(sizeAfter(size, ["adjust_attr warmth 20", "rotate 90"])).toEqual({ width: 300, height: 400 });
    expect(sizeAfter(size, ["crop 10 10 110 60", "sepia 3", "flip horizontal"])).toEqual({ width: 100, height: 50 });
    expect(sizeAfter(size, [])).toEqual(size);
  });

  it("does not guess", () => {
    for (const command of [
      "rotate 7",
      "straighten",
      "crop 16:9",
      "crop on dog",
      "border 20 white",
      "resize 50%",
      'caption "a" top',
    ]) {
      expect(sizeAfter(size, [command, "rotate 90"]), command).toBeNull();
    }
  });
});

describe("framing", () => {
  it("is what moves pixels or leaves some out", () => {
    const edits = ["grayscale", "crop 1 2 3 4", "adjust_attr contrast 12", "rotate 90", "remove dog"];
    expect(framing(edits)).toEqual(["crop 1 2 3 4", "rotate 90"]);
  });
});
