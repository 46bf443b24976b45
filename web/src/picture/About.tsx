/** What is known about a picture, why it is here, and what to do with it. */
import type { Picture, Reason, Result } from "../api/types";
import { Icon } from "../shell/Icon";
import { pointAt, POINTINGS } from "../talk/pointing";
import { attributeName, shown } from "../text/words";

const POINTED = ["like", "unlike", "from"] as const;

interface Props {
  picture: Picture | null;
  result: Result | null;
  id: string;
  onDone: () => void;
}

export function About({ picture, result, id, onDone }: Props) {
  const reasons = result?.because ?? [];
  const attributes = Object.entries(picture?.attributes ?? {}).filter(([, value]) => shown(value) !== "");
  const caption = picture?.caption ?? result?.caption;
  return (
    <div class="about">
      {caption && <h2 class="caption">{caption}</h2>}
      <div class="points">
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
      {attributes.length > 0 && (
        <section>
          <h3>Known about it</h3>
          <dl class="attributes">
            {attributes.map(([name, value]) => (
              <div key={name}>
                <dt>{attributeName(name)}</dt>
                <dd>{shown(value)}</dd>
              </div>
            ))}
          </dl>
        </section>
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

function Why({ reasons }: { reasons: Reason[] }) {
  return (
    <section>
      <h3>Why it is here</h3>
      <ul class="why" role="list">
        {reasons.map((reason, i) => (
          <li key={i} class={reason.fits ? "fits" : "fits-not"}>
            <Icon name={reason.fits ? "check" : "minus"} size={14} />
            <span>{reason.text}</span>
            <span class="visually-hidden">{reason.fits ? "fits" : "does not fit"}</span>
            {reason.fit !== null && (
              <meter
                min={0}
                max={1}
                value={Math.max(0, Math.min(1, reason.fit))}
                aria-label={`How well “${reason.text}” fits`}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
