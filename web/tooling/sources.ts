/** A hash of everything that the built app depends on, so that a stale build can be told from a current one. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** What goes into the build; tests/web/test_build.py reads the same list. */
export const SOURCES = [
  "index.html",
  "package-lock.json",
  "public",
  "src",
  "tooling",
  "tsconfig.json",
  "vite.config.ts",
];

function filesUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesUnder(join(path, name)));
}

/** SHA-256 over the sorted relative paths and contents of the sources. */
export function hashOfSources(root: string): string {
  const files = SOURCES.flatMap((source) => filesUnder(join(root, source)));
  const named = files.map((file) => [relative(root, file).split(sep).join("/"), file] as const);
  const hash = createHash("sha256");
  for (const [name, file] of named.sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${name}\0`).update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}
