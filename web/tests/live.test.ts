import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../src/api/client";
import { follow, live } from "../src/state/live";
import { hangTurn, hung, source, tiles, preview } from "../src/state/wall";
import { RED, result, turn } from "./turns";

const RESULT = result("a");
const TURN = turn(1, { message: "m", results: [RESULT], grew_from: 0 });

const WISH = { ...RED, kind: "filter" as const, text: "price < 1", label: "price < 1" };

function answer(...events: [string, unknown][]): Response {
  const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

afterEach(() => {
  live.value = null;
  hung.value = [];
});

describe("follow", () => {
  it("hangs results at once, adds reasons, and ends with the turn", async () => {
    live.value = { message: "m", stage: "sent", question: null };
    const reason = { wish: "1.1", text: "red", fit: 0.9, fits: true };
    const question = { text: "Which?", kind: "open", options: [] };
    const turn = await follow(
      answer(
        ["turn", {}],
        ["results", { results: [RESULT] }],
        ["reasons", { because: { a: [reason] } }],
        ["question", { question }],
        ["done", { turn: TURN }],
      ),
    );
    expect(turn.number).toBe(1);
    expect(hung.value).toEqual([{ ...RESULT, because: [reason] }]);
    expect(live.value).toMatchObject({ stage: "reasons", question: { text: "Which?" } });
  });

  it("says what the server said when it fails", async () => {
    const failure = follow(answer(["error", { error: { code: "busy", message: "Not now.", remedy: "Later." } }]));
    await expect(failure).rejects.toMatchObject({
      message: "Not now.",
      remedy: "Later.",
      code: "busy",
      passing: false,
    });
  });

  it("knows an answer that broke off from one that was refused", async () => {
    const broken = follow(answer(["results", { results: [RESULT] }]));
    await expect(broken).rejects.toSatisfy((error: ApiError) => error.passing);
    expect(hung.value).toHaveLength(1);
  });

  it("takes a plain turn as well", async () => {
    expect(await follow(Response.json(TURN))).toMatchObject({ number: 1 });
    expect(await follow(Response.json({ turn: TURN }))).toMatchObject({ number: 1 });
  });
});

describe("the wall", () => {
  it("does not move when a turn brings what hangs already", () => {
    const more = [RESULT, { ...RESULT, id: "b" }];
    hung.value = more;
    hangTurn("c", "clothes", TURN);
    expect(hung.value.map((one) => one.id)).toEqual(["a", "b"]);
    expect(source.value).toEqual({ kind: "turn", conversation: "c", turn: 1 });
  });

  it("keeps the whole collection while nothing was asked for", async () => {
    source.value = { kind: "browse", collection: "clothes" };
    hung.value = [RESULT];
    const asked = { ...TURN, results: [] };
    const answered = await follow(answer(["results", { results: [] }], ["done", { turn: asked }]));
    expect(hung.value).toEqual([RESULT]);
    hangTurn("c", "clothes", answered);
    expect(hung.value).toEqual([RESULT]);
    expect(source.value).toEqual({ kind: "browse", collection: "clothes" });
  });

  it("is empty where a wish leaves nothing", () => {
    hung.value = [RESULT];
    hangTurn("c", "clothes", { ...TURN, results: [], brief: { wishes: [WISH] } });
    expect(hung.value).toEqual([]);
    expect(source.value).toEqual({ kind: "turn", conversation: "c", turn: 1 });
  });

  it("shows a preview instead, as long as there is one", () => {
    hangTurn("c", "clothes", TURN);
    preview.value = { label: "without red", results: [{ ...RESULT, id: "z" }] };
    expect(tiles.value.map((one) => one.id)).toEqual(["z"]);
    preview.value = null;
    expect(tiles.value.map((one) => one.id)).toEqual(["a"]);
  });
});
