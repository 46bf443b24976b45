/** A name for a collection that is allowed and not taken: letters, digits, dashes. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const plain =
    wanted
      .toLowerCase()
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 40) || "pictures";
  if (!taken.includes(plain)) return plain;
  for (let i = 2; ; i++) if (!taken.includes(`${plain}-${i}`)) return `${plain}-${i}`;
}

/** Why a collection cannot be called this; empty where it can. */
export function whyNot(title: string, taken: readonly string[]): string {
  const wanted = title.trim().toLowerCase();
  if (!wanted) return "Give it a name.";
  return taken.some((one) => one.toLowerCase() === wanted)
    ? `There is a collection “${title.trim()}” already. Call this one something else.`
    : "";
}

/** A path as it was copied: file managers put it in quotation marks, or write it as an address. */
export function pathOf(pasted: string): string {
  const bare = pasted.trim().replace(/^(["'])(.*)\1$/, "$2");
  if (!bare.startsWith("file://")) return bare;
  try {
    return decodeURIComponent(new URL(bare).pathname);
  } catch {
    return bare;
  }
}
