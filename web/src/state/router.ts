/** Addresses: which page, which conversation, which picture. A reload brings all of it back. */
import { signal } from "@preact/signals";

export type Route =
  | { page: "home" }
  | { page: "lost"; path: string }
  | { page: "shared"; token: string }
  | { page: "study"; collection: string | null; study: string | null }
  | { page: "talk"; collection: string; conversation: string | null; picture: string | null; view?: View };

/** What hangs instead of the conversation's pictures: the favourites, the map, or the album with this id. */
export type View = "favourites" | "map" | (string & {}) | null;

export function parseRoute(path: string, query = ""): Route {
  const parts = path.split("/").filter(Boolean).map(decode);
  if (parts[0] === "s" && parts[1]) return { page: "shared", token: parts[1] };
  if (parts[0] === "study") return { page: "study", collection: parts[1] ?? null, study: parts[2] ?? null };
  if (parts[0] === "c" && parts[1]) {
    const asked = new URLSearchParams(query);
    const [picture, view] = [asked.get("picture"), asked.get("view")];
    const at = { page: "talk" as const, collection: parts[1], conversation: parts[2] ?? null, picture };
    return view ? { ...at, view } : at;
  }
  return parts.length === 0 || parts[0] === "login" ? { page: "home" } : { page: "lost", path };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function addressOf(route: Route): string {
  if (route.page === "home") return "/";
  if (route.page === "lost") return route.path;
  if (route.page === "shared") return `/s/${encodeURIComponent(route.token)}`;
  if (route.page === "study")
    return ["/study", route.collection, route.study]
      .filter((part) => part !== null)
      .map((part, place) => (place ? encodeURIComponent(part) : part))
      .join("/");
  const path = ["", "c", route.collection, ...(route.conversation ? [route.conversation] : [])];
  const asked = Object.entries({ view: route.view, picture: route.picture }).filter(([, value]) => value);
  const query = asked.map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join("&");
  return path.map(encodeURIComponent).join("/") + (query && `?${query}`);
}

export const route = signal<Route>(parseRoute(location.pathname, location.search));

/** What may lie over a page, each with a history entry of its own: Back takes the topmost away. */
type Kind = "layer" | "picture" | "view";

/** A history entry: its number, and what lies over the page there. A picture and a view are in its address as well. */
interface Entry {
  at: number;
  over: Kind[];
}

/** A menu, a dialog, a sheet: nothing that a reload brings back. `at` is its entry, null as long as it has none. */
interface Layer {
  at: number | null;
  close: () => void;
}

const CLOSED = -1;
let here: Entry = (globalThis.history?.state as Entry | null) ?? { at: 0, over: [] };
let layers: Layer[] = [];
/** A step of our own that is on its way, with the address that the entry it leads to is to have. */
let stepping: { address: string } | null = null;
/** What was to be recorded meanwhile. */
let waiting: (() => void)[] = [];

function record(entry: Entry, address: string, replace: boolean): void {
  here = entry;
  history[replace ? "replaceState" : "pushState"](entry, "", address);
}

/** Goes to another page; `replace` leaves no step for the browser's back button, `over` lays it over this one. */
export function go(to: Route, replace = false, over?: Kind): void {
  route.value = to;
  const address = addressOf(to);
  const work = (): void => {
    const entry = replace ? here : { at: here.at + 1, over: over ? [...here.over, over] : [] };
    record(entry, address, replace);
  };
  if (!stepping) work();
  else if (replace && waiting.length === 0) stepping.address = address;
  else waiting.push(work);
  setTimeout(tidy); // what closes with this has closed by then
}

/** Opens a picture in the current conversation, or closes it. */
export function showPicture(picture: string | null): void {
  const now = route.value;
  if (now.page === "talk" && now.picture !== picture)
    go({ ...now, picture }, now.picture !== null || picture === null, "picture");
}

/** What hangs instead of the conversation's pictures, for the address. */
export function showView(view: View): void {
  const now = route.value;
  if (now.page !== "talk" || (now.view ?? null) === view) return;
  const { view: was, ...rest } = now;
  go(view ? { ...rest, view } : rest, was !== undefined || view === null, "view");
}

/** Lets Back close something that opens over the page; to be called when it has closed, whatever closed it. */
export function openLayer(close: () => void): () => void {
  const layer: Layer = { at: null, close };
  layers.push(layer);
  if (!stepping && isOver())
    layer.at = here.at; // it takes the place of what closed just now
  else tidy();
  return () => {
    layers = layers.filter((one) => one !== layer);
    setTimeout(tidy);
  };
}

/** Whether this entry is of something that is not open any more. */
function isOver(): boolean {
  const kind = here.over.at(-1);
  if (kind === undefined) return false;
  if (kind === "layer") return !layers.some((one) => one.at === here.at);
  return route.value.page !== "talk" || !route.value[kind];
}

/** Leaves an entry of something that was closed, and gives one to everything that is open and has none. */
function tidy(forward = false): void {
  if (stepping) return;
  if (isOver()) {
    stepping = { address: addressOf(route.value) };
    const { navigation } = globalThis as { navigation?: { canGoForward: boolean } };
    history.go(forward && navigation?.canGoForward ? 1 : -1);
    return;
  }
  const base = here.at - here.over.length;
  for (const layer of layers) {
    // One that stays open when the page below it changes lies over the new one.
    if (layer.at !== null && (layer.at === CLOSED || layer.at > base)) continue;
    record({ at: here.at + 1, over: [...here.over, "layer"] }, addressOf(route.value), false);
    layer.at = here.at;
  }
}

addEventListener("popstate", ({ state }) => {
  const [from, own] = [here, stepping];
  here = (state as Entry | null) ?? { at: 0, over: [] };
  stepping = null;
  const forward = here.at > from.at;
  const [low, high] = forward ? [from, here] : [here, from];
  const isSamePage = high.at - high.over.length <= low.at;
  if (isSamePage && !forward) {
    // What lay over it closes; whatever else happened here since stays, and so the address is that of now.
    const closed = own ? [] : from.over.slice(here.over.length);
    const now = route.value;
    if (now.page === "talk") {
      const { view, picture, ...rest } = now;
      const kept = { ...rest, picture: closed.includes("picture") ? null : picture };
      route.value = view && !closed.includes("view") ? { ...kept, view } : kept;
    }
    record(here, own?.address ?? addressOf(route.value), true);
  } else if (!isSamePage || here.over.at(-1) !== "layer") route.value = parseRoute(location.pathname, location.search);
  for (const layer of [...layers].reverse()) {
    if (layer.at === null || layer.at <= here.at) continue;
    layer.at = CLOSED;
    layer.close();
  }
  for (const work of waiting.splice(0)) work();
  setTimeout(() => tidy(forward));
});

if (here.over.length) setTimeout(tidy); // a reload closed what was open
