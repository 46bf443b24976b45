/** The right half: the brief on top, the wall below, and whatever state it is in. */
import { filtersOpen, rowHeight, wantedRowHeight } from "../state/preferences";
import { useMemo } from "preact/hooks";
import type { Result, Tile } from "../api/types";
import { favouriteLabel, favourites, isShop, toggleFavourite } from "../state/albums";
import { indexing } from "../state/jobs";
import { isSelecting, selected, toggleSelected } from "../state/selection";
import { collections, titleOfCollection } from "../state/session";
import { seen, seenAs } from "../state/versions";
import { live } from "../state/live";
import { collection, latest, opening, revise, talkError, open, conversation, turns, wishes } from "../state/talk";
import {
  ended,
  failed,
  hung,
  loading,
  more,
  preview,
  sort,
  source,
  tiles,
  total,
  type Source,
  mapOpen,
} from "../state/wall";
import { route, showPicture } from "../state/router";
import { Hand } from "../picture/Hand";
import { Brief } from "../talk/Brief";
import { replyInWords } from "../talk/telling";
import { labelOf } from "../talk/wishes";
import { pointAt } from "../talk/pointing";
import { Icon } from "../shell/Icon";
import { IconButton, toggles } from "../shell/controls";
import { lazily } from "../shell/lazily";
import { count } from "../text/words";
import { Arrivals } from "./Arrivals";
import { SelectionBar } from "./SelectionBar";
import { SortTool } from "./SortTool";
import type { Break } from "./justify";
import { monthBreaks, nearBreaks } from "./parts";
import { Failure, Nothing, Skeleton } from "./states";
import { ListTitle, Views } from "./Views";
import { columns } from "./columns";
import { Wall } from "./Wall";

const Facets = lazily(() => import("../shell/Facets").then((part) => part.Facets));
const SideBySide = lazily(() => import("./SideBySide").then((part) => part.SideBySide));
const MapView = lazily(() => import("./MapView").then((part) => part.MapView));

export function Board() {
  const name = collection.value ?? "";
  const breaks = useMemo(
    () => breaksOf(tiles.value, source.value, sort.value),
    [tiles.value, source.value, sort.value],
  );
  const byHand = source.value.kind === "list";
  const hungAt = useMemo(() => (byHand ? (latest.value?.number ?? 0) : 0), [source.value]);
  return (
    <main class="board" id="pictures" aria-label="Pictures">
      <header class="board-head">
        {byHand ? <p class="brief-empty">Chosen by hand: wishes and filters do not count here.</p> : <Brief />}
        <div class="board-tools">
          <SortTool />
          <SizeTool />
          <Views />
          <IconButton
            icon="filter"
            label="Filters"
            keys="F"
            disabled={byHand}
            pressed={filtersOpen.value}
            aria-expanded={filtersOpen.value}
            class="facets-button"
            onClick={toggles(filtersOpen)}
          />
        </div>
      </header>
      <div class="board-above">
        <Arrivals />
        {!mapOpen.value && (latest.value?.comparison && !byHand ? <SideBySide /> : <Hand after={hungAt} />)}
      </div>
      <PreviewRibbon />
      <div class="board-body">
        <Wall
          pictures={seen.value}
          collection={name}
          label={wallLabel()}
          complete={ended.value || preview.value !== null}
          faded={live.value?.stage === "sent" || live.value?.stage === "away"}
          breaks={breaks}
          titled={isShop.value}
          favourites={favourites.value}
          selected={isSelecting.value ? selected.value : undefined}
          onOpen={(id, event) => {
            if (isSelecting.value || event?.ctrlKey || event?.metaKey) toggleSelected(id, event?.shiftKey, tiles.value);
            else showPicture(seenAs(id));
          }}
          onSelect={(id, range) => toggleSelected(id, range, tiles.value)}
          onFavourite={toggleFavourite}
          favouriteLabel={favouriteLabel}
          onNearEnd={() => {
            if (!failed.value) void more();
          }}
          onColumns={(now) => {
            columns.value = now;
          }}
          onPoint={(id, as) => void pointAt(id, as)}
          above={<WallTitle />}
        >
          <WallEnd />
        </Wall>
        {filtersOpen.value && !byHand && <Facets />}
        <SelectionBar />
      </div>
      {mapOpen.value && <MapView />}
    </main>
  );
}

