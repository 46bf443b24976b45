import { beforeEach, expect, test, vi } from "vitest";
import { pasteEdits } from "../src/picture/clipboard";
import { edit, offerUndo } from "../src/state/talk";
import { turn } from "./turns";

vi.mock("../src/state/talk", () => ({ edit: vi.fn(), offerUndo: vi.fn() }));

beforeEach(() => void vi.resetAllMocks());

test("edits of several pictures are taken back together", async () => {
  let number = 4;
  vi.mocked(edit).mockImplementation(() => Promise.resolve(turn(++number)));
  await pasteEdits(["a", "b", "c"], ["grayscale"]);
  const [told, made] = vi.mocked(offerUndo).mock.lastCall!;
  expect(told).toBe("black and white: 3 pictures edited.");
  expect(made.map((one) => one.number)).toEqual([5, 6, 7]);
});

test("a picture that cannot be edited ends it, and tells nothing where none was", async () => {
  vi.mocked(edit).mockResolvedValue(undefined);
  await pasteEdits(["a", "b"], ["grayscale"]);
  expect(edit).toHaveBeenCalledTimes(1);
  expect(offerUndo).not.toHaveBeenCalled();
});
