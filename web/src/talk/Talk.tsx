/** The left half: the conversation. On a phone it is a sheet that slides up over the wall. */
import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get } from "../api/client";
import { toggles } from "../shell/controls";
import { Head } from "../shell/Head";
import { Icon } from "../shell/Icon";
import { isNarrow, useLayer } from "../shell/useLayer";
import { live } from "../state/live";
import { takeOpening } from "../state/opening";
import {
  branch,
  busy,
  closedComparison,
  collection,
  command,
  conversation,
  lastStep,
  latest,
  opening,
  question,
  rollback,
  say,
  sheetOpen,
  showEarlier,
  turns,
  undo,
} from "../state/talk";
import { Composer, focusComposerQuietly } from "./Composer";
import { Earlier } from "./Earlier";
import { earlier } from "./pages";
import { QuestionCard } from "./QuestionCard";
import { found, isClick, isDeadEnd, isStep, otherwise, standing, story } from "./story";
import { replyInWords } from "./telling";
import { TurnCard } from "./TurnCard";
import { waysOn, type Way } from "./ways";
import { editMarked } from "../picture/editing";
import { facetWanted } from "../shell/filters";
import { filtersOpen } from "../state/preferences";
import { showPicture } from "../state/router";
import { columns } from "../wall/columns";
import { source } from "../state/wall";
import { lazily } from "../shell/lazily";

const Compare = lazily(() => import("./Compare").then((part) => part.Compare));

export function Talk() {
  const comparing = useSignal<number | null>(null);
  useLayer(() => {
    sheetOpen.value = false;
  }, sheetOpen.value && isNarrow());
  return (
    <aside class={`talk ${sheetOpen.value ? "raised" : ""}`} aria-label="Conversation">
      <Head />
      <button type="button" class="sheet-handle" aria-expanded={sheetOpen.value} onClick={toggles(sheetOpen)}>
        <span class="sheet-line">{lastWord()}</span>
        <Icon name={sheetOpen.value ? "down" : "up"} />
        <span class="visually-hidden">{sheetOpen.value ? "Hide the conversation" : "Show the conversation"}</span>
      </button>
      <History
        onCompare={(turn) => {
          comparing.value = turn;
        }}
      />
      <div class={`talk-foot ${source.value.kind === "list" ? "elsewhere" : ""}`}>
        {question.value && <QuestionCard question={question.value} />}
        <Composer />
      </div>
      {comparing.value !== null && (
        <Compare
          first={comparing.value}
          onClose={() => {
            comparing.value = null;
          }}
        />
      )}
    </aside>
  );
}

/** What the closed sheet of a phone says. */
function lastWord(): string {
  const turn = turns.value.find((one) => one.number === standing(turns.value)) ?? latest.value;
  const told =
    closedComparison.value === lastStep.value
      ? turns.value.findLast((one) => !one.comparison)
      : latest.value && isStep(latest.value)
        ? turn
        : latest.value;
  if (!told) return "What are you looking for?";
  return (isClick(told) && found(told)) || replyInWords(told, turns.value);
}

