import { describe, expect, it } from "vitest";
import { ORIGINAL, originOf, versionsOf, withVersions } from "../src/picture/versions";
import { hand, result, turn } from "./turns";

const made = hand("a2", "a", ["grayscale"], 30, 20);
const talk = [
  turn(1, { message: "dogs" }),
  turn(2, { hand: hand("a1", "a", ["enhance"]) }),
  turn(3, { hand: made }),
  turn(4, { hand: hand("b1", "b", ["grayscale"]) }),
];

describe("the version of a picture", () => {
  it("is the last that was made of it, whatever is in hand since", () => {
    const now = [...talk, turn(5, { message: "the first one", hand: hand("a", "a", []) })];
    expect(versionsOf(now).get("a")).toBe(made);
    expect(versionsOf(now).get("b")?.picture).toBe("b1");
  });

  it("goes with the step that made it", () => {
    const back = [
      ...talk,
      turn(5, { commands: ["undo"], grew_from: 4, stands_at: 2, restores: 2, hand: talk[1]!.hand ?? null }),
    ];
    expect([...versionsOf(back)].map(([id, { picture }]) => [id, picture])).toEqual([["a", "a1"]]);
  });

  it("is the original again once that was asked for", () => {
    const back = [...talk, turn(5, { message: ORIGINAL, hand: hand("a", "a", []) })];
    expect([...versionsOf(back).keys()]).toEqual(["b"]);
  });

  it("hangs in the place and in the shape of its own", () => {
    const pictures = [result("c"), result("a")];
    expect(withVersions(pictures, versionsOf(talk))).toEqual([
      pictures[0],
      { ...pictures[1], version: "a2", edited: true, width: 30, height: 20 },
    ]);
    expect(withVersions(pictures, new Map())).toBe(pictures);
  });

  it("knows what it was made of", () => {
    expect(originOf(talk, "a1")).toBe("a");
    expect(originOf(talk, "c")).toBe("c");
  });
});
