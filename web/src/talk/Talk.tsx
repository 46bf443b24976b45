/** The left half: the conversation. On a phone it is a sheet that slides up over the wall. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get } from "../api/client";
import { Head } from "../shell/Head";
import { Icon } from "../shell/Icon";
import { live } from "../state/live";
import { takeOpening } from "../state/opening";
import {
  branch,
  collection,
  conversation,
  latest,
  opening,
  question,
  rollback,
  say,
  showEarlier,
  turns,
} from "../state/talk";
import { Composer, focusComposerQuietly } from "./Composer";
import { Compare } from "./Compare";
import { Earlier } from "./Earlier";
import { earlier } from "./pages";
import { QuestionCard } from "./QuestionCard";
import { lineage } from "./telling";
import { TurnCard } from "./TurnCard";
import { columns } from "../wall/columns";

export function Talk() {
  const sheet = useSignal(false);
  const comparing = useSignal<number | null>(null);
  return (
    <aside class={`talk ${sheet.value ? "raised" : ""}`} aria-label="Conversation">
      <Head />
      <button
        type="button"
        class="sheet-handle"
        aria-expanded={sheet.value}
        onClick={() => {
          sheet.value = !sheet.value;
        }}
      >
        <span class="sheet-line">{latest.value?.reply ?? "What are you looking for?"}</span>
        <Icon name={sheet.value ? "down" : "up"} />
        <span class="visually-hidden">{sheet.value ? "Hide the conversation" : "Show the conversation"}</span>
      </button>
      <History
        onCompare={(turn) => {
          comparing.value = turn;
        }}
      />
      <div class="talk-foot">
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

function History({ onCompare }: { onCompare: (turn: number) => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    void [latest.value?.number, live.value?.message];
    requestAnimationFrame(() => scroller.current?.scrollTo({ top: scroller.current.scrollHeight }));
  });
  const list = turns.value;
  const path = lineage(list);
  const stands = latest.value?.stands_at;
  const name = collection.value ?? "";
  return (
    <div class="history" ref={scroller} tabIndex={-1}>
      {list.length === 0 && !live.value && !opening.value && <Welcome />}
      {conversation.value?.branch_of && (
        <p class="branch-note">
          <Icon name="branch" size={14} /> Branched from another conversation at turn {conversation.value.branch_at}
        </p>
      )}
      {conversation.value && <Earlier left={earlier(conversation.value)} onShow={() => void showEarlier()} />}
      <ol class="turns" role="list" aria-label="Turns">
        {list.map((turn) => (
          <TurnCard
            key={turn.number}
            turn={turn}
            collection={name}
            current={turn.number === stands || (turn === latest.value && stands === undefined)}
            onPath={path.has(turn.number) || turn === latest.value}
            onBack={(at) => void rollback(at)}
            onBranch={(at) => void branch(at)}
            onCompare={onCompare}
          />
        ))}
      </ol>
      {live.value && <Answering />}
    </div>
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
      <span class="turn-number pulse" aria-hidden="true" />
      <div class="turn-body">
        <p class="said">{now.message}</p>
        <p class="reply quiet">{STAGES[now.stage]}</p>
      </div>
    </div>
  );
}

/** Before the first word: sentences that find something here. */
function Welcome() {
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
              <button
                type="button"
                class="sample"
                onClick={() => {
                  focusComposerQuietly();
                  void say(text, { columns: columns.value });
                }}
              >
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
