import { describe, expect, it } from "vitest";
import type { Turn, Wish } from "../src/api/types";
import { changed, found, isDeadEnd, lineage, otherwise, stepsBack, stepsForth, story } from "../src/talk/story";
import { hand, RED, result, turn } from "./turns";

const PRICE = {
  ...RED,
  id: "2.1",
  kind: "filter" as const,
  text: "price <= 40",
  label: "price up to 40",
  attribute: "price",
};
const BLUE = {
  ...RED,
  id: "3.1",
  kind: "filter" as const,
  text: "colour = blue",
  label: "in blue",
  attribute: "colour",
};
const titles = (turns: Turn[]): string[] => story(turns).map((one) => one.clicked?.join(", ") ?? one.turn.message);

describe("lineage", () => {
  it("is every turn where nobody went back", () => {
    expect([...lineage([turn(1), turn(2), turn(3)])].sort()).toEqual([1, 2, 3]);
  });

  it("leaves side steps out after a rollback", () => {
    const talk = [turn(1), turn(2), turn(3), turn(4, { restores: 1, grew_from: 3 }), turn(5, { grew_from: 4 })];
    expect([...lineage(talk)].sort()).toEqual([1, 4, 5]);
  });

  it("follows a turn that stands at an earlier one", () => {
    expect([...lineage([turn(1), turn(2), turn(3, { stands_at: 1 })])]).toEqual([1]);
    expect([...lineage([])]).toEqual([]);
  });
});

describe("story", () => {
  it("does not tell that a picture was taken in hand for the words that follow", () => {
    const taken = turn(2, { message: "this one", commands: ["select id:0123456789ab"] });
    const said = turn(3, { message: "remove the cat", commands: ["remove cat"] });
    const told = (turns: Turn[]): number[] => story(turns).map((one) => one.turn.number);
    expect(told([turn(1, { message: "a cat" }), taken, said])).toEqual([1, 3]);
    expect(told([turn(1, { message: "a cat" }), taken])).toEqual([1, 2]);
  });

  const said = turn(1, { message: "a red dress", commands: ["search red dress"], brief: { wishes: [RED] } });
  const cheap = turn(2, {
    message: "filter price <= 40",
    commands: ["filter price <= 40"],
    brief: { wishes: [RED, PRICE] },
  });
  const blue = turn(3, {
    message: "filter colour = blue",
    commands: ["filter colour = blue"],
    brief: { wishes: [RED, PRICE, BLUE] },
  });
  const gone = turn(4, { changes: ["remove 2.1"], brief: { wishes: [RED, { ...PRICE, active: false }, BLUE] } });

  it("tells clicks on filters in a row as one step, by what they came to", () => {
    expect(titles([said, cheap, blue])).toEqual(["a red dress", "price up to 40, in blue"]);
    expect(titles([said, cheap, blue, gone])).toEqual(["a red dress", "in blue"]);
    expect(story([said, cheap, blue]).map((one) => one.current)).toEqual([false, true]);
  });

  it("keeps a condition that was said in words apart", () => {
    expect(titles([said, { ...cheap, message: "under 40" }, blue])).toEqual(["a red dress", "under 40", "in blue"]);
  });

  it("moves the mark and tells nothing when one goes back", () => {
    const back = turn(3, { message: "back to turn 1", commands: ["rollback 1"], restores: 1 });
    const entries = story([said, { ...cheap, message: "under 40" }, back]);
    expect(entries.map((one) => one.turn.number)).toEqual([1, 2]);
    expect(entries.map((one) => one.current)).toEqual([true, false]);
    expect(entries.map((one) => one.onPath)).toEqual([true, false]);
  });

  it("does not leave an answer that changed nothing behind", () => {
    const whatever = turn(2, { message: "it does not matter", commands: ["answer no preference"], stands_at: 1 });
    const next = turn(3, { message: "longer", commands: ["refine longer"], grew_from: 1 });
    expect(story([said, whatever, next]).map((one) => one.onPath)).toEqual([true, true, true]);
    expect(story([said, whatever]).map((one) => one.current)).toEqual([true, false]);
  });

  it("tells a message that was taken in its other way once", () => {
    const anew = turn(2, { message: "a blue coat", commands: ["search blue coat"] });
    const both = turn(3, { message: "a blue coat", commands: ["undo", "refine blue coat"] });
    const back = turn(4, { message: "undo", commands: ["undo"], stands_at: 2, grew_from: 1 });
    expect(story([said, anew, both]).map((one) => one.turn.number)).toEqual([1, 3]);
    expect(story([said, anew, both, back]).map((one) => one.turn.number)).toEqual([1, 2]);
  });
});

