import { describe, expect, it } from "vitest";
import { thumbnailSize } from "../src/api/addresses";
import { freeName, pathOf, whyNot } from "../src/pages/names";
import { forget, recall, remember } from "../src/talk/waiting";
import { ago, count, left, progressInWords, shortened, shown } from "../src/text/words";
import { reasonInWords } from "../src/talk/wishes";

describe("words", () => {
  it("count", () => {
    expect(count(1, "picture")).toBe("1 picture");
    expect(count(10_000, "picture")).toBe("10,000 pictures");
    expect(count(4762, "picture")).toBe("4,762 pictures"); // as elsewhere; years are not counted
    expect(shown(2018)).toBe("2018");
  });

  it("tell how long ago", () => {
    const now = Date.parse("2026-05-02T12:00:00Z");
    expect(ago("2026-05-02T11:59:40Z", now)).toBe("just now");
    expect(ago("2026-05-02T11:00:00Z", now)).toBe("1 hour ago");
    expect(ago("2026-05-01T11:00:00Z", now)).toBe("yesterday");
    expect(ago("2026-03-12T12:00:00Z", now)).toBe("12 March");
    expect(ago("never", now)).toBe("");
    expect(ago(null, now)).toBe("");
  });

  it("tell how long still", () => {
    expect(left(42)).toBe("about 40 seconds left");
    expect(left(180)).toBe("about 3 minutes left");
    expect(left(null)).toBe("");
  });

  it("show any attribute", () => {
    expect(shown(["a", 2, true, null])).toBe("a, 2, yes, ");
    expect(shown({ a: 1 })).toBe('{"a":1}');
    expect(shortened("abcdef", 4)).toBe("abc…");
  });
});

describe("pathOf", () => {
  it("takes a path as file managers copy it", () => {
    expect(pathOf(' "/home/me/My pictures" ')).toBe("/home/me/My pictures");
    expect(pathOf("file:///home/me/My%20pictures")).toBe("/home/me/My pictures");
    expect(pathOf("~/Pictures")).toBe("~/Pictures");
  });
});

describe("freeName", () => {
  it("makes a name that is allowed and not taken", () => {
    expect(freeName("Été à la plage!", [])).toBe("ete-a-la-plage");
    expect(freeName("photos", ["photos", "photos-2"])).toBe("photos-3");
    expect(freeName("写真", [])).toBe("pictures");
  });
});

describe("thumbnailSize", () => {
  it("is the smallest that is sharp", () => {
    expect(thumbnailSize(130, 1)).toBe(320);
    expect(thumbnailSize(196, 1)).toBe(320);
    expect(thumbnailSize(220, 2)).toBe(640);
    expect(thumbnailSize(900, 3)).toBe(640);
  });
});

describe("a message that waits", () => {
  const storage = (): Storage => {
    const kept = new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    } as unknown as Storage;
  };

  it("is recalled in its own conversation, for a while", () => {
    const kept = storage();
    remember({ conversation: "a", text: "a train", turns: 2, at: 1000 }, kept);
    expect(recall("a", kept, 2000)?.text).toBe("a train");
    expect(recall("b", kept, 2000)).toBeNull();
    expect(recall("a", kept, 1000 + 3_600_000)).toBeNull();
    forget(kept);
    expect(recall("a", kept, 2000)).toBeNull();
  });
});

describe("progress", () => {
  it("tells no time before one is known", () => {
    expect(progressInWords({ done: 3, failed: 0 })).toBe("3 pictures");
    expect(progressInWords({ done: 3, total: 400, left_seconds: null, failed: 0 })).toBe("3 of 400 pictures");
    expect(progressInWords({ done: 120, total: 400, left_seconds: 120, failed: 2 })).toBe(
      "120 of 400 pictures · about 2 minutes left · 2 unreadable",
    );
  });
});

describe("what a collection is called", () => {
  it("is anything that no other one is called", () => {
    expect(whyNot("My Holiday 2023", ["photos"])).toBe("");
    expect(freeName("My Holiday 2023", [])).toBe("my-holiday-2023");
    expect(whyNot(" ", [])).toBe("Give it a name.");
    expect(whyNot("Photos ", ["photos"])).toContain("already");
  });
});

describe("dates", () => {
  it("are written as the answers write them, and no condition is read out as it is stored", () => {
    expect(shown("2025-12-15")).toBe("15 December 2025");
    expect(reasonInWords("taken 2025-01-01 to 2025-12-31")).toBe("taken in 2025");
    expect(reasonInWords('taken = "2026-06-01 to 2026-08-31"')).toBe("taken from June 2026 to August 2026");
  });
});