/** Months in the order of time, what only comes near in the order of a search. */
function breaksOf(pictures: readonly (Tile | Result)[], from: Source, order: string): Break[] {
  if (from.kind === "browse" && order.startsWith("taken ")) return monthBreaks(pictures);
  return from.kind === "turn" ? nearBreaks(pictures) : [];
}

function wallLabel(): string {
  if (preview.value) return `Preview: ${preview.value.label}`;
  if (source.value.kind === "list") return source.value.title;
  return source.value.kind === "browse"
    ? `All pictures in ${titleOfCollection(collection.value)}`
    : "Results, best first";
}

function WallTitle() {
  const turn = latest.value;
  const all = collections.value?.find((one) => one.name === collection.value)?.pictures;
  if (source.value.kind === "browse") {
    const known = total.value ?? all;
    return (
      <div class="wall-title">
        <h1>{titleOfCollection(collection.value)}</h1>
        {known !== undefined && known !== null && known > 0 && (
          <p class="quiet">{count(known, "picture")}. Describe the one you have in mind, or look around.</p>
        )}
      </div>
    );
  }
  if (source.value.kind === "list") return <ListTitle key={source.value.album ?? source.value.title} />;
  const topic = turn?.brief.wishes
    .filter((wish) => wish.active && (wish.kind === "want" || wish.kind === "relative"))
    .map((wish) => wish.text)
    .join(", ");
  return <h1 class="visually-hidden">{topic ? `Results for ${topic}` : "Results"}</h1>;
}

function WallEnd() {
  if (talkError.value) {
    const retry = (): void => {
      const now = route.value;
      if (now.page === "talk") void open(now.collection, now.conversation);
    };
    return <Failure error={talkError.value} onRetry={retry} />;
  }
  if (failed.value) return <Failure error={failed.value} onRetry={() => void more()} />;
  const empty = hung.value.length === 0;
  if (empty && (opening.value || loading.value || live.value)) return <Skeleton />;
  if (empty && source.value.kind === "browse" && ended.value) {
    if (indexing.value)
      return <Nothing title="The first pictures are on their way">You can leave and come back.</Nothing>;
    return (
      <Nothing title="No pictures here yet">
        Add some with the menu at the top left (the three dots), or index a folder from the first page.
      </Nothing>
    );
  }
  if (empty && source.value.kind === "list" && ended.value)
    return <Nothing title="Nothing in here yet">Click the heart of a picture, or select some and save them.</Nothing>;
  if (empty && source.value.kind === "turn" && conversation.value) {
    return (
      <Nothing title="Nothing matches all of this">
        <p>
          {(latest.value && replyInWords(latest.value, turns.value)) ||
            "A condition or an exclusion leaves no picture."}
        </p>
        <Strict />
        <p class="quiet">Switch one of the wishes above off, or say it in other words.</p>
      </Nothing>
    );
  }
  if (loading.value)
    return (
      <p class="wall-end" role="status">
        More pictures are on their way …
      </p>
    );
  if (ended.value && hung.value.length > 60)
    return <p class="wall-end">That was the last one of {count(hung.value.length, "picture")}.</p>;
  return null;
}

/** What may have left nothing over: conditions and exclusions, each with a way out; a question knows the best one. */
function Strict() {
  if (latest.value?.question) return null;
  const strict = wishes.value.filter((wish) => wish.active && (wish.kind === "filter" || wish.kind === "avoid"));
  if (strict.length === 0) return null;
  return (
    <div class="nothing-ways">
      {strict.map((wish) => (
        <button key={wish.id} type="button" class="button small" onClick={() => void revise([`off ${wish.id}`])}>
          without “{labelOf(wish)}”
        </button>
      ))}
    </div>
  );
}

function PreviewRibbon() {
  if (!preview.value) return null;
  return (
    <div class="ribbon" role="status">
      <Icon name="look" size={15} /> Preview: {preview.value.label}
    </div>
  );
}

function SizeTool() {
  return (
    <label class="size-tool" title="Size of the pictures">
      <span class="visually-hidden">Size of the pictures</span>
      <input
        type="range"
        min={90}
        max={420}
        step={10}
        value={rowHeight.value || wantedRowHeight(innerWidth - 380)}
        onInput={(event) => {
          rowHeight.value = Number(event.currentTarget.value);
        }}
      />
    </label>
  );
}
