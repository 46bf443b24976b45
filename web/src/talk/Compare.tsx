/** Two turns side by side: what each showed, and which pictures only one of them did. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { send } from "../api/client";
import type { Result, Turn } from "../api/types";
import { IconButton } from "../shell/controls";
import { Modal } from "../shell/Modal";
import { Thumb } from "../shell/Thumb";
import { tell } from "../state/notices";
import { collection, conversation, rollback, turns } from "../state/talk";
import { count, shortened } from "../text/words";
import { story } from "./story";
import { headline, matched, replyInWords, shared } from "./telling";

export function Compare({ first, onClose }: { first: number; onClose: () => void }) {
  const list = story(turns.value).map((entry) => entry.turn);
  const other = list.findLast((turn) => turn.number !== first)?.number ?? first;
  const shown = useSignal<[number, number]>([Math.min(first, other), Math.max(first, other)]);
  const pair = shown.value.map((number) => list.find((turn) => turn.number === number));
  const [a, b] = pair;
  const more = useSignal<Record<number, Result[]>>({});
  // A turn holds its first pictures; what differs is told of all that match.
  useEffect(() => {
    for (const turn of pair) {
      if (!turn || more.value[turn.number] || (turn.matches ?? 0) <= turn.results.length) continue;
      fetchMatches(turn)
        .then((found) => {
          more.value = { ...more.value, [turn.number]: found };
        })
        .catch(tell);
    }
  }, [a, b]);
  if (!a || !b) return null;
  const lists = [a, b].map((turn) => matched(turn, more.value[turn.number]));
  const both = shared(lists[0]!, lists[1]!);
  const alone = lists[0]!.length + lists[1]!.length - 2 * both.size;
  const choose = (side: number, turn: number): void => {
    shown.value = side === 0 ? [turn, shown.value[1]] : [shown.value[0], turn];
  };
  return (
    <Modal label="Two steps side by side" class="compare" onClose={onClose}>
      <header class="compare-head">
        <h2>Side by side</h2>
        <p class="quiet">
          {alone === 0
            ? "The same pictures match both."
            : `${beginning([a, b], lists)}${count(alone, "picture")} in one of them only, framed; ${both.size} in both.`}
        </p>
        <IconButton icon="close" label="Close" keys="Esc" onClick={onClose} />
      </header>
      <div class="compare-sides">
        {[a, b].map((turn, side) => (
          <Side
            key={side}
            list={list}
            turn={turn}
            pictures={lists[side]!}
            both={both}
            onChoose={(next) => choose(side, next)}
            name={side === 0 ? "Left" : "Right"}
            onClose={onClose}
          />
        ))}
      </div>
    </Modal>
  );
}

/** As many more as are fetched at once. */
const MORE = 200;

async function fetchMatches(turn: Turn): Promise<Result[]> {
  const query = `turn=${turn.number}&offset=${turn.results.length}&limit=${MORE}`;
  const path = `/conversations/${encodeURIComponent(conversation.value?.id ?? "")}/more?${query}`;
  return (await send<{ results: Result[] }>("POST", path)).results;
}

/** Only the beginning of a long list is compared. */
function beginning(pair: readonly Turn[], lists: readonly Result[][]): string {
  const most = Math.max(...lists.map((list) => list.length));
  return pair.some((turn, at) => (turn.matches ?? 0) > lists[at]!.length) ? `Among the first ${most} of each: ` : "";
}

function Side({
  list,
  turn,
  pictures,
  both,
  onChoose,
  name,
  onClose,
}: {
  list: readonly Turn[];
  turn: Turn;
  pictures: readonly Result[];
  both: Set<string>;
  onChoose: (turn: number) => void;
  name: string;
  onClose: () => void;
}) {
  return (
    <section class="side" aria-label={`${name}: ${headline(turn)}`}>
      <select
        aria-label={`${name} step`}
        value={turn.number}
        onChange={(event) => onChoose(Number(event.currentTarget.value))}
      >
        {list.map((one) => (
          <option key={one.number} value={one.number}>
            {shortened(headline(one), 60)}
          </option>
        ))}
      </select>
      <p class="reply">{replyInWords(turn, turns.value)}</p>
      <ol class="side-pictures" role="list">
        {pictures.map((result) => (
          <li key={result.id} class={both.has(result.id) ? "" : "alone"}>
            <Thumb collection={collection.value ?? ""} id={result.id} alt={result.caption ?? "picture"} size={320} />
          </li>
        ))}
      </ol>
      {turn.results.length === 0 && <p class="quiet">Nothing was shown.</p>}
      <button
        type="button"
        class="button"
        onClick={() => {
          onClose();
          void rollback(turn.number);
        }}
      >
        Go on from here
      </button>
    </section>
  );
}
