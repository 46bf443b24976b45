import { describe, expect, it } from "vitest";
import { rowsOf, seenOnlyIn } from "../src/talk/comparison";
import { result } from "./turns";

const COMPARED = {
  pictures: ["a", "b"],
  rows: [
    { name: "caption", values: ["A red bag", "A blue bag"] },
    { name: "price", values: ["35", "41.5"] },
    { name: "seen only here", values: ["a red bag (82%), a belt (77%)", "–"] },
  ],
};

describe("a comparison", () => {
  it("calls words titles in a shop, and gives prices alike", () => {
    const rows = rowsOf(COMPARED, [result("a"), result("b")]);
    expect(rows[0]!.name).toBe("title");
    expect(rows[1]!.values).toEqual(["35.00", "41.50"]);
  });

  it("marks what only one shows", () => {
    expect(seenOnlyIn(COMPARED)).toEqual([["a red bag", "a belt"], []]);
  });
});
