/** What is known about a picture, why it is here, and what to do with it. */
import type { Picture, Reason, Result, Tile } from "../api/types";
import { Icon } from "../shell/Icon";
import { pointAt, POINTINGS } from "../talk/pointing";
import { favouriteLabel, favourites, toggleFavourite } from "../state/albums";
import { reasonInWords } from "../talk/wishes";
import { attributeName, price, shown } from "../text/words";

const POINTED = ["like", "unlike", "from"] as const;

interface Props {
  picture: Picture | null;
  result: Result | null;
  /** What hangs on the wall: a product has the same title and price wherever it is opened. */
  tile: Tile | null;
  id: string;
  onDone: () => void;
}

export function About({ picture, result, tile, id, onDone }: Props) {
  const reasons = result?.because ?? [];
  const caption = picture?.caption ?? tile?.caption;
  // A product is called by its title; of a photo, a title is often only its file's name.
  const title = tile?.price != null ? tile.title : undefined;
  const known = picture?.attributes ?? {};
  const isToldElsewhere = (name: string, value: unknown): boolean =>
    (name === "title" && (value === caption || value === title)) ||
    (name === "price" && tile?.price != null) ||
    (name === "currency" && "price" in known) ||
    (/^(latitude|longitude)$/.test(name) && "place" in known);
  const attributes = Object.entries(known).filter(
    ([name, value]) => shown(value) !== "" && !isToldElsewhere(name, value),
  );
  const favourite = favourites.value.has(id);
  const shot = Object.entries(picture?.shot ?? {});
  return (
    <div class="about">
      {(title || caption) && <h2 class="caption">{title || caption}</h2>}
      {tile?.price != null && <p class="about-price">{price(tile.price, tile.currency)}</p>}
      {title && title !== caption && <p class="quiet">{caption}</p>}
      <div class="points">
        <button
          type="button"
          class="button heart"
          aria-pressed={favourite}
          aria-label={favouriteLabel(favourite)}
          onClick={() => toggleFavourite(id)}
        >
          <Icon name="like" /> {favouriteLabel(favourite)}
        </button>
        {POINTED.map((as) => (
          <button
            key={as}
            type="button"
            class={`button ${as === "like" ? "accent" : ""}`}
            onClick={() => {
              onDone();
              void pointAt(id, as);
            }}
          >
            <Icon name={POINTINGS[as].icon} /> {POINTINGS[as].label}
          </button>
        ))}
      </div>
      {reasons.length > 0 && <Why reasons={reasons} />}
      {shot.length > 0 && <Details title="How it was taken" rows={shot} />}
      {attributes.length > 0 && (
        <Details
          title="Known about it"
          rows={attributes.map(([name, value]) => [
            attributeName(name),
            name === "price" && typeof value === "number"
              ? price(value, String(picture?.attributes["currency"] ?? ""))
              : /^id$|[_-]id$/i.test(name) // a number that nobody counts with
                ? String(value)
                : shown(value),
          ])}
        />
      )}
      {picture && (
        <p class="quiet small file">
          {picture.path_name && <span class="path">{picture.path_name}</span>}
          <span>
            {picture.width} × {picture.height}
          </span>
        </p>
      )}
    </div>
  );
}

function Details({ title, rows }: { title: string; rows: string[][] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="attributes">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Why({ reasons }: { reasons: Reason[] }) {
  return (
    <section>
      <h3>Why it is here</h3>
      <ul class="why" role="list">
        {reasons.map((reason, i) => (
          <li key={i} class={reason.fits ? "fits" : "fits-not"}>
            <Icon name={reason.fits ? "check" : "minus"} size={14} />
            <span>{reasonInWords(reason.text)}</span>
            <span class="visually-hidden">{reason.fits ? "fits" : "does not fit"}</span>
            {reason.fit !== null && (
              <meter
                min={0}
                max={1}
                value={Math.max(0, Math.min(1, reason.fit))}
                aria-label={`How well “${reasonInWords(reason.text)}” fits`}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
