import { describe, expect, it } from "vitest";
import { waysOn } from "../src/talk/ways";
import { hand, turn } from "./turns";

const shown = [{ id: "a1" }] as never;

describe("ways on", () => {
  it("names the filters where an attribute is not told", () => {
    const reply = "The pictures here do not tell their size. They tell their category, colour, kind, price and logo.";
    const ways = waysOn([turn(1, { commands: ["values size"], reply, results: shown })]);
    expect(ways.map((way) => way.label)).toEqual(["category", "colour", "kind", "price", "All filters"]);
    expect(ways[0]).toEqual({ label: "category", to: "filter", field: "category" });
  });

  it("opens the picture that nothing is known of", () => {
    const ways = waysOn([
      turn(1, { commands: ["ask where is this"], reply: "I cannot tell that from the picture.", results: shown }),
    ]);
    expect(ways).toEqual([{ label: "Open the picture", to: "picture", id: "a1" }]);
  });

  it("lets one mark what was not surely found", () => {
    const held = hand("b2", "b2", []);
    const asked = turn(1, { pending: ["remove dog"], hand: held, results: shown });
    const refused = turn(2, { reply: "All right, I leave it as it is. Say more exactly what you mean.", hand: held });
    const ways = waysOn([asked, refused]);
    expect(ways[0]).toEqual({ label: "Mark it myself", to: "mark", id: "b2", command: "remove dog" });
    expect(ways[1]).toMatchObject({ to: "picture", id: "b2" });
  });

  it("offers nothing beside an answer", () => {
    expect(waysOn([turn(1, { reply: "3 pictures for “dog”.", results: shown })])).toEqual([]);
  });
});
