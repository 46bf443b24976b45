/** Who is here, what collections there are, and whether the server answers. */
import { computed, signal } from "@preact/signals";
import { ApiError, get, send } from "../api/client";
import type { Collection, Me, Operation } from "../api/types";
import { takeOpening } from "./opening";

export const me = signal<Me | null>(takeOpening("me") ?? null);
export const collections = signal<Collection[] | null>(takeOpening("collections") ?? null);
export const operations = signal<Operation[]>([]);
/** Whether the server asks for a key: the login page then lies over whatever page this is. */
export const needsKey = signal(false);
export const startError = signal<ApiError | null>(null);

/** Whether this person may add and change pictures; the server decides, this only hides what it would refuse. */
export const mayWrite = computed(() => me.value !== null && me.value.role !== "read");
export const mayAdmin = computed(() => me.value?.mode === "local" || me.value?.role === "admin");

/** Asks the server who we are and what there is; shows the login page where a key is needed. */
export async function start(): Promise<void> {
  startError.value = null;
  try {
    await Promise.all([get<Me>("/me").then((who) => (me.value = who)), loadCollections()]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) needsKey.value = true;
    else startError.value = error;
  }
}

/** What a collection is called: names in addresses have no spaces. */
export function titleOfCollection(name: string | null): string {
  return collections.value?.find((one) => one.name === name)?.title || name || "";
}

export async function loadCollections(): Promise<void> {
  collections.value = (await get<{ collections: Collection[] }>("/collections")).collections;
}

export async function loadOperations(): Promise<void> {
  if (operations.value.length) return;
  const answer = await get<Operation[] | { operations: Operation[] }>("/editing/operations");
  operations.value = Array.isArray(answer) ? answer : answer.operations;
}

export async function signIn(key: string): Promise<void> {
  await send("POST", "/session", { key });
  needsKey.value = false;
  await start();
}

export async function signOut(): Promise<void> {
  await send("DELETE", "/session");
  me.value = null;
  collections.value = null;
  needsKey.value = true;
}
