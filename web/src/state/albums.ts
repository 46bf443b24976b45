/** Favourites and albums of the collection that is open. */
import { computed, signal } from "@preact/signals";
import { ApiError, get, send } from "../api/client";
import type { Album } from "../api/types";
import { untilBack } from "./connection";
import { notice, tell } from "./notices";
import { showView } from "./router";
import { collections } from "./session";
import { collection } from "./talk";
import { hangList, hung } from "./wall";

export const albums = signal<Album[]>([]);
/** The favourites that the server has told of. */
const stored = signal<ReadonlySet<string>>(new Set());
/** Changes on their way to it, by picture. */
const pending = signal<ReadonlyMap<string, boolean>>(new Map());
/** The favourites as they are once everything has arrived: whoever clicks a heart sees it among them at once. */
export const favourites = computed<ReadonlySet<string>>(() => {
  const all = new Set(stored.value);
  for (const [id, on] of pending.value) on ? all.add(id) : all.delete(id);
  return all;
});
/** How often they were changed here: a list that was asked for before a change does not know of it. */
let changes = 0;
let chain: Promise<void> = Promise.resolve();
/** Whether products hang here: what a shop calls a wishlist are favourites elsewhere. */
export const isShop = computed(
  () =>
    hung.value.some((one) => one.price != null) ||
    (collections.value?.find((one) => one.name === collection.value)?.is_shop ?? false),
);
export const favouritesName = computed(() => (isShop.value ? "Wishlist" : "Favourites"));

/** What the heart of a picture does. */
export function favouriteLabel(now: boolean): string {
  const list = favouritesName.value.toLowerCase();
  return now ? `Take out of the ${list}` : `Add to the ${list}`;
}

function path(rest: string): string {
  return `/collections/${encodeURIComponent(collection.value ?? "")}${rest}`;
}

export async function loadAlbums(): Promise<void> {
  const name = collection.value;
  const before = changes;
  const found = await get<{ albums: Album[]; favourites: string[] }>(path("/albums"));
  if (collection.value !== name) return;
  albums.value = found.albums;
  if (changes === before) stored.value = new Set(found.favourites);
}

/** Adds pictures to the favourites or takes them out; the heart changes at once, the server hears one change at a time. */
export function setFavourite(ids: readonly string[], on: boolean): Promise<void> {
  const where = path("/favourites");
  const name = collection.value;
  changes++;
  pending.value = new Map([...pending.value, ...ids.map((id) => [id, on] as const)]);
  chain = chain.then(async () => {
    for (let done = false; !done;) {
      try {
        const { pictures } = await send<{ pictures: string[] }>("POST", where, on ? { add: ids } : { remove: ids });
        if (collection.value === name) stored.value = new Set(pictures);
        done = true;
      } catch (error) {
        if (error instanceof ApiError && error.passing) await untilBack();
        else done = (tell(error), true);
      }
    }
    const left = new Map(pending.value);
    for (const id of ids) if (left.get(id) === on) left.delete(id);
    pending.value = left;
  });
  return chain;
}

export function toggleFavourite(id: string): void {
  void setFavourite([id], !favourites.value.has(id));
}

export async function makeAlbum(name: string, pictures: readonly string[]): Promise<void> {
  await send("POST", path("/albums"), { name, pictures });
  await loadAlbums();
  notice(`Saved as the album “${name}”.`);
}

export async function changeAlbum(
  album: Album,
  change: { name?: string; add?: string[]; remove?: string[] },
): Promise<void> {
  await send("PATCH", `/albums/${album.id}`, change);
  await loadAlbums();
}

export async function removeAlbum(album: Album): Promise<void> {
  await send("DELETE", `/albums/${album.id}`);
  await loadAlbums();
}

/** Hangs an album, or the favourites where none is named. */
export async function showAlbum(album: Album | null): Promise<void> {
  const name = collection.value ?? "";
  showView(album?.id ?? "favourites");
  if (!album) return hangList(name, favouritesName.value, [...favourites.value], null);
  const { pictures } = await get<{ pictures: string[] }>(`/albums/${album.id}`);
  hangList(name, album.name, pictures, album.id);
}
