/** Thumbnails of whole rows in one request: a request costs the browser and the server more than its few kilobytes. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { thumbnail, thumbnailSize } from "../api/addresses";
import { get } from "../api/client";

/** As many as the server gives at once (routes/thumbnails.py). */
const MOST = 64;
/** How many are kept for when they come into sight again: about 20 MB. */
const KEPT = 2000;

type Asked = (address: string) => void;

const kept = new Map<string, string>();
const asked = new Map<string, Set<Asked>>();
/** What the page's head named: the browser has fetched it, or is about to. */
const preloaded = new Set(
  [...document.querySelectorAll<HTMLLinkElement>("link[rel=preload][as=image]")].map((link) =>
    link.getAttribute("href"),
  ),
);

/** Where a tile's picture is: known at once, or, until it has come with others, `undefined` or the one before it. */
export function useThumbnail(collection: string, id: string, height: number, share?: string): string | undefined {
  const size = thumbnailSize(height);
  const own = thumbnail(collection, id, size, share);
  const key = `${collection}/${id}`;
  const alone = share !== undefined || size > 320 || preloaded.has(own);
  const [come, setCome] = useState<{ key: string; address: string }>(); // a tile may come to show another picture
  const known = alone ? own : come?.key === key ? come.address : kept.get(key);
  useLayoutEffect(
    () => (known ? undefined : ask(collection, key, (address) => setCome({ key, address }))),
    [known === undefined, key],
  );
  const shown = useRef<string | undefined>(undefined);
  shown.current = known ?? shown.current; // what hung there before stays until then
  return shown.current;
}

/** Asks for a picture together with all others that are asked for in the same moment. */
function ask(collection: string, key: string, tell: Asked): () => void {
  if (asked.size === 0) queueMicrotask(() => fetchAsked(collection));
  const tellers = asked.get(key) ?? new Set();
  asked.set(key, tellers.add(tell));
  return () => tellers.delete(tell);
}

function fetchAsked(collection: string): void {
  const all = [...asked].filter(([, tellers]) => tellers.size > 0);
  asked.clear();
  for (let from = 0; from < all.length; from += MOST) void fetchTogether(collection, all.slice(from, from + MOST));
}

async function fetchTogether(collection: string, list: [string, Set<Asked>][]): Promise<void> {
  const ids = list.map(([key]) => key.slice(key.lastIndexOf("/") + 1));
  const query = ids.map((id) => `id=${encodeURIComponent(id)}`).join("&");
  let found: Record<string, string> = {};
  try {
    found = await get(`/collections/${encodeURIComponent(collection)}/thumbnails?${query}`);
  } catch {
    // each is asked for by itself then, and shows by itself that it cannot be had
  }
  list.forEach(([key, tellers], i) => {
    const data = found[ids[i]!];
    const address = data ? `data:image/webp;base64,${data}` : thumbnail(collection, ids[i]!);
    if (data) keep(key, address);
    for (const tell of tellers) tell(address);
  });
}

function keep(key: string, address: string): void {
  kept.set(key, address);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
}
