/** The brief: every wish as a chip that can be switched, pinned, weighed and removed. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { send } from "../api/client";
import type { Result, Wish } from "../api/types";
import { IconButton, MenuItem, Popover, toggles } from "../shell/controls";
import { Icon, type IconName } from "../shell/Icon";
import { Thumb } from "../shell/Thumb";
import { live } from "../state/live";
import { collection, conversation, latest, revise, turns, wishes } from "../state/talk";
import { preview } from "../state/wall";
import { count } from "../text/words";
import { turnName } from "./telling";
import { labelOf } from "./wishes";

const GLYPHS: Partial<Record<Wish["kind"], IconName>> = {
  avoid: "minus",
  filter: "filter",
  sort: "sort",
  like: "similar",
  unlike: "unlike",
  keep: "pin",
};
/** A pointer that merely passes shows nothing. */
const DWELL = 320;

export function Brief() {
  const showEnded = useSignal(false);
  const counting = wishes.value.filter((wish) => !wish.end);
  // A filter that another one took the place of is only of use as long as that one counts.
  const over = wishes.value.filter(
    (wish) =>
      wish.end &&
      ((wish.kind !== "filter" && wish.kind !== "sort") ||
        counting.some((one) => one.kind === wish.kind && one.attribute === wish.attribute)),
  );
  const list = useRow(counting);
  if (counting.length === 0) return <p class="brief-empty">What you ask for will be listed here.</p>;
  return (
    <ul
      ref={list}
      class="brief"
      role="list"
      aria-label="The brief: what you want so far"
      onScroll={(event) => hint(event.currentTarget)}
    >
      {counting.map((wish) => (
        <Chip key={wish.id} wish={wish} />
      ))}
      {over.length > 0 && counting.length > 0 && (
        <li class="brief-over">
          <button type="button" class="link" aria-expanded={showEnded.value} onClick={toggles(showEnded)}>
            {showEnded.value ? "hide earlier wishes" : count(over.length, "earlier wish", "earlier wishes")}
          </button>
        </li>
      )}
      {showEnded.value && counting.length > 0 && over.map((wish) => <Chip key={wish.id} wish={wish} />)}
    </ul>
  );
}

/** Where the wishes stand in one row: the newest is in sight, and the row tells where there is more of it. */
function useRow(counting: readonly Wish[]): { current: HTMLUListElement | null } {
  const list = useRef<HTMLUListElement>(null);
  const known = useRef<ReadonlySet<number | string>>(new Set());
  useLayoutEffect(() => {
    const newest = counting.findLastIndex((wish) => !known.current.has(wish.id));
    known.current = new Set(counting.map((wish) => wish.id));
    const row = list.current;
    if (newest >= 0) row?.children[newest]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (row) hint(row);
  });
  return list;
}

/** A pixel or two is not worth a hint. */
const HARDLY = 4;

function hint(row: HTMLElement): void {
  const left = row.scrollWidth - row.clientWidth - row.scrollLeft;
  row.dataset["more"] = `${row.scrollLeft > HARDLY ? "before" : ""} ${left > HARDLY ? "after" : ""}`;
}

function Chip({ wish }: { wish: Wish }) {
  const menu = useSignal(false);
  const look = usePreview(wish);
  const toggle = wish.active ? "off" : "on";
  const glyph = GLYPHS[wish.kind];
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === "Delete" || event.key === "Backspace") void revise([`remove ${wish.id}`]);
    else if (event.key === "ArrowDown") menu.value = true;
    else if (event.key === "+" || event.key === "-")
      void revise([`weight ${wish.id} ${nextWeight(wish.weight, event.key === "+")}`]);
    else if (event.key === "p") void revise([`${wish.pinned ? "unpin" : "pin"} ${wish.id}`]);
    else return;
    event.preventDefault();
  };
  return (
    <li
      class={`chip kind-${wish.kind} ${wish.active ? "" : "off"} ${wish.end ? "ended" : ""} ${wish.pinned ? "pinned" : ""}`}
    >
      <button
        type="button"
        class="chip-main"
        role="switch"
        aria-checked={wish.active}
        aria-label={chipLabel(wish)}
        title={chipTitle(wish)}
        onPointerEnter={look.begin}
        onPointerLeave={look.end}
        onBlur={look.end}
        onKeyDown={keyDown}
        onClick={() => {
          look.end();
          void revise([`${toggle} ${wish.id}`]);
        }}
      >
        {wish.picture && collection.value ? (
          <Thumb collection={collection.value} id={wish.picture} />
        ) : (
          glyph && <Icon name={glyph} size={14} />
        )}
        <span class="chip-text">{labelOf(wish)}</span>
        {wish.weight !== 1 && <span class="chip-weight">×{wish.weight}</span>}
        {wish.pinned && <Icon name="pin" size={13} />}
      </button>
      <button
        type="button"
        class="chip-more"
        aria-label={`Change ${labelOf(wish)}`}
        aria-expanded={menu.value}
        onClick={toggles(menu)}
      >
        <Icon name="down" size={13} />
      </button>
      {menu.value && (
        <ChipMenu
          wish={wish}
          onClose={() => {
            menu.value = false;
          }}
        />
      )}
    </li>
  );
}

