/** Favourites and albums of the collection that is open. */
import { computed, signal } from "@preact/signals";
import { get, send } from "../api/client";
import type { Album } from "../api/types";
import { notice, tell } from "./notices";
import { collections } from "./session";
import { collection } from "./talk";
import { hangList, hung } from "./wall";

export const albums = signal<Album[]>([]);
export const favourites = signal<ReadonlySet<string>>(new Set());
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
  const found = await get<{ albums: Album[]; favourites: string[] }>(path("/albums"));
  if (collection.value !== name) return;
  albums.value = found.albums;
  favourites.value = new Set(found.favourites);
}

/** Adds pictures to the favourites or takes them out; the heart changes at once. */
export async function setFavourite(ids: readonly string[], on: boolean): Promise<void> {
  const before = favourites.value;
  const next = new Set(before);
  for (const id of ids) on ? next.add(id) : next.delete(id);
  favourites.value = next;
  try {
    const body = on ? { add: ids } : { remove: ids };
    favourites.value = new Set((await send<{ pictures: string[] }>("POST", path("/favourites"), body)).pictures);
  } catch (error) {
    favourites.value = before;
    tell(error);
  }
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
  if (!album) return hangList(name, favouritesName.value, [...favourites.value], null);
  const { pictures } = await get<{ pictures: string[] }>(`/albums/${album.id}`);
  hangList(name, album.name, pictures, album.id);
}
