/** Choosing a folder of this machine, by clicking through it. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, get, send } from "../api/client";
import type { Collection, Folder, FolderSuggestions } from "../api/types";
import { Icon } from "../shell/Icon";
import { tell } from "../state/notices";
import { collections, titleOfCollection } from "../state/session";
import { amount, count } from "../text/words";
import type { Job } from "./Indexing";
import { freeName, pathOf, whyNot } from "./names";

export function FolderChooser({ onJob }: { onJob: (job: Job) => void }) {
  const folder = useSignal<Folder | null>(null);
  const error = useSignal<ApiError | null>(null);
  const name = useSignal("");
  const named = useSignal(false);
  const refused = useSignal("");
  const pasted = useSignal("");
  const field = useRef<HTMLInputElement>(null);
  const found = useSignal<FolderSuggestions | null>(null);
  const visits = useRef(0);
  const visit = (path: string): void => {
    const mine = ++visits.current; // the last one that was asked for is the one to show
    error.value = null;
    get<Folder>(`/folders?path=${encodeURIComponent(path)}`)
      .then((found) => {
        if (mine !== visits.current) return;
        folder.value = found;
        if (!named.value) name.value = freeName(found.path.split("/").filter(Boolean).at(-1) ?? "pictures", taken());
      })
      .catch((failure: ApiError) => {
        if (mine === visits.current) error.value = failure;
      });
  };
  useEffect(() => {
    get<FolderSuggestions>("/folders/suggested")
      .then((answer) => {
        found.value = answer;
        if (visits.current === 0) visit(answer.folders[0]?.path ?? "");
      })
      .catch(() => (visits.current === 0 ? visit("") : undefined));
  }, []);
  const begin = async (event: Event): Promise<void> => {
    event.preventDefault();
    const path = folder.value?.path;
    const title = name.value.trim();
    refused.value = whyNot(title, taken().map(titleOfCollection));
    if (refused.value) field.current?.focus();
    if (!path || refused.value) return;
    const called = freeName(title, taken());
    try {
      const made = await send<Collection>("POST", "/collections", {
        name: called,
        title: title === called ? "" : title,
        folder: path,
      });
      onJob({ collection: made.name, title, job: made.job ?? null });
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.passing) return tell(failure);
      refused.value = `${failure.message} ${failure.remedy}`.trim();
    }
  };
  const now = folder.value;
  const empty = now !== null && now.pictures === 0 && now.counted;
  return (
    <section class="chooser" aria-label="Choose a folder">
      <h2>
        <Icon name="folder" /> A folder on this machine
      </h2>
      {error.value && (
        <p role="alert" class="objection">
          {error.value.message} {error.value.remedy}
        </p>
      )}
      {found.value && found.value.folders.length > 0 && (
        <div class="found-folders" role="group" aria-label="Folders with pictures">
          {found.value.folders.map((one) => (
            <button
              key={one.path}
              type="button"
              class="button small"
              aria-pressed={now?.path === one.path}
              title={one.path}
              onClick={() => visit(one.path)}
            >
              <Icon name="picture" size={15} /> {shortPath(one.path, found.value!.home)}
              <span class="answer-count">{amount(one.pictures)}</span>
            </button>
          ))}
        </div>
      )}
      {found.value?.folders.length === 0 && !now?.pictures && (
        <p class="quiet small">
          No folder with pictures was found below your home folder. Paste the path of one, drop pictures beside this, or
          look at the sample shop first.
        </p>
      )}
      {now && <Crumbs path={now.path} onVisit={visit} />}
      {empty ? (
        <p class="quiet small">No pictures in this folder: choose another one.</p>
      ) : (
        <form class="begin" onSubmit={(event) => void begin(event)}>
          <label>
            Call it{" "}
            <input
              ref={field}
              value={name.value}
              maxLength={60}
              aria-invalid={refused.value !== ""}
              aria-describedby="refused"
              onInput={(event) => {
                named.value = true;
                refused.value = "";
                name.value = event.currentTarget.value;
              }}
            />
          </label>
          <button type="submit" class="button accent" disabled={!now}>
            Index this folder
            {now?.pictures ? ` (${now.counted ? "" : "over "}${count(now.pictures, "picture")})` : ""}
          </button>
          <p id="refused" class="objection" role="alert" hidden={!refused.value}>
            {refused.value}
          </p>
        </form>
      )}
      <form
        class="paste"
        onSubmit={(event) => {
          event.preventDefault();
          if (pasted.value.trim()) visit(pathOf(pasted.value));
        }}
      >
        <input
          aria-label="Path of a folder"
          placeholder="Another folder: ~/Pictures"
          value={pasted.value}
          spellcheck={false}
          onInput={(event) => {
            pasted.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="button small" disabled={!pasted.value.trim()}>
          Go there
        </button>
      </form>
      <ul class="folders" role="list" aria-label="Folders">
        {now?.parent && (
          <li>
            <button type="button" onClick={() => visit(now.parent!)}>
              <Icon name="up" size={16} /> <span>one up</span>
            </button>
          </li>
        )}
        {now?.folders.map((one) => (
          <li key={one.path}>
            <button type="button" onClick={() => visit(one.path)}>
              <Icon name="folder" size={16} /> <span>{one.name}</span>
              {one.pictures ? <span class="answer-count">{amount(one.pictures)}</span> : null}
            </button>
          </li>
        ))}
        {now && (now.folders.length === 0 || (now.empty ?? 0) > 0) && <li class="quiet small">{nothingElse(now)}</li>}
      </ul>
    </section>
  );
}

/** What else is in a folder, so that nobody looks for a folder that is left out. */
function nothingElse(now: Folder): string {
  const left = now.empty ?? 0;
  if (left > 0) return `${count(left, "folder")} without pictures`;
  return "No folders in here.";
}

/** The path of a folder as one would say it, below the home folder. */
function shortPath(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path === home ? "Home" : path;
}

function taken(): string[] {
  return (collections.value ?? []).map((one) => one.name);
}

function Crumbs({ path, onVisit }: { path: string; onVisit: (path: string) => void }) {
  const parts = path.split("/").filter(Boolean);
  return (
    <nav class="crumbs" aria-label="Where we are">
      <button type="button" class="link" onClick={() => onVisit("/")}>
        /
      </button>
      {parts.map((part, i) => (
        <button
          key={i}
          type="button"
          class="link"
          aria-current={i === parts.length - 1 ? "location" : undefined}
          onClick={() => onVisit(`/${parts.slice(0, i + 1).join("/")}`)}
        >
          {part}
        </button>
      ))}
    </nav>
  );
}
