/** A conversation that somebody shared: to look at, not to change. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { get, type ApiError } from "../api/client";
import { sharedPicture } from "../api/addresses";
import type { Conversation, Result } from "../api/types";
import { IconButton } from "../shell/controls";
import { Modal } from "../shell/Modal";
import { Mark } from "../shell/Icon";
import { Earlier } from "../talk/Earlier";
import { earlier, withEarlier } from "../talk/pages";
import { standing, story } from "../talk/story";
import { headline, titleOf } from "../talk/telling";
import { TurnCard } from "../talk/TurnCard";
import { nearBreaks } from "../wall/parts";
import { Failure, Skeleton } from "../wall/states";
import { Wall } from "../wall/Wall";
import { amount, count } from "../text/words";
import "../styles/pages.css";

export function Shared({ token }: { token: string }) {
  const talk = useSignal<Conversation | null>(null);
  const error = useSignal<ApiError | null>(null);
  const chosen = useSignal<number | null>(null);
  const opened = useSignal<string | null>(null);
  const load = (): void => {
    error.value = null;
    get<Conversation>(`/shared/${encodeURIComponent(token)}`)
      .then((found) => {
        talk.value = found;
      })
      .catch((failure: ApiError) => {
        error.value = failure;
      });
  };
  useEffect(load, [token]);
  const more = (now: Conversation): void => {
    get<Conversation>(`/shared/${encodeURIComponent(token)}?before=${now.turns[0]?.number ?? 1}`)
      .then((found) => {
        if (talk.value?.id === now.id) talk.value = withEarlier(talk.value, found);
      })
      .catch((failure: ApiError) => {
        error.value = failure;
      });
  };
  const now = talk.value;
  const turn = now?.turns.find((one) => one.number === (chosen.value ?? standing(now.turns))) ?? now?.turns.at(-1);
  const breaks = useMemo(() => nearBreaks(turn?.results ?? []), [turn]);
  if (error.value)
    return (
      <main class="board">
        <Failure error={error.value} onRetry={load} />
      </main>
    );
  if (!now)
    return (
      <main class="board">
        <Skeleton />
      </main>
    );
  return (
    <div class="workspace shared">
      <aside class="talk raised" aria-label="Conversation">
        <header class="head">
          <div class="head-row">
            <Mark />
            <span class="place-name">{titleOf(now)}</span>
          </div>
        </header>
        <div class="history">
          <p class="branch-note">Shared to look at. Choose a step to see what it showed.</p>
          <Earlier left={earlier(now)} onShow={() => more(now)} />
          <ol class="turns" role="list" aria-label="Turns">
            {story(now.turns).map((entry) => (
              <TurnCard
                key={entry.turn.number}
                entry={{ ...entry, current: entry.turn === turn }}
                turns={now.turns}
                collection={now.collection}
                share={token}
                onBack={(at) => {
                  chosen.value = at;
                }}
              />
            ))}
          </ol>
        </div>
      </aside>
      <main class="board" aria-label="Pictures">
        <Wall
          pictures={turn?.results ?? []}
          collection={now.collection}
          share={token}
          breaks={breaks}
          label={turn ? `Results: ${headline(turn)}` : "Results"}
          onOpen={(id) => {
            opened.value = id;
          }}
          above={<h1 class="visually-hidden">{titleOf(now)}</h1>}
        >
          {turn && (turn.matches ?? 0) > turn.results.length && (
            <p class="wall-end">
              These are the first {amount(turn.results.length)} of {count(turn.matches ?? 0, "picture")}.
            </p>
          )}
        </Wall>
      </main>
      {opened.value && turn && (
        <SharedPicture
          results={turn.results}
          id={opened.value}
          token={token}
          onShow={(id) => {
            opened.value = id;
          }}
        />
      )}
    </div>
  );
}

interface Opened {
  results: readonly Result[];
  id: string;
  token: string;
  onShow: (id: string | null) => void;
}

/** A picture of a shared conversation, large, with its words. */
function SharedPicture({ results, id, token, onShow }: Opened) {
  const at = results.findIndex((one) => one.id === id);
  const picture = results[at];
  if (!picture) return null;
  const move = (by: number): void => {
    const next = results[at + by];
    if (next) onShow(next.id);
  };
  return (
    <Modal label={picture.caption || "Picture"} class="shared-picture" onClose={() => onShow(null)}>
      <figure
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft") move(-1);
          else if (event.key === "ArrowRight") move(1);
        }}
      >
        <img src={sharedPicture(token, id)} alt={picture.caption || "The picture, large"} />
        <figcaption>
          <IconButton icon="left" label="Previous" keys="←" disabled={at === 0} onClick={() => move(-1)} />
          <span>{picture.caption}</span>
          <IconButton icon="right" label="Next" keys="→" disabled={at === results.length - 1} onClick={() => move(1)} />
          <IconButton icon="close" label="Close" keys="Esc" onClick={() => onShow(null)} />
        </figcaption>
      </figure>
    </Modal>
  );
}
