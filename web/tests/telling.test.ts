import { describe, expect, it, test } from "vitest";
import { editsInWords } from "../src/picture/presets";
import {
  changeInWords,
  editedInWords,
  headline,
  pictureNames,
  readingInWords,
  replyInWords,
  matched,
  shared,
  titleOf,
  understood,
  understoodInWords,
} from "../src/talk/telling";
import type { Turn } from "../src/api/types";
import { reasonInWords, wishesInWords } from "../src/talk/wishes";
import { hand, RED, result, turn } from "./turns";

test("a look that was put on is called by its name", () => {
  const commands = ["sepia 60", "adjust_attr contrast -10", "vignette 35"];
  const edited = turn(1, {
    message: commands.join("; "),
    commands: ["select id:0a2a83", ...commands],
    hand: hand("e", "a", commands),
  });
  expect(headline(edited)).toBe("Old photo");
  expect(editsInWords(["rotate 90", ...commands])).toEqual(["turned left", "Old photo"]);
  expect(editsInWords(["sepia 60"])).toEqual(["sepia 60"]);
});

test("a comparison is told without ids", () => {
  const comparison = { pictures: ["0a2a83"], rows: [{ name: "price", values: ["1"] }] };
  expect(replyInWords(turn(1, { reply: "id:0a2a83 side by side", comparison }), [])).toBe("What differs:");
});

describe("headline", () => {
  it("is what was said, or what was done", () => {
    expect(headline(turn(1, { message: "a train" }))).toBe("a train");
    expect(headline(turn(3, { restores: 1 }))).toBe("One step back");
    expect(headline(turn(2, { changes: ["off 1.1"], brief: { wishes: [RED] } }))).toBe("“red” switched off");
    expect(headline(turn(2, { commands: ["undo"] }))).toBe("one step back");
    const sorted = turn(2, { message: "sort price asc", commands: ["sort price asc"] });
    expect(headline(sorted)).toBe("price, low first");
    expect(replyInWords(turn(3, { reply: "Back to turn 2." }), [sorted])).toBe("Back to “price, low first”.");
  });

  it("calls a comparison by its pictures", () => {
    const compared = turn(2, { message: "which is better", commands: ["compare #1 #2"] });
    expect(understoodInWords(compared)).toBe("picture 1 and picture 2 side by side");
    const selected = turn(2, { message: "Compare these 2", commands: ["compare id:0123456789ab id:ba9876543210"] });
    expect(understoodInWords(selected)).toBe("2 pictures side by side");
  });

  it("tells clicks in words, and never by commands or ids", () => {
    const commands = ["select id:c1456d83", "recolor blue on bus marked -200,400"];
    const clicked = turn(2, {
      message: "recolor blue on bus marked -200,400",
      commands,
      reply: "You have picture c1456d83 in hand. Done: bus made blue.",
    });
    expect(headline(clicked)).toBe("bus in blue");
    expect(understoodInWords(clicked)).toBe("bus in blue");
    expect(replyInWords(clicked, [])).toBe("Done: bus made blue.");
    expect(replyInWords(turn(2, { reply: "You have picture c1456d83 in hand." }), [])).toBe(
      "You have this picture in hand.",
    );
    expect(replyInWords(turn(2, { reply: "9 pictures for “dress; hat”." }), [])).toBe("9 pictures for “dress, hat”.");
  });

  it("calls turns by what was said in them, since their numbers jump where clicks were merged", () => {
    const turns = [turn(1, { message: "a red dress" }), turn(6, { message: "undo" })];
    const told = (reply: string): string => replyInWords(turn(7, { reply }), turns);
    expect(told("Undone: this is turn 1 again.")).toBe("Undone: this is “a red dress” again.");
    expect(told("Back to turn 3.")).toBe("Back to an earlier step.");
    expect(told("You are looking for “red dress” (turn 1).")).toBe("You are looking for “red dress”.");
  });

  it("calls wishes as their chips do", () => {
    const like = {
      ...RED,
      id: "2.1",
      kind: "like" as const,
      text: "#1 of turn 1",
      label: "like #1 of turn 1",
      picture: "a",
    };
    const liked = { ...like, id: "3.1", text: "#1 of turn 12", label: "like #1 of turn 12", picture: "b" };
    const sorted = { ...RED, kind: "sort" as const, attribute: "taken", text: "descending" };
    const newest = { ...sorted, label: "sorted by taken, descending" };
    const told = (reply: string): string =>
      replyInWords(turn(2, { reply, brief: { wishes: [RED, like, liked, newest] } }), []);
    expect(told("3 pictures for “red; like #1 of turn 12; like #1 of turn 1”.")).toBe(
      "3 pictures for “red, like this one, like this one”.",
    );
    expect(told("“sorted by taken, descending” is forgotten.")).toBe("“newest first” is forgotten.");
    expect(told("Go back (“back to turn 2”).")).toBe("Go back (“one step back”).");
    expect(reasonInWords("like #2 of turn 9")).toBe("like the one you chose");
    const japan = { ...RED, kind: "filter" as const, text: "country = Japan", label: "in Japan" };
    expect(wishesInWords("Shall I drop “in Japan”?", [japan])).toBe("Shall I drop “in Japan”?");
    const summer = { ...japan, text: 'taken = "2026-06-01 to 2026-08-31"', label: "taken 2026-06-01 to 2026-08-31" };
    expect(wishesInWords("Shall I drop “taken 2026-06-01 to 2026-08-31”?", [summer])).not.toContain("-08-");
  });

  it("has words for every change", () => {
    expect(changeInWords("weight 1.1 2", [RED])).toBe("“red” counts 2 ×");
    expect(changeInWords("remove 9.9", [RED])).toBe("a wish removed");
    expect(changeInWords("dance 1.1", [RED])).toBe("dance 1.1");
  });
});

