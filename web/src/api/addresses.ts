/** Where pictures are fetched from. */
import { BASE } from "./client";

/** Up to 320 there is one ready file, so smaller ones would only be fetched twice. */
const SIZES = [320, 640];

/** The smallest thumbnail that is sharp at this height. */
export function thumbnailSize(height: number, density = globalThis.devicePixelRatio || 1): number {
  const wanted = height * Math.min(density, 2);
  return SIZES.find((size) => size >= wanted * 0.85) ?? 640;
}

export function thumbnail(collection: string, id: string, size = 320, share?: string): string {
  if (share) return `${BASE}/shared/${encodeURIComponent(share)}/thumbnail/${encodeURIComponent(id)}`;
  return `${pictureAddress(collection, id)}/thumbnail?size=${size}`;
}

/** A picture of a shared conversation, as large as a screen. */
export function sharedPicture(share: string, id: string): string {
  return `${BASE}/shared/${encodeURIComponent(share)}/thumbnail/${encodeURIComponent(id)}?size=1280`;
}

export function full(collection: string, id: string): string {
  return `${pictureAddress(collection, id)}/full`;
}

export function download(collection: string, id: string, format: string): string {
  return `${pictureAddress(collection, id)}/download${format && `?format=${format}`}`;
}

/** The picture in hand of a turn, with the thing marked that a waiting edit would touch. */
export function marked(conversation: string, turn: number): string {
  return `${BASE}/conversations/${encodeURIComponent(conversation)}/turns/${turn}/marked`;
}

function pictureAddress(collection: string, id: string): string {
  return `${BASE}/collections/${encodeURIComponent(collection)}/pictures/${encodeURIComponent(id)}`;
}
