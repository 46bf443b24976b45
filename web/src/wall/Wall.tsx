/** The wall: justified rows of which only the visible ones exist, however many pictures there are. */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Tile as Picture } from "../api/types";
import type { Shown } from "../picture/versions";
import { wantedRowHeight } from "../state/preferences";
import { pointingOf, type Pointing } from "../talk/pointing";
import { justify, neighbour, visible, type Break, type Direction, type Layout } from "./justify";
import { PRICE_FOOT, Tile, TITLE_FOOT, type TileActions } from "./Tile";
import { useView, type View } from "./useBox";

/** Rows this far outside the window are kept ready. */
const AHEAD = 500;
/** Rows come and go in steps of so many pixels, not in every frame. */
const GRAIN = 160;
/** The next page is fetched when the end is this near. */
const NEAR_END = 1600;
const MOVING = 420;

const ARROWS: Record<string, Direction> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  Home: "first",
  End: "last",
};

interface Props {
  pictures: readonly Shown[];
  collection: string;
  share?: string | undefined;
  label: string;
  /** Whether these are all there are: a screen reader is told how many only then. */
  complete?: boolean;
  faded?: boolean;
  /** Whether titles stand below the pictures, also where nothing has a price. */
  titled?: boolean;
  /** Where parts with a heading begin. */
  breaks?: readonly Break[];
  favourites?: ReadonlySet<string>;
  /** The pictures that are selected; without it a click opens. */
  selected?: ReadonlySet<string> | undefined;
  onOpen: (id: string, event?: MouseEvent) => void;
  onFavourite?: (id: string) => void;
  favouriteLabel?: (now: boolean) => string;
  onSelect?: (id: string, range: boolean) => void;
  onPoint?: (id: string, as: Pointing) => void;
  onNearEnd?: () => void;
  onColumns?: (columns: number) => void;
  children?: preact.ComponentChildren;
  /** What is shown above the pictures and scrolls with them. */
  above?: preact.ComponentChildren;
}

export function Wall(props: Props) {
  const { pictures, collection, share, label } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const view = useView(scroller, GRAIN);
  const [active, setActive] = useState(0);
  const margin = view.width < 600 ? 8 : 16;
  const width = Math.max(0, view.width - 2 * margin);
  const foot = useMemo(() => {
    if (pictures.some((one) => one.price != null)) return PRICE_FOOT;
    return props.titled ? TITLE_FOOT : 0;
  }, [pictures, props.titled]);
  const layout = useMemo(() => {
    const shape = { width, rowHeight: wantedRowHeight(view.width, foot > 0), gap: view.width < 600 ? 4 : 8, foot };
    return justify(pictures, shape, props.breaks);
  }, [pictures, width, wantedRowHeight(view.width, foot > 0), foot, props.breaks]);
  const moving = useMoving(pictures, scroller);
  const shown = indices(layout, view, list.current?.offsetTop ?? 0, active);
  const keepFocus = useFocus(list, active);

  useLayoutEffect(() => {
    setActive(0);
  }, [pictures[0]?.id]);

  useLayoutEffect(() => {
    props.onColumns?.(layout.rows[1]?.first ?? pictures.length);
  }, [layout]);

  useLayoutEffect(() => {
    const bottom = (list.current?.offsetTop ?? 0) + layout.height;
    if (view.height > 0 && bottom - view.top - view.height < NEAR_END) props.onNearEnd?.();
  });

  const acts = useRef<Props>(props);
  acts.current = props;
  const actions = useMemo<TileActions>(
    () => ({
      open: (id, event) => acts.current.onOpen(id, event),
      favourite: (id) => acts.current.onFavourite?.(id),
      favouriteLabel: (now) => acts.current.favouriteLabel?.(now) ?? "",
      point: (id, as) => acts.current.onPoint?.(id, as),
      focused: setActive,
    }),
    [],
  );

  const keyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = ARROWS[event.key];
    const picture = pictures[active];
    const pointing = pointingOf(event.key);
    if (direction) {
      event.preventDefault();
      const to = neighbour(layout, active, direction);
      keepFocus();
      setActive(to);
      reveal(scroller.current, list.current, layout, to);
    } else if (picture && event.key === "h") props.onFavourite?.(picture.id);
    else if (picture && event.key === " " && props.onSelect) {
      event.preventDefault(); // Enter opens it
      props.onSelect(picture.id, event.shiftKey);
    } else if (picture && pointing) props.onPoint?.(picture.id, pointing);
  };

  return (
    <div class={`wall ${props.faded ? "faded" : ""}`} ref={scroller} tabIndex={-1}>
      {props.above}
      {layout.headings.map(({ label: text, y }) => (
        <h2
          key={`${y} ${text}`}
          class="part-heading"
          style={{ transform: `translateY(${y}px)`, marginInline: `${margin}px` }}
        >
          {text}
        </h2>
      ))}
      <ul
        class={`tiles ${moving ? "moving" : ""}`}
        role="list"
        aria-label={label}
        ref={list}
        onKeyDown={keyDown}
        style={{ height: `${layout.height}px`, marginInline: `${margin}px` }}
      >
        {shown.map((index) => (
          <Tile
            key={pictures[index]!.id}
            picture={pictures[index]!}
            box={layout.boxes[index]!}
            index={index}
            count={props.complete === false ? -1 : pictures.length}
            collection={collection}
            share={share}
            foot={foot}
            favourite={props.favourites?.has(pictures[index]!.id)}
            selected={props.selected?.has(pictures[index]!.id)}
            tabbable={index === active}
            actions={actions}
          />
        ))}
      </ul>
      {props.children}
    </div>
  );
}