describe("changed", () => {
  it("tells weights and pins, and what went without a successor", () => {
    expect(changed([RED], [{ ...RED, weight: 2 }])).toEqual(["red counts 2 ×"]);
    expect(changed([RED], [{ ...RED, pinned: true }])).toEqual(["red pinned"]);
    expect(changed([RED, PRICE], [RED])).toEqual(["no longer price up to 40"]);
    expect(
      changed(
        [PRICE],
        [
          { ...PRICE, active: false },
          { ...PRICE, id: "3.1", text: "price <= 30" },
        ],
      ),
    ).toEqual(["price up to 30"]);
  });
});

describe("found", () => {
  it("says how many are left", () => {
    expect(found(turn(1, { matches: 1 }))).toBe("1 picture");
    // In the words of the reply, which says that nothing surely fits and shows what comes closest.
    expect(found(turn(1, { matches: 0, results: [result("a")] }))).toBe("nothing surely fits");
    expect(found(turn(1, { matches: 0 }))).toBe("no picture is left");
    expect(found(turn(1))).toBe("");
  });
});

describe("otherwise", () => {
  const dress = turn(1, { message: "a red dress", commands: ["search red dress"], brief: { wishes: [RED] } });

  it("offers to combine where a message started anew, and to start anew where it was added", () => {
    const anew = turn(2, { message: "a blue coat", commands: ["search blue coat"] });
    expect(otherwise([dress, anew])).toEqual({
      label: "Combine with “red” instead",
      commands: ["undo", "refine blue coat"],
    });
    const added = turn(2, { message: "a blue coat", commands: ["refine blue coat"] });
    expect(otherwise([dress, added])?.commands).toEqual(["undo", "search blue coat"]);
    expect(otherwise([dress, turn(2, { message: "longer", commands: ["refine longer"] })])).toBeNull();
    expect(otherwise([dress])).toBeNull();
    const nothing = turn(2, { message: "submarine", commands: ["refine submarine"], matches: 0 });
    expect(otherwise([dress, nothing])?.label).toBe("Look for “submarine” alone instead");
  });

  it("leads back to the first way after the other was taken", () => {
    const anew = turn(2, { message: "a blue coat", commands: ["search blue coat"] });
    const both = turn(3, { message: "a blue coat", commands: ["undo", "refine blue coat"] });
    expect(otherwise([dress, anew, both])).toEqual({
      label: "Look for “blue coat” alone instead",
      commands: ["undo"],
    });
  });
});

describe("a dead end", () => {
  it("is a message that came to nothing and is not asked about", () => {
    expect(isDeadEnd(turn(1, { message: "asdf", commands: ["chat nonsense"] }))).toBe(true);
    expect(isDeadEnd(turn(1, { message: "hm", commands: [] }))).toBe(true);
    expect(isDeadEnd(turn(1, { message: "thanks", commands: ["chat thanks"] }))).toBe(false);
    expect(isDeadEnd(turn(1, { message: "a dog", commands: ["search dog"] }))).toBe(false);
    const reading = { label: "look for “x”", commands: ["search x"] };
    expect(isDeadEnd(turn(1, { message: "x", readings: [reading] }))).toBe(false);
  });
});

