/** Server-sent events read from any stream of text, so that a POST can answer with them too. */

export interface ServerEvent {
  event: string;
  data: string;
}

/** Takes pieces of text as they arrive and gives whole events back. */
export class EventReader {
  #rest = "";

  read(piece: string): ServerEvent[] {
    this.#rest += piece;
    const blocks = this.#rest.split(/\r\n\r\n|\n\n|\r\r/);
    this.#rest = blocks.pop() ?? "";
    return blocks.map(parseBlock).filter((event) => event !== null);
  }
}

function parseBlock(block: string): ServerEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    if (line.startsWith(":")) continue; // a comment keeps the connection awake
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return data.length ? { event, data: data.join("\n") } : null;
}

/** The events of a response, one after the other, until it ends. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const events = new EventReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield* events.read(value);
  }
}
