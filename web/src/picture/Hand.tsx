/** The picture in hand, above the wall: what words make of it is seen here, and each of its steps leads back. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { thumbnail } from "../api/addresses";
import type { Hand as InHand } from "../api/types";
import { Icon } from "../shell/Icon";
import { IconButton, toggles } from "../shell/controls";
import { filtersOpen, showCommands } from "../state/preferences";
import { showPicture } from "../state/router";
import { mayWrite } from "../state/session";
import { busy, collection, edit, latest, turns } from "../state/talk";
import { pointAt } from "../talk/pointing";
import { markedNow } from "../talk/QuestionCard";
import { Download } from "./Download";
import { correct, editing, goBackTo } from "./editing";
import { hasMask } from "./marks";
import { BeforeAfter } from "./BeforeAfter";
import { inWords, takenAt } from "./steps";

/** `after` is the turn after which it has to be taken to be shown; an album shows only what was taken while it hung. */
export function Hand({ after = 0 }: { after?: number }) {
  const hand = latest.value?.hand;
  const closed = useSignal(0);
  const folded = useSignal(false);
  useEffect(() => {
    if (filtersOpen.value) folded.value = true; // the drawer needs the height
  }, [filtersOpen.value]);
  const taken = takenAt(turns.value);
  if (!hand || !collection.value || taken <= Math.max(after, closed.value)) return null;
  return (
    <section class={`hand ${folded.value ? "folded" : ""}`} aria-label="The picture in hand" aria-busy={busy.value}>
      {!folded.value && <Look key={hand.source} hand={hand} collection={collection.value} />}
      <div class="hand-side">
        <Steps hand={hand} />
        {!folded.value && mayWrite.value && <Quick picture={hand.picture} />}
        {!folded.value && <Tools hand={hand} />}
      </div>
      <IconButton
        icon={folded.value ? "down" : "up"}
        label={folded.value ? "Show the picture in hand" : "Fold the picture in hand"}
        class="hand-fold"
        aria-expanded={!folded.value}
        onClick={toggles(folded)}
      />
      <IconButton
        icon="close"
        label="Put the picture in hand away"
        class="hand-close"
        onClick={() => {
          closed.value = latest.value?.number ?? 0;
        }}
      />
    </section>
  );
}

/** Large enough to judge an edit; a click opens it in the whole window. */
function Look({ hand, collection: name }: { hand: InHand; collection: string }) {
  const comparing = useSignal(false);
  const edited = hand.picture !== hand.source;
  const marks = markedNow(hand.picture);
  return (
    <div class="hand-look">
      <button
        type="button"
        class="hand-picture"
        aria-label="Open the picture in hand"
        onClick={() => showPicture(hand.picture)}
      >
        <Sharp key={hand.picture} collection={name} id={hand.picture} />
        {marks && <img class="hand-marked" src={marks} alt="" draggable={false} />}
      </button>
      {edited && comparing.value && <BeforeAfter collection={name} source={hand.source} edits={hand.edits} />}
      {edited && (
        <IconButton
          icon="compare"
          label="Compare with the original"
          class="hand-compare"
          pressed={comparing.value}
          onClick={toggles(comparing)}
        />
      )}
      {busy.value && (
        <span class="hand-busy" role="status">
          Working …
        </span>
      )}
    </div>
  );
}

/** The thumbnail at once, a larger copy as soon as it is there; only that one has transparent parts. */
function Sharp({ collection: name, id }: { collection: string; id: string }) {
  const [there, setThere] = useState(false);
  return (
    <>
      {!there && <img src={thumbnail(name, id)} alt="" draggable={false} />}
      <img src={thumbnail(name, id, 640)} alt="" draggable={false} onLoad={() => setThere(true)} />
    </>
  );
}

function Steps({ hand }: { hand: InHand }) {
  const last = hand.edits.length;
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => list.current?.scrollTo({ left: list.current.scrollWidth }), [last]);
  return (
    <ol class="hand-steps" role="list" aria-label="Steps, each leads back to it" ref={list}>
      {["original", ...hand.edits].map((command, i) => (
        <li key={i}>
          <button
            type="button"
            class="hand-step"
            aria-current={i === last ? "step" : undefined}
            disabled={busy.value || i === last}
            title={i === 0 ? "The picture as it was" : showCommands.value ? command : "Back to this step"}
            onClick={() => void goBackTo(hand.source, hand.edits.slice(0, i))}
          >
            {i === 0 ? command : inWords(command)}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** What is wanted most often, with a click; the commands are those that words stand for. */
const QUICK: [label: string, command: string][] = [
  ["Brighter", "adjust_attr brightness 20"],
  ["Darker", "adjust_attr brightness -20"],
  ["More contrast", "adjust_attr contrast 20"],
  ["Warmer", "adjust_attr warmth 20"],
  ["Turn left", "rotate 90"],
  ["Turn right", "rotate 270"],
  ["Level", "straighten"],
  ["Cut out", "image_cutout"],
];

function Quick({ picture }: { picture: string }) {
  return (
    <div class="hand-quick" role="group" aria-label="Quick edits">
      {QUICK.map(([label, command]) => (
        <button
          key={command}
          type="button"
          class="button small"
          title={showCommands.value ? command : undefined}
          disabled={busy.value}
          onClick={() => void edit(picture, [command])}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

function Tools({ hand }: { hand: InHand }) {
  return (
    <div class="hand-tools">
      {mayWrite.value && (
        <button
          type="button"
          class="button small accent"
          onClick={() => {
            editing.value = true;
            showPicture(hand.picture);
          }}
        >
          <Icon name="edit" size={15} /> All edits
        </button>
      )}
      <button
        type="button"
        class="button small"
        disabled={busy.value}
        onClick={() => void pointAt(hand.picture, "like")}
      >
        <Icon name="similar" size={15} /> Others like this
      </button>
      {mayWrite.value && hand.edits.length > 0 && hasMask(hand.edits.at(-1)!) && (
        <button
          type="button"
          class="button small"
          disabled={busy.value}
          onClick={() => void correct(hand.source, hand.edits.slice(0, -1), hand.edits.at(-1)!)}
        >
          <Icon name="brush" size={15} /> Correct the mask
        </button>
      )}
      <Download id={hand.picture} />
    </div>
  );
}
