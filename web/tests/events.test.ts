import { describe, expect, it } from "vitest";
import { EventReader, eventsOf } from "../src/api/events";

const TEXT =
  'event: turn\ndata: {"number": 1}\n\n: still here\n\nevent: results\r\ndata: {"a":\r\ndata: 2}\r\n\r\ndata: plain\n\n';
const EVENTS = [
  { event: "turn", data: '{"number": 1}' },
  { event: "results", data: '{"a":\n2}' },
  { event: "message", data: "plain" },
];

describe("EventReader", () => {
  it("reads whole events", () => expect(new EventReader().read(TEXT)).toEqual(EVENTS));

  it("does not care where the text is cut", () => {
    for (let cut = 0; cut <= TEXT.length; cut++) {
      const reader = new EventReader();
      expect([...reader.read(TEXT.slice(0, cut)), ...reader.read(TEXT.slice(cut))], `cut at ${cut}`).toEqual(EVENTS);
    }
  });

  it("keeps what is not complete for later", () => {
    const reader = new EventReader();
    expect(reader.read("event: done\ndata: 1\n")).toEqual([]);
    expect(reader.read("\n")).toEqual([{ event: "done", data: "1" }]);
  });
});

describe("eventsOf", () => {
  it("reads a response as it comes, letters of several bytes included", async () => {
    const bytes = new TextEncoder().encode("data: Wände voller Bilder\n\n");
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const found = [];
    for await (const event of eventsOf(new Response(body))) found.push(event.data);
    expect(found).toEqual(["Wände voller Bilder"]);
  });
});
