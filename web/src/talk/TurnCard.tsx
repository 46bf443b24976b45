/** One turn of the history: what was said, what was answered, and the first pictures that were shown. */
import type { Comparison, Turn } from "../api/types";
import { IconButton } from "../shell/controls";
import { Thumb } from "../shell/Thumb";
import { showCommands } from "../state/preferences";
import { attributeName } from "../text/words";
import { headline, pictureNames, understood, understoodInWords } from "./telling";

interface Props {
  turn: Turn;
  collection: string;
  share?: string | undefined;
  /** Whether its state is the one in force. */
  current: boolean;
  /** Whether it led to the state in force, or was a side step. */
  onPath: boolean;
  onBack?: (turn: number) => void;
  onBranch?: (turn: number) => void;
  onCompare?: (turn: number) => void;
}

const THUMBS = 5;

export function TurnCard({ turn, collection, share, current, onPath, onBack, onBranch, onCompare }: Props) {
  const commands = understood(turn);
  const told = showCommands.value ? commands : commands && understoodInWords(turn);
  const pictures =
    turn.hand && turn.hand.edits.length ? [turn.hand.picture] : turn.results.slice(0, THUMBS).map((one) => one.id);
  const title = headline(turn);
  return (
    <li
      class={`turn ${current ? "current" : ""} ${onPath ? "" : "aside"}`}
      id={`turn-${turn.number}`}
      aria-current={current ? "step" : undefined}
    >
      <span class="turn-number" aria-label={`Turn ${turn.number}`}>
        {turn.number}
      </span>
      <div class="turn-body">
        <p class="said">{title}</p>
        {told && (
          <p class="understood" title={commands}>
            {told}
          </p>
        )}
        {turn.reply && <p class="reply">{turn.comparison ? sideBySide(turn.comparison) : turn.reply}</p>}
        {turn.comparison && (
          <Differences turn={turn} comparison={turn.comparison} collection={collection} share={share} />
        )}
        {pictures.length > 0 &&
          (onBack ? (
            <button
              type="button"
              class="strip"
              aria-label={`Go back to turn ${turn.number}: ${title}`}
              title={`Go back to turn ${turn.number}`}
              onClick={() => onBack(turn.number)}
            >
              {pictures.map((id) => (
                <Thumb key={id} collection={collection} id={id} share={share} />
              ))}
            </button>
          ) : (
            <div class="strip">
              {pictures.map((id) => (
                <Thumb key={id} collection={collection} id={id} share={share} />
              ))}
            </div>
          ))}
        {onBranch && (
          <div class="turn-tools">
            {!current && (
              <IconButton icon="back" label={`Go back to turn ${turn.number}`} onClick={() => onBack?.(turn.number)} />
            )}
            <IconButton icon="branch" label={`Branch from turn ${turn.number}`} onClick={() => onBranch(turn.number)} />
            <IconButton
              icon="compare"
              label={`Compare turn ${turn.number} with another`}
              onClick={() => onCompare?.(turn.number)}
            />
          </div>
        )}
      </div>
    </li>
  );
}

/** What the reply says in a row is shown as a table. */
function sideBySide(comparison: Comparison): string {
  return comparison.rows.length ? "What differs:" : "I see no difference.";
}

interface Compared {
  turn: Turn;
  comparison: Comparison;
  collection: string;
  share: string | undefined;
}

function Differences({ turn, comparison, collection, share }: Compared) {
  const names = pictureNames(turn, comparison.pictures);
  return (
    <div class="differences">
      <table aria-label="Pictures side by side">
        <thead>
          <tr>
            <td />
            {comparison.pictures.map((id, at) => (
              <th key={id} scope="col">
                <Thumb collection={collection} id={id} share={share} alt={names[at] ?? ""} size={320} />
                <span>{names[at]}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {comparison.rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{attributeName(row.name)}</th>
              {row.values.map((value, at) => (
                <td key={comparison.pictures[at]}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
