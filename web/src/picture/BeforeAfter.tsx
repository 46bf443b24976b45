/** The picture before an edit and the one after it, with a line between them. */
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { full } from "../api/addresses";
import { blob } from "../api/client";
import { tell } from "../state/notices";
import { framing } from "./commands";

/** The longer side of a picture before its edits, where it has to be made: as large as the server makes previews. */
const SIZE = 2048;

/** The picture before, turned and cropped as the one after it: both halves show the same place. */
function useBefore(collection: string, source: string, edits: readonly string[]): string | null {
  const frame = framing(edits);
  const whole = frame.length === 0 ? full(collection, source) : null;
  const [made, setMade] = useState<string | null>(null);
  useEffect(() => {
    setMade(null);
    if (whole) return;
    const stop = new AbortController();
    let url = "";
    const path = `/collections/${encodeURIComponent(collection)}/pictures/${encodeURIComponent(source)}/preview`;
    blob(path, { commands: frame, size: SIZE, confirmed: true }, stop.signal)
      .then((found) => {
        if (!stop.signal.aborted) setMade((url = URL.createObjectURL(found)));
      })
      .catch(tell);
    return () => {
      stop.abort();
      if (url) URL.revokeObjectURL(url);
    };
  }, [collection, source, frame.join("\n")]);
  return whole ?? made;
}

interface Props {
  collection: string;
  source: string;
  /** What was made of it. */
  edits: readonly string[];
}

/** A line to drag: the picture before on its left, the picture after on its right. */
export function BeforeAfter({ collection, source, edits }: Props) {
  const before = useBefore(collection, source, edits);
  const at = useSignal(50);
  return (
    <div class="before-after">
      {before && (
        <img
          src={before}
          alt="The picture before"
          draggable={false}
          style={{ clipPath: `inset(0 ${100 - at.value}% 0 0)` }}
        />
      )}
      <span class="divider" style={{ left: `${at.value}%` }} aria-hidden="true" />
      <span class="tag left">before</span>
      <span class="tag right">after</span>
      <input
        type="range"
        min={0}
        max={100}
        value={at.value}
        aria-label="Before and after"
        ref={(field) => field?.focus({ preventScroll: true })}
        onInput={(event) => {
          at.value = Number(event.currentTarget.value);
        }}
      />
    </div>
  );
}
