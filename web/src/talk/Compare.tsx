/** Two turns side by side: what each showed, and which pictures only one of them did. */
import { useSignal } from "@preact/signals";
import type { Turn } from "../api/types";
import { IconButton } from "../shell/controls";
import { Modal } from "../shell/Modal";
import { Thumb } from "../shell/Thumb";
import { collection, rollback, turns } from "../state/talk";
import { count, shortened } from "../text/words";
import { story } from "./story";
import { headline, replyInWords, shared } from "./telling";

export function Compare({ first, onClose }: { first: number; onClose: () => void }) {
  const list = story(turns.value).map((entry) => entry.turn);
  const other = list.findLast((turn) => turn.number !== first)?.number ?? first;
  const shown = useSignal<[number, number]>([Math.min(first, other), Math.max(first, other)]);
  const pair = shown.value.map((number) => list.find((turn) => turn.number === number));
  const [a, b] = pair;
  if (!a || !b) return null;
  const both = shared(a, b);
  const alone = a.results.length + b.results.length - 2 * both.size;
  const choose = (side: number, turn: number): void => {
    shown.value = side === 0 ? [turn, shown.value[1]] : [shown.value[0], turn];
  };
  return (
    <Modal label="Two steps side by side" class="compare" onClose={onClose}>
      <header class="compare-head">
        <h2>Side by side</h2>
        <p class="quiet">
          {alone === 0
            ? "Both show the same pictures."
            : `${beginning(a, b)}${count(alone, "picture")} in one of them only, framed; ${both.size} in both.`}
        </p>
        <IconButton icon="close" label="Close" keys="Esc" onClick={onClose} />
      </header>
      <div class="compare-sides">
        {[a, b].map((turn, side) => (
          <Side
            key={side}
            list={list}
            turn={turn}
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

/** Only the beginning of a long list is compared. */
function beginning(...pair: Turn[]): string {
  const most = Math.max(...pair.map((turn) => turn.results.length));
  return pair.some((turn) => (turn.matches ?? 0) > turn.results.length) ? `Among the first ${most} of each: ` : "";
}

function Side({
  list,
  turn,
  both,
  onChoose,
  name,
  onClose,
}: {
  list: readonly Turn[];
  turn: Turn;
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
        {turn.results.map((result) => (
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