function History({ onCompare }: { onCompare: (turn: number) => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  useSignalEffect(() => {
    void [latest.value?.number, live.value?.message];
    following.current = true;
    requestAnimationFrame(() => follow(scroller.current));
  });
  // A question that opens below, or things to tap that come later, must not hide the answer.
  useEffect(() => {
    const pane = scroller.current;
    if (!pane) return;
    const keep = (): void => {
      if (following.current) follow(pane);
    };
    const sizes = new ResizeObserver(keep);
    sizes.observe(pane);
    for (const part of pane.querySelectorAll(".turns")) sizes.observe(part); // it grows when pictures and words come
    const parts = new MutationObserver(keep);
    parts.observe(pane, { childList: true, subtree: true });
    return () => {
      sizes.disconnect();
      parts.disconnect();
    };
  }, []);
  const letGo = (): void => {
    following.current = false; // who looks at something earlier is left there
  };
  const list = turns.value;
  const name = collection.value ?? "";
  return (
    <div class="history" ref={scroller} tabIndex={-1} onWheel={letGo} onTouchMove={letGo} onKeyDown={letGo}>
      {list.length === 0 && !live.value && !opening.value && <Welcome />}
      {conversation.value?.branch_of && (
        <p class="branch-note">
          <Icon name="branch" size={14} /> Branched from another conversation
        </p>
      )}
      {conversation.value && <Earlier left={earlier(conversation.value)} onShow={() => void showEarlier()} />}
      <ol class="turns" role="list" aria-label="Turns" data-latest={latest.value?.number ?? 0}>
        {story(list).map((entry) => (
          <TurnCard
            key={entry.turn.number}
            entry={entry}
            turns={list}
            collection={name}
            onBack={(at) => void rollback(at)}
            onBranch={(at) => void branch(at)}
            onCompare={onCompare}
          />
        ))}
      </ol>
      {live.value ? (
        <Answering />
      ) : (
        <>
          <Otherwise />
          <WaysOn />
        </>
      )}
    </div>
  );
}

/** Room above the beginning of an answer; it glides in from a little below its place. */
const ABOVE = 14;

/** Scrolls to the end; of an answer that is higher than the pane, to its beginning. */
function follow(pane: HTMLElement | null): void {
  const last = [...(pane?.querySelectorAll<HTMLElement>(".turn") ?? [])].at(-1);
  if (!pane || !last) return; // before the first turn, measuring would only cost the first paint a layout
  const current = pane.querySelector<HTMLElement>(".turn.current");
  // A step back is shown where it led to; an answer that changes no picture stands at the end like any other.
  const back = current && !live.value && latest.value && isStep(latest.value);
  if (back) return current.scrollIntoView({ block: "nearest" });
  const begins = last.getBoundingClientRect().top - pane.getBoundingClientRect().top + pane.scrollTop;
  pane.scrollTo({ top: Math.min(pane.scrollHeight - pane.clientHeight, begins - ABOVE) });
}

/** The other way to take the last message: a new description starts anew, and may have been meant as an addition. */
function Otherwise() {
  const other = otherwise(turns.value);
  if (!other || latest.value?.question?.kind === "clarify") return null;
  return (
    <button
      type="button"
      class="button small otherwise"
      disabled={busy.value}
      onClick={() => {
        focusComposerQuietly();
        void (other.commands.length > 1 ? command(other.commands, latest.value?.message) : undo());
      }}
    >
      {other.label}
    </button>
  );
}

const STAGES = {
  sent: "Looking …",
  results: "Finding out why …",
  reasons: "One more thought …",
  away: "Waiting for the server …",
};

function Answering() {
  const now = live.value;
  if (!now) return null;
  return (
    <div class="turn answering">
      <span class="turn-dot pulse" aria-hidden="true" />
      <div class="turn-body">
        <p class="said">{now.message}</p>
        <p class="reply quiet">{STAGES[now.stage]}</p>
      </div>
    </div>
  );
}

/** Where a message came to nothing: things to tap instead of a dead end. */
function WaysOn() {
  const samples = useSamples();
  const turn = latest.value;
  const ways = waysOn(turns.value);
  if (ways.length > 0)
    return (
      <div class="ways-on" role="group" aria-label="What you could do instead">
        {ways.map((way) => (
          <button key={way.label} type="button" class="button small" onClick={() => take(way)}>
            {way.label}
          </button>
        ))}
      </div>
    );
  if (!turn || !isDeadEnd(turn)) return null;
  const standsOn = turn.brief.wishes.some((wish) => wish.active);
  return (
    <div class="ways-on" role="group" aria-label="What you could do instead">
      {samples.value.slice(0, 3).map((text) => (
        <button key={text} type="button" class="button small" onClick={() => sayHere(text)}>
          {text}
        </button>
      ))}
      {standsOn && (
        <button type="button" class="button small" onClick={() => void command(["reset"], "from the start")}>
          Start over
        </button>
      )}
    </div>
  );
}

function take(way: Way): void {
  if (way.to === "picture") return showPicture(way.id);
  if (way.to === "mark") return editMarked(way.id, way.command);
  facetWanted.value = way.field;
  filtersOpen.value = true;
  sheetOpen.value = false; // on a phone the filters lie below it
}

function sayHere(text: string): void {
  focusComposerQuietly();
  void say(text, { columns: columns.value });
}

/** Sentences that find something here. */
function useSamples(): Signal<string[]> {
  const name = collection.value;
  const samples = useSignal(takeOpening("suggestions", (one) => one.collection === name)?.messages ?? []);
  useEffect(() => {
    if (!name || samples.value.length) return;
    get<{ messages: string[] }>(`/collections/${encodeURIComponent(name)}/suggestions`)
      .then((found) => {
        samples.value = found.messages;
      })
      .catch(() => {
        samples.value = [];
      });
  }, [name]);
  return samples;
}

/** Before the first word: sentences that find something here. */
function Welcome() {
  const samples = useSamples();
  return (
    <div class="welcome">
      <h2>What are you looking for?</h2>
      <p>
        Say it as you would to a person. Then say what should be different, point at pictures, go back, until it is
        there.
      </p>
      {samples.value.length > 0 && (
        <ul class="samples" role="list" aria-label="Things to say here">
          {samples.value.slice(0, 6).map((text) => (
            <li key={text}>
              <button type="button" class="sample" onClick={() => sayHere(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="quiet small">You can also drop or paste a picture to search with it.</p>
    </div>
  );
}
