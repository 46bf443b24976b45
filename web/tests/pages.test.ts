import { describe, expect, it } from "vitest";
import type { Conversation, Turn } from "../src/api/types";
import { earlier, withEarlier, withTurn } from "../src/talk/pages";

const turn = (number: number): Turn => ({ number, message: `turn ${number}` }) as Turn;
const talk = (numbers: number[], total: number): Conversation =>
  ({ id: "a", title: "", total, turns: numbers.map(turn) }) as Conversation;
const numbers = (one: Conversation): number[] => one.turns.map((turn) => turn.number);

describe("the parts of a conversation", () => {
  it("puts an earlier part before the turns that are there, each turn once", () => {
    const now = withEarlier(talk([41, 42], 42), talk([39, 40, 41], 42));
    expect(numbers(now)).toEqual([39, 40, 41, 42]);
    expect(now.total).toBe(42);
    expect(earlier(now)).toBe(38);
  });

  it("counts a new turn, and one that comes again only once", () => {
    const now = withTurn(withTurn(talk([41, 42], 42), turn(43)), turn(43));
    expect(numbers(now)).toEqual([41, 42, 43]);
    expect(now.total).toBe(43);
  });

  it("knows that there is nothing before the first turn", () => {
    expect(earlier(talk([1, 2], 2))).toBe(0);
    expect(earlier(talk([], 0))).toBe(0);
    expect(withTurn(talk([], 0), turn(1)).title).toBe("turn 1");
  });
});
