/** One turn of the history: what was said, what was answered, and the first pictures that were shown. */
import type { Comparison, Turn } from "../api/types";
import { IconButton } from "../shell/controls";
import { Thumb } from "../shell/Thumb";
import { showCommands } from "../state/preferences";
import { rowsOf } from "./comparison";
import { found, type Entry } from "./story";
import { editedInWords, headline, pictureNames, replyInWords, understood, understoodInWords } from "./telling";

interface Props {
  entry: Entry;
  /** All turns, by which this one calls others. */
  turns: readonly Turn[];
  collection: string;
  share?: string | undefined;
  onBack?: (turn: number) => void;
  /** Shows what a turn showed, where nothing can be gone back to: a click anywhere on its words does it. */
  onShow?: (turn: number) => void;
  onBranch?: (turn: number) => void;
  onCompare?: (turn: number) => void;
}

const THUMBS = 5;

export function TurnCard({ entry, turns, collection, share, onBack, onShow, onBranch, onCompare }: Props) {
  const { turn, current, onPath } = entry;
  const commands = understood(turn);
  const title = headline(turn);
  const words = commands && understoodInWords(turn);
  const told = showCommands.value ? commands : words === title ? "" : words;
  const pictures = picturesOf(entry);
  return (
    <li
      class={`turn ${current ? "current" : ""} ${onPath ? "" : "aside"}`}
      id={`turn-${turn.number}`}
      aria-current={current ? "step" : undefined}
    >
      <span class="turn-dot" aria-hidden="true" />
      <div class="turn-body">
        {onShow && (
          <button
            type="button"
            class="turn-show"
            aria-label={`Show: ${title}`}
            aria-current={current ? "step" : undefined}
            onClick={() => onShow(turn.number)}
          />
        )}
        {entry.clicked ? (
          <Clicked entry={entry} clicked={entry.clicked} onBack={onBack} />
        ) : (
          <>
            <p class="said">{title}</p>
            {told && <p class={`understood ${showCommands.value ? "commands" : ""}`}>{told}</p>}
            {turn.reply && (
              <p class="reply">
                {entry.edited.length ? editedInWords(turn, entry.edited.length) : replyInWords(turn, turns)}
              </p>
            )}
          </>
        )}
        {turn.comparison && (
          <Differences turn={turn} comparison={turn.comparison} collection={collection} share={share} />
        )}
        {pictures.length > 0 &&
          !entry.clicked &&
          (onBack ? (
            <button
              type="button"
              class="strip"
              aria-label={`Go back to: ${title}`}
              title="Go back to here"
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
              <IconButton icon="back" label={`Go back to “${title}”`} onClick={() => onBack?.(turn.number)} />
            )}
            <IconButton icon="branch" label={`Branch from “${title}”`} onClick={() => onBranch(turn.number)} />
            <IconButton
              icon="compare"
              label={`Compare “${title}” with another step`}
              onClick={() => onCompare?.(turn.number)}
            />
          </div>
        )}
      </div>
    </li>
  );
}

/** What a turn brought; one that changed nothing would only show what hung before. */
function picturesOf({ turn, edited }: Entry): string[] {
  if (edited.length) return edited.slice(-THUMBS);
  if (turn.stands_at !== turn.number) return [];
  if (turn.hand && turn.hand.edits.length) return [turn.hand.picture];
  const fitting = turn.results.filter((one) => one.match);
  return (fitting.length ? fitting : turn.results).slice(0, THUMBS).map((one) => one.id);
}

/** Clicks on filters and chips, told in one line. */
function Clicked({ entry, clicked, onBack }: { entry: Entry; clicked: string[]; onBack?: Props["onBack"] }) {
  const words = clicked.length ? clicked.join(", ") : "filters as they were before";
  const hint = found(entry.turn);
  return (
    <p class="clicked">
      {onBack && !entry.current ? (
        <button type="button" class="link" title="Go back to this" onClick={() => onBack(entry.turn.number)}>
          {words}
        </button>
      ) : (
        <span>{words}</span>
      )}
      {hint && <span class="quiet"> · {hint}</span>}
    </p>
  );
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
                <Thumb collection={collection} id={id} share={share} alt={names[at] || "picture"} size={320} />
                <span>{names[at]}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rowsOf(comparison, turn.results).map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
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
