/** The picture before an edit and the one after it, with a line between them. */
import { useSignal } from "@preact/signals";

/** A line to drag: the picture before on its left, the picture after on its right. */
export function BeforeAfter({ before }: { before: string }) {
  const at = useSignal(50);
  return (
    <div class="before-after">
      <img
        src={before}
        alt="The picture before"
        draggable={false}
        style={{ clipPath: `inset(0 ${100 - at.value}% 0 0)` }}
      />
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
