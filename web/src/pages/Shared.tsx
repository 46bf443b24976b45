/** A conversation that somebody shared: to look at, not to change. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { get, type ApiError } from "../api/client";
import { sharedPicture } from "../api/addresses";
import type { Conversation, Hand, Turn } from "../api/types";
import { inWords } from "../picture/steps";
import { versionsOf, withVersions, type Shown } from "../picture/versions";
import { IconButton, toggles } from "../shell/controls";
import { Modal } from "../shell/Modal";
import { Icon, Mark } from "../shell/Icon";
import { Earlier } from "../talk/Earlier";
import { earlier, withEarlier } from "../talk/pages";
import { story } from "../talk/story";
import { headline, titleOf } from "../talk/telling";
import { TurnCard } from "../talk/TurnCard";
import { nearBreaks } from "../wall/parts";
import { Failure, isLost, Lost, Skeleton } from "../wall/states";
import { Wall } from "../wall/Wall";
import { amount, count, price, shortened } from "../text/words";
import "../styles/pages.css";

export function Shared({ token }: { token: string }) {
  const talk = useSignal<Conversation | null>(null);
  const error = useSignal<ApiError | null>(null);
  const chosen = useSignal<number | null>(null);
  const opened = useSignal<string | null>(null);
  const folded = useSignal(false);
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
  const entries = useMemo(() => story(now?.turns ?? []), [now]);
  const shown = entries.find((one) => (chosen.value === null ? one.current : one.turn.number === chosen.value));
  const entry = shown ?? entries.at(-1);
  const turn = entry?.turn;
  const pictures = useMemo(() => picturesOf(now, turn), [now, turn]);
  const breaks = useMemo(() => nearBreaks(turn?.results ?? []), [turn]);
  const history = useRef<HTMLDivElement>(null);
  // The step that hangs on the wall is in sight, however long the conversation is.
  useEffect(() => {
    history.current?.querySelector(".turn.current")?.scrollIntoView({ block: "nearest" });
  }, [turn?.number]);
  if (isLost(error.value)) return <Lost />;
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
      <aside class={`talk ${folded.value ? "" : "raised"}`} aria-label="Conversation">
        <button type="button" class="sheet-handle" aria-expanded={!folded.value} onClick={toggles(folded)}>
          <span class="sheet-line">{turn ? headline(turn) : titleOf(now)}</span>
          <Icon name={folded.value ? "up" : "down"} />
          <span class="visually-hidden">{folded.value ? "Show the conversation" : "Hide the conversation"}</span>
        </button>
        <header class="head">
          <div class="head-row">
            <Mark />
            <span class="place-name">{titleOf(now)}</span>
          </div>
        </header>
        <div class="history" ref={history}>
          <p class="branch-note">Shared to look at. Choose a step to see what it showed.</p>
          <Earlier left={earlier(now)} onShow={() => more(now)} />
          <ol class="turns" role="list" aria-label="Turns">
            {entries.map((one) => (
              <TurnCard
                key={one.turn.number}
                entry={{ ...one, current: one === entry }}
                turns={now.turns}
                collection={now.collection}
                share={token}
                onShow={(at) => {
                  chosen.value = at;
                }}
              />
            ))}
          </ol>
        </div>
      </aside>
      <main class="board" aria-label="Pictures">
        <Wall
          pictures={pictures}
          collection={now.collection}
          share={token}
          breaks={breaks}
          label={turn ? `Results: ${headline(turn)}` : "Results"}
          onOpen={(id) => {
            opened.value = id;
          }}
          above={
            <>
              <h1 class="visually-hidden">{titleOf(now)}</h1>
              {turn?.hand && turn.hand.edits.length > 0 && (
                <SharedHand
                  hand={turn.hand}
                  token={token}
                  onOpen={(id) => {
                    opened.value = id;
                  }}
                />
              )}
            </>
          }
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
          results={pictures}
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

/** What hung at a step: pictures that were edited until then are shown edited. */
function picturesOf(talk: Conversation | null, turn: Turn | undefined): readonly Shown[] {
  const until = talk?.turns.filter((one) => one.number <= (turn?.number ?? 0)) ?? [];
  return withVersions(turn?.results ?? [], versionsOf(until));
}

/** The picture that a step edited, above what hung there. */
function SharedHand({ hand, token, onOpen }: { hand: Hand; token: string; onOpen: (id: string) => void }) {
  const steps = hand.edits.map(inWords).join(", ");
  return (
    <button
      type="button"
      class="shared-hand"
      aria-label={`Open the edited picture: ${steps}`}
      onClick={() => onOpen(hand.picture)}
    >
      <img src={sharedPicture(token, hand.picture)} alt="" draggable={false} />
      <span>{steps}</span>
    </button>
  );
}

interface Opened {
  results: readonly Shown[];
  id: string;
  token: string;
  onShow: (id: string | null) => void;
}

/** The words of a picture as the name of its file. */
function fileName(words: string): string {
  return shortened(words.replace(/[/\\:*?"<>|]/g, " "), 80).replace(/[ .…]+$/, "");
}

/** A picture of a shared conversation, large, with its words. */
function SharedPicture({ results, id, token, onShow }: Opened) {
  const at = results.findIndex((one) => one.id === id || one.version === id);
  const picture = results[at];
  const shown = picture?.version ?? id;
  const words = picture?.title || picture?.caption || "";
  const move = (by: number): void => {
    const next = results[at + by];
    if (next) onShow(next.id);
  };
  return (
    <Modal label={words || "Picture"} class="shared-picture" onClose={() => onShow(null)}>
      <figure
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft") move(-1);
          else if (event.key === "ArrowRight") move(1);
        }}
      >
        <img src={sharedPicture(token, shown)} alt={words || "The picture, large"} />
        <figcaption>
          <IconButton icon="left" label="Previous" keys="←" disabled={at <= 0} onClick={() => move(-1)} />
          <span>
            {words}
            {picture?.price != null && <strong> {price(picture.price, picture.currency)}</strong>}
          </span>
          <IconButton
            icon="right"
            label="Next"
            keys="→"
            disabled={at < 0 || at === results.length - 1}
            onClick={() => move(1)}
          />
          <a
            class="icon-button"
            href={sharedPicture(token, shown)}
            download={`${fileName(words) || shown.slice(0, 8)}.webp`}
            aria-label="Download as it is shown"
            title="Download as it is shown"
          >
            <Icon name="export" />
          </a>
          <IconButton icon="close" label="Close" keys="Esc" onClick={() => onShow(null)} />
        </figcaption>
      </figure>
    </Modal>
  );
}
