/** The mask of an edit over its picture: where one clicks and brushes, and the tools for it. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { IconButton } from "../shell/controls";
import type { Place } from "./box";
import { doneMarking, mark, maskedCommand, unmark } from "./editing";
import { isSelection, splitMarks } from "./marks";
import { adds, finding, fresh, mask, maskAddress, maskError, radius, tool, type Tool } from "./masking";

const NUDGE = 0.02;
const KEYS: Record<string, [number, number]> = {
  ArrowLeft: [-NUDGE, 0],
  ArrowRight: [NUDGE, 0],
  ArrowUp: [0, -NUDGE],
  ArrowDown: [0, NUDGE],
};

export function MaskLayer({ width, height }: { width: number; height: number }) {
  const layer = useRef<HTMLDivElement>(null);
  const way = useSignal<Place[]>([]);
  const cursor = useSignal<Place | null>(null);
  const drawn = useSignal<{ way: Place[]; adds: boolean }[]>([]);
  // What was drawn stands for itself until the mask that holds it is there.
  useSignalEffect(() => {
    if (!finding.value) drawn.value = [];
  });
  const place = (event: PointerEvent): Place => {
    const bounds = layer.current!.getBoundingClientRect();
    return { x: (event.clientX - bounds.left) / bounds.width, y: (event.clientY - bounds.top) / bounds.height };
  };
  const finish = (points: Place[]): void => {
    way.value = [];
    if (points.length === 0) return;
    if (mark(points)) drawn.value = [...drawn.value, { way: points, adds: adds.value }];
  };
  const brush = tool.value === "brush";
  const wide = brush ? 2 * radius.value * Math.max(width, height) : Math.max(width, height) / 60;
  const path = (points: Place[]): string =>
    points.map(({ x, y }, i) => `${i ? "L" : "M"}${x * width} ${y * height}`).join("") +
    (points.length === 1 ? "h.01" : "");
  return (
    <div
      class={`mask-layer ${brush ? "brushing" : ""}`}
      ref={layer}
      tabIndex={0}
      role="application"
      aria-label={`Mark on the picture: arrows move, Enter ${adds.value ? "adds" : "takes away"} what is there`}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        layer.current?.setPointerCapture(event.pointerId);
        way.value = [place(event)];
      }}
      onPointerMove={(event) => {
        cursor.value = event.pointerType === "touch" ? null : place(event);
        if (way.value.length && brush) way.value = [...way.value, place(event)];
      }}
      onPointerUp={() => finish(way.value)}
      onPointerCancel={() => {
        way.value = [];
      }}
      onPointerLeave={() => {
        cursor.value = null;
      }}
      onKeyDown={(event) => {
        const at = cursor.value ?? { x: 0.5, y: 0.5 };
        const by = KEYS[event.key];
        const inside = (value: number): number => Math.min(1, Math.max(0, value));
        if (by) cursor.value = { x: inside(at.x + by[0]), y: inside(at.y + by[1]) };
        else if (event.key === "Enter" || event.key === " ") finish([at]);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {maskAddress.value && !fresh.value && (
        <div class="mask-tint" style={{ maskImage: `url("${maskAddress.value}")` }} />
      )}
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {[...drawn.value, { way: way.value, adds: adds.value }].map(({ way: points, adds: added }, i) => (
          <path key={i} class={added ? "adding" : "taking"} d={path(points)} stroke-width={wide} />
        ))}
        {cursor.value && (
          <circle class="brush-rim" cx={cursor.value.x * width} cy={cursor.value.y * height} r={wide / 2} />
        )}
      </svg>
    </div>
  );
}

/** What becomes of what is marked. */
function effectOf(command: string): string {
  if (command.startsWith("remove")) return "What is tinted goes.";
  if (command.startsWith("recolor")) return "What is tinted gets the new colour.";
  if (/^(image_cutout|replace_background)/.test(command)) return "What is tinted stays.";
  return "What is tinted is changed.";
}

function certainty(command: string): string {
  if (maskError.value) return maskError.value;
  if (fresh.value) return "Nothing is marked: click on it, or brush over it.";
  const found = mask.value;
  if (!found) return "Looking …";
  if (isSelection(command)) return "Only what you marked.";
  const thing = found.thing === "subject" ? "the main thing" : `“${found.thing}”`;
  if (splitMarks(command).marks.length) return `${thing[0]!.toUpperCase()}${thing.slice(1)}, corrected by you.`;
  const share = `${Math.round(found.confidence * 100)} %`;
  return found.sure
    ? `${share} sure that this is ${thing} and nothing else.`
    : `Only ${share} sure that this is ${thing} and nothing else: click on what belongs to it, or does not.`;
}

const TOOLS: [Tool, string][] = [
  ["click", "Click"],
  ["brush", "Brush"],
];

export function MaskBar() {
  const command = maskedCommand.value;
  if (command === null) return null;
  const marks = splitMarks(command).marks.length;
  return (
    <div class="mask-bar" role="toolbar" aria-label="Correct what is marked">
      <p role="status">
        {certainty(command)} <span class="quiet">{finding.value && mask.value ? "Looking …" : effectOf(command)}</span>
      </p>
      <div class="tabs" role="group" aria-label="Tool">
        {TOOLS.map(([one, label]) => (
          <button
            key={one}
            type="button"
            aria-pressed={tool.value === one}
            onClick={() => {
              tool.value = one;
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <div class="tabs" role="group" aria-label="What marks do">
        {[true, false].map((one) => (
          <button
            key={String(one)}
            type="button"
            aria-pressed={adds.value === one}
            onClick={() => {
              adds.value = one;
            }}
          >
            {one ? "Add" : "Take away"}
          </button>
        ))}
      </div>
      {tool.value === "brush" && (
        <input
          type="range"
          class="brush-size"
          aria-label="Width of the brush"
          min={0.005}
          max={0.12}
          step={0.005}
          value={radius.value}
          onInput={(event) => {
            radius.value = Number(event.currentTarget.value);
          }}
        />
      )}
      <IconButton icon="undo" label="Take the last mark back" disabled={marks === 0} onClick={unmark} />
      <button
        type="button"
        class="button small"
        disabled={fresh.value}
        onClick={() => {
          fresh.value = true;
          adds.value = true;
        }}
      >
        From nothing
      </button>
      <button type="button" class="button small accent" disabled={fresh.value} onClick={doneMarking}>
        Done
      </button>
    </div>
  );
}