describe("one step back", () => {
  const edited = (number: number, source: string, extra: Partial<Turn> = {}): Turn =>
    turn(number, { message: "grayscale", hand: hand(`${source}e`, source, ["grayscale"]), ...extra });
  const talk = [turn(1, { message: "dogs" }), edited(2, "a"), edited(3, "b"), edited(4, "c")];

  it("takes back all pictures that were edited at once", () => {
    expect(stepsBack(talk)).toBe(3);
    expect(stepsBack(talk.slice(0, 2))).toBe(1);
    expect(stepsBack(talk.slice(0, 1))).toBe(1);
  });

  it("takes back one edit where others followed on the same picture", () => {
    expect(stepsBack([...talk, edited(5, "c", { message: "brighter" })])).toBe(1);
  });

  it("is brought again by one step forth", () => {
    const back = turn(5, { stands_at: 1, undone: [4, 3, 2], commands: ["undo 3"] });
    expect(stepsForth([...talk, back])).toBe(3);
    expect(stepsForth([...talk, turn(5, { stands_at: 3, undone: [4] })])).toBe(1);
  });
});

describe("a line of clicks", () => {
  const clicked = (number: number, wish: Wish, extra: Partial<Turn> = {}): Turn =>
    turn(number, { message: "", commands: [`filter ${wish.text}`], brief: { wishes: [RED, wish] }, ...extra });
  const talk = [
    turn(1, { message: "red", commands: ["search red"], brief: { wishes: [RED] } }),
    clicked(2, PRICE, { matches: 9 }),
    clicked(3, BLUE, { brief: { wishes: [RED, PRICE, BLUE] }, matches: 4 }),
  ];

  it("is left by one step back", () => {
    expect(stepsBack(talk)).toBe(2);
    expect(stepsForth([...talk, turn(4, { stands_at: 1, undone: [3, 2], commands: ["undo 2"] })])).toBe(2);
  });

  it("tells of the state in the middle of it that one went back to", () => {
    const said = turn(4, { message: "undo", commands: ["undo"], stands_at: 2, undone: [3] });
    const entries = story([...talk, said]);
    expect(entries.map((one) => one.clicked?.join(", ") ?? one.turn.message)).toEqual(["red", "price up to 40"]);
    expect(entries.map((one) => one.current)).toEqual([false, true]);
    expect(found(entries[1]!.turn)).toBe("9 pictures");
  });
});

describe("what leaves no trace", () => {
  it("is a step back that was said", () => {
    const said = turn(2, {
      commands: ["undo"],
      message: "go back",
      reply: "Undone: this is turn 1 again.",
      stands_at: 1,
    });
    expect(titles([turn(1, { message: "a dog", commands: ["search dog"] }), said])).toEqual(["a dog"]);
    const refused = { ...said, reply: "There is nothing to take back." };
    expect(titles([turn(1, { message: "a dog", commands: ["search dog"] }), refused])).toContain("go back");
  });

  it("is an order that was clicked, though it was carried out by the year", () => {
    const sort = { ...RED, id: "2.1", kind: "sort" as const, attribute: "year", text: "descending", label: "year" };
    const clicked = turn(2, { message: "sort taken desc", commands: ["sort year desc"], brief: { wishes: [sort] } });
    expect(titles([turn(1, { message: "a dog", commands: ["search dog"] }), clicked])).toEqual([
      "a dog",
      "newest first",
    ]);
  });
});

describe("a search that is made again", () => {
  it("is told where it was told before", () => {
    const first = turn(1, { message: "dog", commands: ["search dog"], matches: 2, results: [result("a")] });
    const again = turn(2, {
      commands: ["rollback 1"],
      message: "back to turn 1",
      reply: "Back to turn 1. The collection has changed since, so I looked again. 5 pictures for “dog”.",
      restores: 1,
      matches: 5,
      results: [result("b")],
    });
    const [entry] = story([first, again]);
    expect(entry!.turn.matches).toBe(5);
    expect(entry!.turn.results.map((one) => one.id)).toEqual(["b"]);
    expect(entry!.turn.reply).toMatch(/^The collection has changed since.*5 pictures/);
  });
});
