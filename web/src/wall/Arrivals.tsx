/** Indexing that goes on in this collection, and a way to the pictures that came meanwhile. */
import { useEffect } from "preact/hooks";
import { adding, arrived, countAnew, indexing, watchIndexing } from "../state/jobs";
import { busy, collection, rollback, turns } from "../state/talk";
import { hangAnew } from "../state/wall";
import { standing } from "../talk/story";
import { amount, count, progressInWords } from "../text/words";

export function Arrivals() {
  const name = collection.value ?? "";
  useEffect(() => (name ? watchIndexing(name) : undefined), [name]);
  const at = standing(turns.value);
  useEffect(countAnew, [at]); // a new search has looked at everything that is there
  const now = indexing.value;
  const sent = adding.value;
  if (!now && !sent && arrived.value === 0) return null;
  const look = (): void => {
    countAnew();
    if (at > 0)
      void rollback(at); // the same wishes over all the pictures that there are now
    else hangAnew(name);
  };
  return (
    <div class="arrivals" role="status">
      {now && (
        <>
          <progress max={now.total ?? 1} value={now.total ? now.done : undefined} aria-label="Indexing" />
          <span>Indexing: {progressInWords(now)}</span>
        </>
      )}
      {sent && (
        <>
          <progress max={sent.total} value={sent.done} aria-label="Adding pictures" />
          <span>
            Adding {amount(sent.done)} of {count(sent.total, "picture")}
          </span>
        </>
      )}
      {arrived.value > 0 && (
        <button type="button" class="button small" disabled={busy.value} onClick={look}>
          {count(arrived.value, "more picture")} arrived: {at > 0 ? "search again" : "show them"}
        </button>
      )}
    </div>
  );
}
