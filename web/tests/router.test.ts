import { beforeAll, describe, expect, it, vi } from "vitest";

let addressOf: typeof import("../src/state/router").addressOf;
let parseRoute: typeof import("../src/state/router").parseRoute;

beforeAll(async () => {
  vi.stubGlobal("location", { pathname: "/", search: "" });
  vi.stubGlobal("addEventListener", () => undefined);
  ({ addressOf, parseRoute } = await import("../src/state/router"));
});

describe("addresses", () => {
  it("hold everything that a reload must bring back", () => {
    const routes = [
      { page: "home" },
      { page: "shared", token: "t/o k" },
      { page: "talk", collection: "my photos", conversation: null, picture: null },
      { page: "talk", collection: "a", conversation: "b", picture: "c&d" },
    ] as const;
    for (const route of routes) {
      const url = new URL(addressOf(route), "http://here");
      expect(parseRoute(url.pathname, url.search)).toEqual(route);
    }
  });

  it("that lead nowhere say so", () => {
    expect(parseRoute("/c")).toEqual({ page: "lost", path: "/c" });
    expect(parseRoute("/x/y")).toEqual({ page: "lost", path: "/x/y" });
    expect(addressOf({ page: "lost", path: "/x/y" })).toBe("/x/y");
    expect(parseRoute("/")).toEqual({ page: "home" });
    expect(parseRoute("/c/%E0%A4%A")).toMatchObject({ page: "talk", collection: "%E0%A4%A" });
  });
});
