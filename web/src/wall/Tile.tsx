/** One picture on the wall: its place is known before it is loaded, so nothing ever jumps. */
import { memo } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import { thumbnail, thumbnailSize } from "../api/addresses";
import type { Result, Tile as Picture } from "../api/types";
import { Icon } from "../shell/Icon";
import { comebacks } from "../state/connection";
import type { Box } from "./justify";

export interface TileActions {
  open: (id: string) => void;
  like: (id: string) => void;
  unlike: (id: string) => void;
  focused: (index: number) => void;
}

interface Props {
  picture: Picture | Result;
  box: Box;
  index: number;
  count: number;
  collection: string;
  share?: string | undefined;
  /** Whether the Tab key leads here: one picture of the wall at a time. */
  tabbable: boolean;
  actions: TileActions;
}

/** What a screen reader says of a picture. */
export function describe(picture: Picture | Result, index: number): string {
  return picture.caption || `Picture ${index + 1}`;
}

function same(before: Props, after: Props): boolean {
  return (
    before.picture === after.picture &&
    before.index === after.index &&
    before.tabbable === after.tabbable &&
    before.box.x === after.box.x &&
    before.box.y === after.box.y &&
    before.box.width === after.box.width &&
    before.box.height === after.box.height &&
    before.count === after.count
  );
}

export const Tile = memo(function Tile({ picture, box, index, count, collection, share, tabbable, actions }: Props) {
  const [state, setState] = useState<"loading" | "loaded" | "broken">("loading");
  const [near, setNear] = useState(false); // what only a pointer or the focus shows need not exist before
  useEffect(() => setState((now) => (now === "broken" ? "loading" : now)), [comebacks.value]);
  const place = { transform: `translate(${box.x}px, ${box.y}px)`, width: `${box.width}px`, height: `${box.height}px` };
  return (
    <li
      class={`tile ${state}`}
      style={place}
      aria-setsize={count}
      aria-posinset={index + 1}
      onPointerEnter={(event) => setNear(event.pointerType !== "touch")}
      onPointerLeave={() => setNear(false)}
      onFocusIn={() => setNear(true)}
      onFocusOut={() => setNear(false)}
    >
      <button
        type="button"
        class="tile-open"
        data-index={index}
        data-picture={picture.id}
        tabIndex={tabbable ? 0 : -1}
        aria-label={describe(picture, index)}
        onClick={() => actions.open(picture.id)}
        onFocus={() => actions.focused(index)}
      >
        {state === "broken" ? (
          <span class="tile-broken">
            <Icon name="picture" size={22} />
            <span>This picture cannot be shown.</span>
          </span>
        ) : (
          <img
            src={thumbnail(collection, picture.id, thumbnailSize(box.height), share)}
            alt=""
            decoding="async"
            draggable={false}
            width={box.width}
            height={box.height}
            onLoad={() => setState("loaded")}
            onError={() => setState("broken")}
          />
        )}
        {near && <Foot picture={picture} />}
      </button>
      {"edited" in picture && picture.edited && <span class="tile-badge">edited</span>}
      {near && !share && (
        <span class="tile-tools">
          <button
            type="button"
            tabIndex={-1}
            title="More like this (L)"
            aria-label="More like this"
            onClick={() => actions.like(picture.id)}
          >
            <Icon name="like" size={16} />
          </button>
          <button
            type="button"
            tabIndex={-1}
            title="Not like this (X)"
            aria-label="Not like this"
            onClick={() => actions.unlike(picture.id)}
          >
            <Icon name="unlike" size={16} />
          </button>
        </span>
      )}
    </li>
  );
}, same);

/** What it is, and how it stands to the wishes. */
function Foot({ picture }: { picture: Picture | Result }) {
  const reasons = "because" in picture ? (picture.because ?? []) : [];
  return (
    <span class="tile-foot" aria-hidden="true">
      {picture.caption && <span class="tile-caption">{picture.caption}</span>}
      {reasons.length > 0 && (
        <span class="tile-reasons">
          {reasons.slice(0, 4).map((reason, i) => (
            <span key={i} class={reason.fits ? "fits" : "fits-not"}>
              {reason.text}
            </span>
          ))}
        </span>
      )}
    </span>
  );
}
