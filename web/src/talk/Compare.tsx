/** Two turns side by side: what each showed, and which pictures they share. */
import { useSignal } from "@preact/signals";
import type { Turn } from "../api/types";
import { IconButton, Modal } from "../shell/controls";
import { Thumb } from "../shell/Thumb";
import { collection, rollback, turns } from "../state/talk";
import { count, shortened } from "../text/words";
import { headline, shared } from "./telling";

export function Compare({ first, onClose }: { first: number; onClose: () => void }) {
  const list = turns.value;
  const other = list.findLast((turn) => turn.number !== first)?.number ?? first;
  const left = useSignal(Math.min(first, other));
  const right = useSignal(Math.max(first, other));
  const a = list.find((turn) => turn.number === left.value);
  const b = list.find((turn) => turn.number === right.value);
  if (!a || !b) return null;
  const both = shared(a, b);
  return (
    <Modal label="Two turns side by side" class="compare" onClose={onClose}>
      <header class="compare-head">
        <h2>Side by side</h2>
        <p class="quiet">
          {both.size ? `${count(both.size, "picture")} in both, framed below.` : "No picture is in both."}
        </p>
        <IconButton icon="close" label="Close" keys="Esc" onClick={onClose} />
      </header>
      <div class="compare-sides">
        <Side
          turn={a}
          both={both}
          onChoose={(turn) => {
            left.value = turn;
          }}
          name="Left"
          onClose={onClose}
        />
        <Side
          turn={b}
          both={both}
          onChoose={(turn) => {
            right.value = turn;
          }}
          name="Right"
          onClose={onClose}
        />
      </div>
    </Modal>
  );
}

function Side({
  turn,
  both,
  onChoose,
  name,
  onClose,
}: {
  turn: Turn;
  both: Set<string>;
  onChoose: (turn: number) => void;
  name: string;
  onClose: () => void;
}) {
  return (
    <section class="side" aria-label={`${name}: turn ${turn.number}`}>
      <select
        aria-label={`${name} turn`}
        value={turn.number}
        onChange={(event) => onChoose(Number(event.currentTarget.value))}
      >
        {turns.value.map((one) => (
          <option key={one.number} value={one.number}>
            {one.number}. {shortened(headline(one), 60)}
          </option>
        ))}
      </select>
      <p class="reply">{turn.reply}</p>
      <ol class="side-pictures" role="list">
        {turn.results.map((result) => (
          <li key={result.id} class={both.has(result.id) ? "in-both" : ""}>
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
        Go on from turn {turn.number}
      </button>
    </section>
  );
}
