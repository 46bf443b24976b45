/** One picture on the wall: its place is known before it is loaded, so nothing ever jumps. */
import { useState } from "preact/hooks";
import { memo } from "../shell/memo";
import type { Result, Tile as Picture } from "../api/types";
import type { Shown } from "../picture/versions";
import { Icon } from "../shell/Icon";
import { useBroken } from "../shell/useBroken";
import { POINTINGS, type Pointing } from "../talk/pointing";
import { reasonInWords } from "../talk/wishes";
import { price } from "../text/words";
import type { Box } from "./justify";
import { useThumbnail } from "./thumbnails";

const TOOLS = ["like", "unlike"] as const;
/** Where nothing hovers, what a pointer would bring out is there from the start. */
const touched = globalThis.matchMedia?.("(hover: none)").matches ?? false;
/** Room below a picture for its title and price. */
export const PRICE_FOOT = 62;
/** ... and for its title alone. */
export const TITLE_FOOT = 40;

export interface TileActions {
  open: (id: string, event: MouseEvent) => void;
  point: (id: string, as: Pointing) => void;
  favourite: (id: string) => void;
  favouriteLabel: (now: boolean) => string;
  focused: (index: number) => void;
}

interface Props {
  picture: Shown;
  box: Box;
  index: number;
  count: number;
  collection: string;
  share?: string | undefined;
  /** Room below the picture for what is written there. */
  foot: number;
  /** Whether it is among the favourites; undefined where nobody keeps any. */
  favourite?: boolean | undefined;
  /** Whether it is selected; undefined while nothing is. */
  selected?: boolean | undefined;
  /** Whether the Tab key leads here: one picture of the wall at a time. */
  tabbable: boolean;
  actions: TileActions;
}

/** What a screen reader says of a picture. */
export function describe(picture: Picture | Result, index: number): string {
  return picture.caption || `Picture ${index + 1}`;
}

/** The same with what stands below it. */
function spoken(picture: Picture | Result, index: number): string {
  const cost = picture.price == null ? "" : `, ${price(picture.price, picture.currency)}`;
  return `${(picture.price != null && picture.title) || describe(picture, index)}${cost}`;
}

/** What a shop asks for it. */
function Offer({ picture, foot }: { picture: Picture | Result; foot: number }) {
  return (
    <span class="tile-offer" style={{ height: `${foot}px` }} aria-hidden="true">
      <span class="tile-title">{picture.title || picture.caption}</span>
      {picture.price != null && <span class="tile-price">{price(picture.price, picture.currency)}</span>}
    </span>
  );
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
    before.count === after.count &&
    before.foot === after.foot &&
    before.favourite === after.favourite &&
    before.selected === after.selected
  );
}

export const Tile = memo(function Tile(props: Props) {
  const { picture, box, index, count, collection, share, foot, favourite, tabbable, actions } = props;
  const [loaded, setLoaded] = useState(false);
  const id = picture.version ?? picture.id;
  const [broken, fail] = useBroken(id);
  const address = useThumbnail(collection, id, box.height, share);
  const [near, setNear] = useState(false); // what only a pointer or the focus shows need not exist before
  const place = {
    transform: `translate(${box.x}px, ${box.y}px)`,
    width: `${box.width}px`,
    height: `${box.height + foot}px`,
  };
  return (
    <li
      class={`tile ${broken ? "broken" : loaded ? "loaded" : "loading"} ${props.selected ? "selected" : ""}`}
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
        aria-label={spoken(picture, index)}
        aria-pressed={props.selected}
        style={foot ? { height: `${box.height}px` } : undefined}
        onClick={(event) => actions.open(picture.id, event)}
        onFocus={() => actions.focused(index)}
      >
        {broken ? (
          <span class="tile-broken">
            <Icon name="picture" size={22} />
            <span>This picture cannot be shown.</span>
          </span>
        ) : (
          <img
            src={address}
            alt=""
            decoding="async"
            draggable={false}
            width={box.width}
            height={box.height}
            onLoad={() => setLoaded(true)}
            onError={fail}
          />
        )}
        {near && <Foot picture={picture} titled={foot > 0} />}
        {props.selected !== undefined && (
          <span class="tile-check" aria-hidden="true">
            {props.selected && <Icon name="check" size={14} />}
          </span>
        )}
      </button>
      {foot > 0 && <Offer picture={picture} foot={foot} />}
      {favourite !== undefined && (near || favourite || touched) && (
        <button
          type="button"
          class="tile-heart"
          tabIndex={-1}
          aria-label={actions.favouriteLabel(favourite)}
          aria-pressed={favourite}
          title={`${actions.favouriteLabel(favourite)} (H)`}
          onClick={() => actions.favourite(picture.id)}
        >
          <Icon name="like" size={16} />
        </button>
      )}
      {"edited" in picture && picture.edited && <span class="tile-badge">edited</span>}
      {near && !share && (
        <span class="tile-tools">
          {TOOLS.map((as) => (
            <button
              key={as}
              type="button"
              tabIndex={-1}
              title={`${POINTINGS[as].label} (${POINTINGS[as].key.toUpperCase()})`}
              aria-label={POINTINGS[as].label}
              onClick={() => actions.point(picture.id, as)}
            >
              <Icon name={POINTINGS[as].icon} size={16} />
            </button>
          ))}
        </span>
      )}
    </li>
  );
}, same);

/** What it is, and how it stands to the wishes; a title that is cut off below the picture is whole here. */
function Foot({ picture, titled }: { picture: Picture | Result; titled: boolean }) {
  const reasons = "because" in picture ? (picture.because ?? []) : [];
  const words = (titled && picture.title) || picture.caption;
  return (
    <span class="tile-foot" aria-hidden="true">
      {words && <span class="tile-caption">{words}</span>}
      {reasons.length > 0 && (
        <span class="tile-reasons">
          {reasons.slice(0, 4).map((reason, i) => (
            <span key={i} class={reason.fits ? "fits" : "fits-not"}>
              {reasonInWords(reason.text)}
            </span>
          ))}
        </span>
      )}
    </span>
  );
}
