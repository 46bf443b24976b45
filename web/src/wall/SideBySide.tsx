/** Pictures that are compared, large and beside each other above the wall, with what only one of them shows. */
import { useEffect } from "preact/hooks";
import { thumbnail } from "../api/addresses";
import { IconButton } from "../shell/controls";
import { isTyping } from "../shell/keys";
import { useLayer } from "../shell/useLayer";
import { showPicture } from "../state/router";
import { closedComparison, collection, lastStep, latest } from "../state/talk";
import { rowsOf, seenOnlyIn, type Row } from "../talk/comparison";
import { pictureNames } from "../talk/telling";

/** Rows that stand below the pictures; all of them are in the conversation. */
const MOST_ROWS = 5;

/** What people compare first. */
const FIRST = ["title", "price"];

function place(row: Row): number {
  return FIRST.includes(row.name) ? FIRST.indexOf(row.name) : FIRST.length;
}

export function SideBySide() {
  const turn = latest.value;
  const close = (): void => {
    closedComparison.value = lastStep.value;
  };
  useEffect(() => {
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented || isTyping(event.target)) return;
      if (!document.querySelector("dialog[open]")) close();
    };
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, []);
  const compared = turn?.comparison;
  const name = collection.value;
  const isShown = turn !== null && Boolean(compared) && name !== null && closedComparison.value !== lastStep.value;
  useLayer(close, isShown);
  if (!isShown || !compared) return null;
  const names = pictureNames(turn, compared.pictures);
  const rows = rowsOf(compared, turn.results).filter((row) => !row.name.startsWith("seen only"));
  rows.sort((a, b) => place(a) - place(b));
  const alone = seenOnlyIn(compared);
  // The figures share their rows: what is compared stands beside each other.
  const shared = { gridTemplateRows: `repeat(${Math.min(rows.length, MOST_ROWS) + 3}, auto)` };
  return (
    <section class="side-by-side" style={shared} aria-label="The pictures side by side, large">
      {compared.pictures.map((id, at) => (
        <figure key={id}>
          <button
            type="button"
            class="side-picture"
            aria-label={`Open picture ${names[at] || at + 1}`}
            onClick={() => showPicture(id)}
          >
            <img src={thumbnail(name, id, 640)} alt="" draggable={false} />
          </button>
          <p class="side-alone">
            {alone[at]!.length > 0 && (
              <>
                only here: <mark>{alone[at]!.join(", ")}</mark>
              </>
            )}
          </p>
          <figcaption>
            <strong>{names[at]}</strong>
            <dl>
              {rows.slice(0, MOST_ROWS).map((row) => (
                <div key={row.name}>
                  <dt>{row.name}</dt>
                  <dd>{row.values[at]}</dd>
                </div>
              ))}
            </dl>
          </figcaption>
        </figure>
      ))}
      <IconButton icon="close" label="Close the comparison" keys="Esc" class="hand-fold" onClick={close} />
    </section>
  );
}
