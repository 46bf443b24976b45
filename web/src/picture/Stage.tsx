/** The picture itself: fitted to the room there is, with a box to drag and the picture before beside the one after. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { full, thumbnail } from "../api/addresses";
import type { Picture, Tile } from "../api/types";
import { Icon } from "../shell/Icon";
import { useView } from "../wall/useBox";
import { markedNow } from "../talk/QuestionCard";
import { holdOf, inShape, isBox, pulled, regionOf, type Hold, type Place, type Region } from "./box";
import { comebacks, isThere, online } from "../state/connection";
import { BeforeAfter } from "./BeforeAfter";
import { shownSteps, trial, trying } from "./editing";
import { MaskLayer } from "./MaskLayer";
import { masking } from "./masking";
import { START_BOX } from "./placed";

interface Props {
  collection: string;
  picture: Picture | Tile;
  /** The id of the picture before all edits, where it is another one. */
  before: string | null;
  comparing: boolean;
  box: Region | null;
  onBox: (box: Region | null) => void;
  /** The ratio that the box keeps, in parts of the sides; null where it is free. */
  ratio: number | null;
  /** How much larger than fitted. */
  zoom: number;
  onZoom: (zoom: number) => void;
  /** A finger that wiped to the left (1) or to the right (-1). */
  onSwipe: (by: number) => void;
}

/** The largest zoom; 1 is fitted to the room. */
export const MOST_ZOOM = 8;
/** How much a pixel of the wheel zooms, and how many pixels a line of it is. */
const BY_WHEEL = 0.002;
const LINE = 16;
/** A double click on a picture that is hardly larger than shown. */
const CLOSE = 2;

export function Stage(props: Props) {
  const { collection, picture, before, comparing, box, zoom, onBox, onSwipe } = props;
  const room = useRef<HTMLDivElement>(null);
  const view = useView(room);
  const shownZoom = useRef(zoom);
  const pointed = useRef<{ x: number; y: number; at: Place } | null>(null);
  // What was under the pointer stays there; where there was none, what was in the middle.
  useLayoutEffect(() => {
    const pane = room.current;
    const grown = zoom / shownZoom.current;
    const held = pointed.current;
    pointed.current = null;
    shownZoom.current = zoom;
    if (!pane || grown === 1) return;
    if (held) {
      const bounds = pane.querySelector(".frame-large")!.getBoundingClientRect();
      pane.scrollLeft += bounds.left + held.at.x * bounds.width - held.x;
      pane.scrollTop += bounds.top + held.at.y * bounds.height - held.y;
      return;
    }
    pane.scrollLeft = (pane.scrollLeft + pane.clientWidth / 2) * grown - pane.clientWidth / 2;
    pane.scrollTop = (pane.scrollTop + pane.clientHeight / 2) * grown - pane.clientHeight / 2;
  }, [zoom]);
  const now = trial.value ?? picture;
  const marks = trial.value || masking.value ? null : markedNow(picture.id);
  const fitted = Math.min((view.width - 32) / now.width, (view.height - 32) / now.height, 3);
  const scale = fitted * zoom;
  const zoomAt = (event: Pick<MouseEvent, "clientX" | "clientY">, wanted: number): void => {
    const next = Math.min(MOST_ZOOM, Math.max(1, wanted));
    if (next === zoom) return;
    const bounds = room.current!.querySelector(".frame-large")!.getBoundingClientRect();
    const at = { x: (event.clientX - bounds.left) / bounds.width, y: (event.clientY - bounds.top) / bounds.height };
    pointed.current = { x: event.clientX, y: event.clientY, at };
    props.onZoom(next);
  };
  const size = {
    width: `${Math.max(1, Math.round(now.width * scale))}px`,
    height: `${Math.max(1, Math.round(now.height * scale))}px`,
  };
  const fingers = useRef(new Map<number, PointerEvent>());
  const pinch = useRef<{ apart: number; zoom: number } | null>(null);
  const isTouch = (event: PointerEvent): boolean => event.pointerType === "touch" && !masking.value;
  const lift = (event: PointerEvent): void => {
    fingers.current.delete(event.pointerId);
  };
  const source = before ?? (trial.value ? picture.id : null);
  return (
    <div
      class="stage"
      ref={room}
      tabIndex={-1}
      onPointerDownCapture={(event) => {
        if (!isTouch(event)) return;
        if (fingers.current.size === 0) pinch.current = null; // until then the finger that stays means nothing else
        fingers.current.set(event.pointerId, event);
        if (fingers.current.size === 2) pinch.current = { apart: spread(fingers.current).apart, zoom };
      }}
      onPointerMoveCapture={(event) => {
        if (!fingers.current.has(event.pointerId)) return;
        fingers.current.set(event.pointerId, event);
        if (!pinch.current || fingers.current.size !== 2) return;
        const { apart, middle } = spread(fingers.current);
        zoomAt(middle, (pinch.current.zoom * apart) / pinch.current.apart);
      }}
      onPointerUpCapture={lift}
      onPointerCancelCapture={lift}
      onWheel={(event) => {
        event.preventDefault();
        const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1);
        zoomAt(event, zoom * Math.exp(-pixels * BY_WHEEL * (event.ctrlKey ? 4 : 1))); // two fingers move less far
      }}
      onDblClick={(event) => {
        if (masking.value) return;
        const whole = 1 / (fitted * devicePixelRatio); // a pixel of the picture is one of the screen
        zoomAt(event, zoom > 1 ? 1 : whole > 1.1 ? whole : CLOSE);
      }}
    >
      {view.width > 0 && (
        <div class={`frame-large ${trying.value ? "trying" : ""}`} style={size}>
          <Sharp key={picture.id} collection={collection} picture={picture} />
          {marks && <img class="trial" src={marks} alt="The picture, with what was found marked" draggable={false} />}
          {trial.value && <img class="trial" src={trial.value.url} alt="Preview of the edit" draggable={false} />}
          {masking.value ? (
            <MaskLayer width={now.width} height={now.height} />
          ) : comparing && source ? (
            <BeforeAfter collection={collection} source={source} edits={shownSteps(before !== null)} />
          ) : (
            <BoxLayer box={box} ratio={props.ratio} pans={zoom > 1} onBox={onBox} onSwipe={onSwipe} pinch={pinch} />
          )}
        </div>
      )}
    </div>
  );
}