function ChipMenu({ wish, onClose }: { wish: Wish; onClose: () => void }) {
  const change = (what: string): void => {
    onClose();
    void revise([what]);
  };
  return (
    <Popover label={`Change ${labelOf(wish)}`} class="chip-menu" onClose={onClose}>
      <p class="popover-title">{labelOf(wish)}</p>
      <div class="weigh">
        <IconButton
          icon="minus"
          label="Counts less"
          onClick={() => void revise([`weight ${wish.id} ${nextWeight(wish.weight, false)}`])}
        />
        <span aria-live="polite">counts {wish.weight} ×</span>
        <IconButton
          icon="plus"
          label="Counts more"
          onClick={() => void revise([`weight ${wish.id} ${nextWeight(wish.weight, true)}`])}
        />
      </div>
      <MenuItem icon="off" onClick={() => change(`${wish.active ? "off" : "on"} ${wish.id}`)}>
        {wish.active ? "Switch off" : "Switch on"}
      </MenuItem>
      <MenuItem icon="pin" onClick={() => change(`${wish.pinned ? "unpin" : "pin"} ${wish.id}`)}>
        {wish.pinned ? "Unpin" : "Pin: keep it in new searches"}
      </MenuItem>
      <MenuItem icon="trash" onClick={() => change(`remove ${wish.id}`)}>
        Remove
      </MenuItem>
    </Popover>
  );
}

function chipLabel(wish: Wish): string {
  const parts = [labelOf(wish), wish.pinned && "pinned", wish.weight !== 1 && `counts ${wish.weight} times`];
  return [...parts, wish.end && `${wish.end} later`].filter(Boolean).join(", ");
}

function chipTitle(wish: Wish): string {
  const from = `From ${turnName(wish.turn, turns.value)}.`;
  if (wish.end)
    return `${from} ${wish.end === "replaced" ? "Replaced" : "Forgotten"} later. Click to switch it on again.`;
  return `${from} Click to switch it ${wish.active ? "off" : "on"}.`;
}

const WEIGHTS = [0.25, 0.5, 1, 1.5, 2, 3, 5, 10];

/** The next step up or down from a weight. */
export function nextWeight(weight: number, heavier: boolean): number {
  if (heavier) return WEIGHTS.find((one) => one > weight) ?? 10;
  return WEIGHTS.findLast((one) => one < weight) ?? 0.25;
}

/** Hanging what the wall would be without the wish (or with it), as long as the pointer rests on it. */
function usePreview(wish: Wish): { begin: () => void; end: () => void } {
  const timer = useRef(0);
  const request = useRef<AbortController | null>(null);
  const end = (): void => {
    clearTimeout(timer.current);
    request.current?.abort();
    preview.value = null;
  };
  const begin = (): void => {
    if (live.value || !conversation.value || matchMedia("(hover: none)").matches) return;
    timer.current = window.setTimeout(
      () => void fetchPreview(wish, (request.current = new AbortController()).signal),
      DWELL,
    );
  };
  useLayoutEffect(() => end, []);
  return { begin, end };
}

async function fetchPreview(wish: Wish, signal: AbortSignal): Promise<void> {
  const now = conversation.value;
  const turn = latest.value;
  if (!now || live.value) return;
  const label = `${wish.active ? "without" : "with"} “${labelOf(wish)}”`;
  try {
    const changes = [`${wish.active ? "off" : "on"} ${wish.id}`];
    const path = `/conversations/${encodeURIComponent(now.id)}/brief/preview`;
    const answer = await send<{ results: Result[] }>("POST", path, { changes }, signal);
    const went = live.value !== null || latest.value !== turn; // on, meanwhile: this is about what was before
    if (!signal.aborted && !went && answer.results.length) preview.value = { label, results: answer.results };
  } catch {
    // a preview that does not come is none
  }
}