/** What is visible, a little more, and the picture that has the focus. */
function indices(layout: Layout, view: View, offset: number, active: number): number[] {
  const [from, to] = visible(layout, view.top - offset - AHEAD, view.top - offset + GRAIN + view.height + AHEAD);
  const list = Array.from({ length: to - from }, (_, i) => from + i);
  if (layout.boxes[active] && (active < from || active >= to)) list.push(active);
  return list;
}

/** Other pictures: back to the top, and those that stay glide to their new places. */
function useMoving(pictures: readonly Picture[], scroller: { current: HTMLElement | null }): boolean {
  const before = useRef(pictures);
  const [moving, setMoving] = useState(0);
  useLayoutEffect(() => {
    const same = before.current[0]?.id === pictures[0]?.id && before.current.length <= pictures.length;
    before.current = pictures;
    if (same) return;
    scroller.current?.scrollTo({ top: 0 });
    setMoving((times) => times + 1);
    // Not tied to this effect: the next page of the same results must not leave the wall gliding for ever.
    setTimeout(() => setMoving((times) => times - 1), MOVING);
  }, [pictures]);
  return moving > 0 || (before.current !== pictures && before.current[0]?.id !== pictures[0]?.id);
}

/** The focus follows the active picture when it is moved, and stays on the wall when the picture that had it goes. */
function useFocus(list: { current: HTMLElement | null }, active: number): () => void {
  const wanted = useRef(false);
  const held = list.current?.contains(document.activeElement) ?? false;
  // A layout effect, because the next key may come before the next paint.
  useLayoutEffect(() => {
    const lost = held && document.activeElement === document.body;
    if (!wanted.current && !lost) return;
    wanted.current = false;
    list.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus({ preventScroll: true });
  });
  return () => {
    wanted.current = true;
  };
}

/** Scrolls a picture into view. */
function reveal(scroller: HTMLElement | null, list: HTMLElement | null, layout: Layout, index: number): void {
  const box = layout.boxes[index];
  if (!scroller || !list || !box) return;
  const top = list.offsetTop + box.y;
  if (top < scroller.scrollTop) scroller.scrollTop = top - 12;
  else if (top + box.height > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = top + box.height - scroller.clientHeight + 12;
}
