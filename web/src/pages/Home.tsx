/** The first page: the collections there are, and a way to make one. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, send } from "../api/client";
import { Mark, Icon } from "../shell/Icon";
import { ConfirmDeletion, IconButton } from "../shell/controls";
import { helpOpen } from "../shell/Help";
import { useLayer } from "../shell/useLayer";
import { Thumb } from "../shell/Thumb";
import { nextTheme, theme } from "../state/preferences";
import { go } from "../state/router";
import { notice, tell } from "../state/notices";
import { collections, loadCollections, mayAdmin, me } from "../state/session";
import { ago, count } from "../text/words";
import type { Collection } from "../api/types";
import { FolderChooser } from "./FolderChooser";
import { Indexing, type Job } from "./Indexing";
import { Uploads } from "./Uploads";
import "../styles/pages.css";

/** How often the list of collections is asked for anew while it is shown, in milliseconds. */
const LOOK = 4000;

export function Home() {
  const adding = useSignal(false);
  const job = useSignal<Job | null>(null);
  const list = collections.value ?? [];
  useLayer(() => {
    adding.value = false;
  }, adding.value && !job.value);
  useEffect(() => {
    // `visavis serve FOLDER` begins before anybody looks: show what runs already.
    get<{ jobs: { id: string; collection: string; state: string }[] }>("/jobs")
      .then(({ jobs }) => {
        const running = jobs.find((one) => one.state === "running");
        if (running && !job.value) job.value = { collection: running.collection, job: running.id };
      })
      .catch(() => undefined);
  }, []);
  // What is made elsewhere meanwhile, by the command line or in another window, is to be seen here as well.
  useEffect(() => {
    const look = (): void => {
      if (!document.hidden) loadCollections().catch(() => undefined);
    };
    const timer = setInterval(look, LOOK);
    addEventListener("focus", look);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", look);
    };
  }, []);
  const first = list.length === 0;
  return (
    <div class="home">
      <header class="home-head">
        <span class="brand">
          <Mark size={34} /> visavis
        </span>
        <span class="head-tools">
          <IconButton
            icon={theme.value === "dark" ? "moon" : theme.value === "light" ? "sun" : "system"}
            label={`Theme: ${theme.value}`}
            keys="T"
            onClick={nextTheme}
          />
          <IconButton
            icon="keyboard"
            label="Keyboard"
            keys="?"
            class="keyboard-help"
            onClick={() => {
              helpOpen.value = true;
            }}
          />
        </span>
      </header>
      <main class="home-main">
        {job.value ? (
          <Indexing
            job={job.value}
            onLeave={() => {
              job.value = null;
            }}
          />
        ) : (
          <>
            <div class="home-words">
              <h1>{first ? "Find the picture by talking about it." : "Where shall we look?"}</h1>
              <p>
                {first
                  ? "Choose a folder. visavis looks at every picture in it once, on this machine, and then you can talk: describe, compare, point, go back, and edit what you found."
                  : "Each collection is a wall of pictures with conversations of its own."}
              </p>
            </div>
            {!first && (
              <ul class="shelf" role="list">
                {list.map((one) => (
                  <li key={one.name} class="shelf-place">
                    <Card one={one} />
                    {mayAdmin.value && <DeleteCollection name={one.name} title={one.title || one.name} />}
                  </li>
                ))}
              </ul>
            )}
            {!first && mayAdmin.value && !adding.value && (
              <button
                type="button"
                class="button"
                onClick={() => {
                  adding.value = true;
                }}
              >
                <Icon name="plus" /> Another collection
              </button>
            )}
            {(first || adding.value) && mayAdmin.value && !list.some((one) => one.name === "demo") && (
              <p class="sample-shop">
                Only looking?{" "}
                <button
                  type="button"
                  class="link"
                  onClick={() =>
                    send<Collection>("POST", "/demo")
                      .then((made) => {
                        job.value = { collection: made.name, job: made.job ?? null, drawn: true };
                      })
                      .catch(tell)
                  }
                >
                  Try the sample shop
                </button>
                : 240 drawn pictures with prices, made on this machine in about a minute.
              </p>
            )}
            {(first || adding.value) && mayAdmin.value && (
              <div class="makers">
                <FolderChooser
                  onJob={(made) => {
                    job.value = made;
                  }}
                />
                <Uploads
                  onJob={(made) => {
                    job.value = made;
                  }}
                />
              </div>
            )}
            {first && !mayAdmin.value && (
              <p class="quiet">
                There are no collections yet, and your key may not add one. Ask whoever runs this server.
              </p>
            )}
          </>
        )}
      </main>
      <footer class="home-foot quiet small">visavis {me.value?.version} · everything stays on this machine</footer>
    </div>
  );
}

/** Deleting a collection asks for its name to be read: conversations and edited pictures go with it. */
function DeleteCollection({ name, title }: { name: string; title: string }) {
  const asking = useSignal(false);
  const drop = async (): Promise<void> => {
    try {
      await send("DELETE", `/collections/${encodeURIComponent(name)}`);
      await loadCollections();
      notice(`“${title}” is deleted. The files of its pictures are where they were.`);
    } catch (error) {
      tell(error);
    } finally {
      asking.value = false;
    }
  };
  if (!asking.value)
    return (
      <IconButton
        icon="trash"
        label={`Delete the collection ${title}`}
        class="shelf-delete"
        onClick={() => {
          asking.value = true;
        }}
      />
    );
  return (
    <ConfirmDeletion
      name={title}
      class="shelf-confirm"
      onDelete={drop}
      onKeep={() => {
        asking.value = false;
      }}
    >
      Delete “{title}” with its conversations, albums and edited pictures? The files of its pictures stay.
    </ConfirmDeletion>
  );
}

function Card({ one }: { one: Collection }) {
  const cover = one.cover ?? [];
  return (
    <a
      class="card"
      href={`/c/${encodeURIComponent(one.name)}`}
      onClick={(event) => {
        event.preventDefault();
        go({ page: "talk", collection: one.name, conversation: null, picture: null });
      }}
    >
      <span class={`cover cover-${Math.min(cover.length, 4)}`}>
        {cover.slice(0, 4).map((id) => (
          <Thumb key={id} collection={one.name} id={id} size={320} />
        ))}
        {cover.length === 0 && <Icon name="picture" size={32} />}
      </span>
      <span class="card-words">
        <strong>{one.title || one.name}</strong>
        <span class="quiet small">
          {count(one.pictures, "picture")}
          {one.updated_at ? ` · ${ago(one.updated_at)}` : ""}
        </span>
      </span>
    </a>
  );
}