/** How far two fingers are apart, and where between them. */
function spread(fingers: ReadonlyMap<number, PointerEvent>): {
  apart: number;
  middle: { clientX: number; clientY: number };
} {
  const [a, b] = [...fingers.values()] as [PointerEvent, PointerEvent];
  return {
    apart: Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)),
    middle: { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 },
  };
}

/** The thumbnail at once, the full picture over it as soon as it is there; tried again when the server is back. */
function Sharp({ collection, picture }: { collection: string; picture: Pick<Tile, "id" | "caption"> }) {
  const [state, setState] = useState<"loading" | "loaded" | "asking" | "broken">("loading");
  useLayoutEffect(() => {
    setState((now) => (now === "loaded" ? now : "loading"));
  }, [comebacks.value]);
  const fail = (): void => {
    setState("asking"); // whether it is the picture or the server
    void isThere().then((there) => {
      if (there) setState("broken");
    });
  };
  return (
    <>
      <img
        class="under"
        src={thumbnail(collection, picture.id, 640)}
        alt=""
        draggable={false}
        onError={(event) => {
          event.currentTarget.style.display = "none";
        }}
      />
      {state === "broken" && (
        <span class="tile-broken">
          <Icon name="picture" size={32} />
          <span>The file of this picture cannot be read.</span>
        </span>
      )}
      {state === "asking" && !online.value && (
        <span class="stage-away" role="status">
          The picture comes when the server is back.
        </span>
      )}
      {(state === "loading" || state === "loaded") && (
        <img
          class={`full ${state}`}
          src={full(collection, picture.id)}
          alt={picture.caption || "The picture, large"}
          draggable={false}
          onLoad={() => setState("loaded")}
          onError={fail}
        />
      )}
    </>
  );
}

/** How near to an edge of the box a pointer takes hold of it, in pixels; a finger is broader. */
const REACH = { mouse: 8, touch: 20 };

/** How far a finger wipes to mean the next picture, in parts of the picture's width. */
const SWIPE = 0.18;

