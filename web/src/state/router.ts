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

/** Goes to another page; `replace` leaves no step for the browser's back button. */
export function go(to: Route, replace = false): void {
  history[replace ? "replaceState" : "pushState"](null, "", addressOf(to));
  route.value = to;
}

/** Opens a picture in the current conversation, or closes it. */
export function showPicture(picture: string | null): void {
  const now = route.value;
  if (now.page === "talk" && now.picture !== picture) go({ ...now, picture }, now.picture !== null && picture !== null);
}

/** What hangs instead of the conversation's pictures, for the address. */
export function showView(view: View): void {
  const now = route.value;
  if (now.page !== "talk" || (now.view ?? null) === view) return;
  const { view: _, ...rest } = now;
  go(view ? { ...rest, view } : rest, now.view === undefined ? false : view === null);
}

addEventListener("popstate", () => {
  route.value = parseRoute(location.pathname, location.search);
});
