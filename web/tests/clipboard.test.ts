import { beforeEach, expect, test, vi } from "vitest";
import { pasteEdits } from "../src/picture/clipboard";
import { notice } from "../src/state/notices";
import { edit, rollback, undo } from "../src/state/talk";

vi.mock("../src/state/talk", () => ({ edit: vi.fn(), rollback: vi.fn(), undo: vi.fn() }));
vi.mock("../src/state/notices", () => ({ notice: vi.fn() }));

beforeEach(() => void vi.resetAllMocks());

/** Edits three pictures, the first of them after this turn, and presses "Undo". */
async function undone(after: number): Promise<void> {
  let at = after;
  vi.mocked(edit).mockImplementation(() => Promise.resolve({ grew_from: at++ } as never));
  await pasteEdits(["a", "b", "c"], ["grayscale"]);
  vi.mocked(notice).mock.lastCall?.[1]?.action?.run();
}

test("edits of several pictures are taken back to the turn before them", async () => {
  await undone(4);
  expect(rollback).toHaveBeenCalledWith(4);
});

test("edits that began the conversation are taken back as well", async () => {
  await undone(0);
  expect(undo).toHaveBeenCalledOnce(); // one step: they were edited at once
});

test("a picture that cannot be edited ends it, and tells nothing where none was", async () => {
  vi.mocked(edit).mockResolvedValue(undefined);
  await pasteEdits(["a", "b"], ["grayscale"]);
  expect(edit).toHaveBeenCalledTimes(1);
  expect(notice).not.toHaveBeenCalled();
});