interface BoxProps extends Pick<Props, "box" | "ratio" | "onBox" | "onSwipe"> {
  /** Whether there is more of the picture than is seen: without a box, dragging moves it. */
  pans: boolean;
  /** What two fingers do, or did as long as one of them stays: that is no wipe and draws no box. */
  pinch: { current: unknown };
}

/** Where a box is drawn, moved and sized with a pointer. A finger wipes to the next picture while there is no box. */
function BoxLayer({ box, ratio, pans, pinch, onBox, onSwipe }: BoxProps) {
  const layer = useRef<HTMLDivElement>(null);
  const from = useRef<Place | null>(null);
  const held = useRef<{ box: Region; hold: Hold } | null>(null);
  const wipes = useRef(false);
  const dragged = useRef<{ pane: Element; x: number; y: number } | null>(null);
  const place = (event: PointerEvent): Place => {
    const bounds = layer.current!.getBoundingClientRect();
    return { x: (event.clientX - bounds.left) / bounds.width, y: (event.clientY - bounds.top) / bounds.height };
  };
  const taken = (event: PointerEvent): { box: Region; hold: Hold } | null => {
    const reach = event.pointerType === "touch" ? REACH.touch : REACH.mouse;
    const { width, height } = layer.current!.getBoundingClientRect();
    const hold = box && holdOf(box, place(event), { x: reach / width, y: reach / height });
    return hold ? { box, hold } : null;
  };
  useLayoutEffect(() => {
    const end = (): void => {
      from.current = dragged.current = null;
    };
    addEventListener("pointerup", end);
    return () => removeEventListener("pointerup", end);
  }, []);
  return (
    <div
      class={`box-layer ${pans && !box ? "pans" : ""}`}
      ref={layer}
      onPointerDown={(event) => {
        if (event.button !== 0 || pinch.current) return;
        held.current = taken(event);
        if (box && box !== START_BOX && !held.current) return; // beside a box that was placed: it stays
        layer.current?.setPointerCapture(event.pointerId);
        if (pans && !box) {
          const pane = layer.current!.closest(".stage")!;
          dragged.current = { pane, x: pane.scrollLeft + event.clientX, y: pane.scrollTop + event.clientY };
          return;
        }
        from.current = place(event);
        wipes.current = event.pointerType === "touch" && box === null;
      }}
      onPointerMove={(event) => {
        if (pinch.current) from.current = dragged.current = null;
        const drag = dragged.current;
        if (drag) drag.pane.scrollTo(drag.x - event.clientX, drag.y - event.clientY);
        if (!from.current) layer.current!.style.cursor = cursorOf(taken(event)?.hold);
        if (!from.current || wipes.current) return;
        const at = place(event);
        const by = { x: at.x - from.current.x, y: at.y - from.current.y };
        const hold: Hold = held.current?.hold ?? [by.x < 0 ? "x1" : "x2", by.y < 0 ? "y1" : "y2"];
        const free = held.current ? pulled(held.current.box, hold, by) : regionOf(from.current, at);
        const region = inShape(free, ratio, hold);
        if (isBox(region)) onBox(region);
      }}
      onPointerUp={(event) => {
        const far = from.current && wipes.current ? place(event).x - from.current.x : 0;
        if (Math.abs(far) > SWIPE) onSwipe(far < 0 ? 1 : -1);
      }}
    >
      {box && (
        <div class="box" style={boxStyle(box)}>
          <span class="thirds" />
          {HANDLES.map((name) => (
            <span key={name} class={`handle ${name}`} />
          ))}
        </div>
      )}
    </div>
  );
}

const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];

function cursorOf(hold: Hold | undefined): string {
  if (!hold) return "";
  if (hold.length === 4) return "move";
  if (hold.length === 1) return hold[0]!.startsWith("x") ? "ew-resize" : "ns-resize";
  return hold.join() === "x1,y1" || hold.join() === "x2,y2" ? "nwse-resize" : "nesw-resize";
}

function boxStyle(box: Region): Record<string, string> {
  const part = (value: number): string => `${value * 100}%`;
  return { left: part(box.x1), top: part(box.y1), width: part(box.x2 - box.x1), height: part(box.y2 - box.y1) };
}