describe("understood", () => {
  it("is silent where it would only repeat", () => {
    expect(understood(turn(1, { message: "Red dress", commands: ["search red dress"] }))).toBe("");
    expect(understood(turn(1, { message: "A hat.", commands: ["search hat"] }))).toBe("");
    expect(understood(turn(1, { message: "no people", commands: ["avoid people"] }))).toBe("avoid people");
    expect(understood(turn(1, { message: "thanks", commands: ["chat thanks"] }))).toBe("");
  });
});

describe("shared", () => {
  it("is what both turns showed", () => {
    const of = (...ids: string[]): Turn => turn(1, { results: ids.map((id) => result(id)) });
    expect([...shared(matched(of("a", "b")), matched(of("b", "c")))]).toEqual(["b"]);
  });

  it("are those that match, also beyond the first", () => {
    const near = { match: false };
    const first = turn(1, { results: [result("a"), result("x", near)], matches: 2 });
    expect(matched(first, [result("b"), result("y", near)]).map((one) => one.id)).toEqual(["a", "b"]);
    expect(matched(turn(1, { results: [result("x", near)] })).map((one) => one.id)).toEqual(["x"]);
  });
});

describe("titleOf", () => {
  it("prefers a name that somebody gave", () => {
    expect(titleOf({ id: "abcdef12", name: "Trains", title: "a train" })).toBe("Trains");
    expect(titleOf({ id: "abcdef12", name: "abcdef", title: "a train" })).toBe("a train");
    expect(titleOf({ id: "abcdef12", name: "abcdef", turns: [turn(1, { message: "a bus" })] })).toBe("a bus");
    expect(titleOf({ id: "abcdef12", name: "abcdef", turns: 3 })).toBe("Untitled conversation");
  });
});

describe("pictureNames", () => {
  it("are numbers where pictures are shown", () => {
    const results = ["a", "b"].map((id) => result(id));
    expect(pictureNames(turn(1, { results }), ["b", "z"])).toEqual(["#2", ""]);
  });
});

