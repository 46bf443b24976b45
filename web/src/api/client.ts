/** One door to the server: JSON in and out, and errors that a person can read. */

export const BASE = "/api/v1";

/** What went wrong, in words for a person, with a way out where there is one. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly remedy = "",
    readonly code = "",
    readonly detail: unknown = null,
  ) {
    super(message);
  }

  /** Whether the server could not be reached or could not answer just now: trying again may help. */
  get passing(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  let body: { error?: { message?: string; remedy?: string; code?: string }; detail?: unknown } = {};
  try {
    body = await response.json();
  } catch {
    // a proxy's page of HTML says nothing that helps
  }
  const message = body.error?.message ?? `The server answered ${response.status}.`;
  return new ApiError(
    message,
    response.status,
    body.error?.remedy ?? "",
    body.error?.code ?? "",
    body.error ?? body.detail,
  );
}

/** Sends a request and gives the response back, or throws an ApiError. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("X-Visavis", "1"); // shows the server that this page, and not another one, asks
  let response: Response;
  try {
    response = await fetch(path.startsWith("/") ? BASE + path : path, { ...init, headers, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("The server cannot be reached.", 0, "Is visavis still running?");
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await call(path, signal ? { signal } : {})).json() as Promise<T>;
}

function withBody(method: string, body: unknown, signal?: AbortSignal): RequestInit {
  const init: RequestInit = { method };
  if (body instanceof FormData) init.body = body;
  else if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "Content-Type": "application/json" };
  }
  if (signal) init.signal = signal;
  return init;
}

export async function send<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await call(path, withBody(method, body, signal));
  return (response.status === 204 ? undefined : response.json()) as Promise<T>;
}

/** A request that is answered with a stream of events, or with one JSON document. */
export async function stream(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const init = withBody("POST", body, signal);
  init.headers = { ...(init.headers as Record<string, string>), Accept: "text/event-stream" };
  return call(path, init);
}

export async function blob(path: string, body: unknown, signal?: AbortSignal): Promise<Blob> {
  return (await call(path, withBody("POST", body, signal))).blob();
}
