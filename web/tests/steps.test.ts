import { describe, expect, it } from "vitest";
import type { Turn } from "../src/api/types";
import { hand, turn } from "./turns";
import { inWords, takenAt, transferable, turnAt } from "../src/picture/steps";

describe("a command in words", () => {
  it.each([
    ["adjust_attr brightness 20", "brightness +20"],
    ["adjust_attr contrast -30", "contrast -30"],
    ["adjust_attr brightness 20 on the red hat", "brightness +20, the red hat"],
    ["adjust_color blue 0.3 on sky", "blue 30 %, sky"],
    ["rotate 90", "turned left"],
    ["rotate 270", "turned right"],
    ["rotate 355", "turned 5° right"],
    ["rotate 12.5", "turned 12.5° left"],
    ["straighten", "levelled"],
    ["straighten 2.5", "straightened +2.5°"],
    ["crop 1 2 30 40", "cropped"],
    ["crop 16:9", "cropped 16:9"],
    ["crop on hat", "cropped to hat"],
    ["image_cutout", "cut out"],
    ["image_cutout on dog", "cut out dog"],
    ["replace_background white", "background white"],
    ["replace_background id:0123", "another background"],
    ["grayscale", "black and white"],
    ["blur 50 on background", "blur 50, background"],
    ['caption "SALE on all" top', "“SALE on all” at the top"],
    ["recolor blue on dress", "dress in blue"],
    ["recolor blue on dress marked +512,300 -20:1,2,3,4", "dress in blue"],
    ["remove bin on the left", "without bin on the left"],
    ["remove selection marked +20:1,2", "without what is marked"],
    ["image_cutout on subject marked +1,2", "cut out subject"],
    ["border 20 gold", "gold border"],
    ["invert", "negative"],
    ["something new 3", "something new 3"],
  ])("%s: %s", (command, words) => {
    expect(inWords(command)).toBe(words);
  });
});

describe("the turn of a step", () => {
  const turn = (number: number, edits: string[], source = "s"): Turn =>
    ({ number, hand: { picture: `${number}`, source, edits } }) as unknown as Turn;
  const turns = [
    { number: 1, hand: null } as Turn,
    turn(2, []),
    turn(3, ["a"]),
    turn(4, ["a", "b", "c"]),
    turn(5, ["a"]),
  ];

  it("is the latest that stands for exactly these steps", () => {
    expect(turnAt(turns, "s", ["a"])).toBe(5);
    expect(turnAt(turns, "s", [])).toBe(2);
  });
  it("is none where several steps came in one message, or of another picture", () => {
    expect(turnAt(turns, "s", ["a", "b"])).toBeNull();
    expect(turnAt(turns, "t", ["a"])).toBeNull();
  });
});

describe("edits for other pictures", () => {
  it("leave behind what holds for one alone", () => {
    const edits = ["crop 1 2 3 4", "remove dog marked +1,2", "remove selection marked +1,2", "grayscale"];
    expect(transferable(edits)).toEqual(["remove dog", "grayscale"]);
  });
});

describe("the turn that took a picture in hand", () => {
  it("is one that took or edited it, and not one that asked about it", () => {
    const bag = hand("a", "a", []);
    const asked = turn(2, { hand: bag, commands: ["select #1", "ask how much is it"] });
    expect(takenAt([turn(1), asked])).toBe(0);
    expect(takenAt([asked, turn(3, { hand: bag, commands: ["select #1"] }), turn(4, { hand: bag })])).toBe(3);
    const brighter = turn(5, { hand: hand("b", "a", ["enhance"]), commands: ["enhance"] });
    expect(takenAt([asked, brighter])).toBe(5);
    expect(takenAt([turn(6, { hand: bag, commands: [], pending: ["remove dog"] })])).toBe(6);
  });
});