describe("understoodInWords", () => {
  it("says commands as a person would", () => {
    const said = (...commands: string[]): string => understoodInWords(turn(1, { commands }));
    expect(said("refine longer sleeves", "avoid stripes")).toBe("longer sleeves, without stripes");
    expect(said("filter articleType = Tshirts | Shirts")).toBe("article type: Tshirts or Shirts");
    expect(said("sort price asc", "select #2")).toBe("price, low first, picture 2 in hand");
    expect(said("adjust_attr brightness 20")).toBe("brightness +20");
    expect(said("keep colour @1", "like id:0123456789ab")).toBe("the colour as it was, like this picture");
    expect(said("undo")).toBe("one step back");
  });
});

describe("what only asks", () => {
  it("needs no note: its answer says it", () => {
    for (const asked of ["values brand", "why #2", "describe #1", "count ball", "ask how much is it"])
      expect(understoodInWords(turn(1, { commands: [asked] }))).toBe("");
    expect(understoodInWords(turn(1, { commands: ["select #1", "ask how much is it"] }))).toBe("");
    expect(understoodInWords(turn(1, { commands: ["filter price < #2"] }))).toBe("price under that of picture 2");
  });

  it("is answered without saying things twice, and with whole amounts of money", () => {
    const told = (reply: string): string => replyInWords(turn(1, { reply }), []);
    expect(
      told(
        "#2 is here because it fits “watches” (98%), “gender: Women (it has Women)” (100%) and “price up to 60 (it has 52.7)” (100%).",
      ),
    ).toBe("#2 is here because it fits “watches” (98%), “gender: Women” and “price up to 60 (it has 52.70)”.");
    expect(told("The most expensive is #1, “Miki Pearl”, 151.1.")).toBe(
      "The most expensive is #1, “Miki Pearl”, 151.10.",
    );
    expect(told("Done: turned by 1.5 degrees.")).toBe("Done: turned by 1.5 degrees.");
  });
});

describe("readingInWords", () => {
  it("writes no conditions as commands do", () => {
    expect(readingInWords("only baseColour = Red")).toBe("only base colour: Red");
    expect(readingInWords("look for “tees” and only price <= 30")).toBe("look for “tees” and only price up to 30");
    expect(readingInWords("take #2")).toBe("take picture 2");
  });
});

describe("what several steps come to", () => {
  it("names what a step back shows, and not the step", () => {
    const talk = [
      turn(1, { message: "a dog" }),
      turn(2, { message: "back to turn 1", commands: ["rollback 1"], restores: 1 }),
    ];
    const undone = turn(3, { commands: ["undo"], reply: "Undone: this is turn 2 again.", stands_at: 2 });
    expect(replyInWords(undone, [...talk, undone])).toBe("Undone: this is “a dog” again.");
  });

  it("counts pictures that were edited at once", () => {
    const bulk = (commands: string[]): string => editedInWords(turn(1, { commands: ["select id:ab", ...commands] }), 5);
    expect(bulk(["grayscale", "adjust_attr contrast 15"])).toBe("5 pictures made black and white.");
    expect(bulk(["adjust_attr brightness 20"])).toBe("5 pictures edited: brightness +20.");
  });
});

describe("the title of a conversation that nobody named", () => {
  const called = (title: string): string => titleOf({ id: "1", name: "", title, turns: 3 });

  it("is what was clicked first, in words", () => {
    expect(called("adjust_attr brightness 53; adjust_attr shadows -45")).toBe("Brightness +53, shadows -45");
    expect(called("grayscale")).toBe("Black and white");
    expect(called("filter year >= 2022")).toBe("Year from 2022");
    expect(called("rotate 90")).toBe("Turned left");
  });

  it("is what was said first, as it was said", () => {
    for (const said of ["filter out the blue ones", "remove the car", "crop it", "a red dress; the long one"])
      expect(called(said)).toBe(said);
  });
});
