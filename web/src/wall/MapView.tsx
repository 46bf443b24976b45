/** Where pictures were taken, on a map that needs no network: coasts and borders come with the page. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get } from "../api/client";
import type { Place } from "../api/types";
import { IconButton } from "../shell/controls";
import { Modal } from "../shell/Modal";
import { tell } from "../state/notices";
import { showView } from "../state/router";
import { collection } from "../state/talk";
import { hangList, mapOpen } from "../state/wall";
import { count } from "../text/words";
import {
  clusters,
  frameOf,
  project,
  visible,
  WORLD,
  zoomed,
  type Cluster,
  type Frame,
  type Point,
  type Ring,
} from "./map";

/** The drawing is so many units wide and half as high. */
const WIDE = 1000;
const HIGH = 500;

export function MapView() {
  const places = useSignal<Place[] | null>(null);
  const coasts = useSignal<readonly Ring[]>([]);
  const frame = useSignal<Frame>(WORLD);
  const close = (): void => {
    showView(null);
    mapOpen.value = false;
  };
  useEffect(() => {
    get<{ places: Place[] }>(`/collections/${encodeURIComponent(collection.value ?? "")}/places`)
      .then((found) => {
        places.value = found.places;
        frame.value = frameOf(found.places);
      })
      .catch(tell);
    // Only who looks at the map pays for it.
    import("./coasts")
      .then(({ rings }) => {
        coasts.value = rings();
      })
      .catch(tell);
  }, []);
  const dots = clusters(places.value ?? [], frame.value);
  const show = (cluster: Cluster): void => {
    close();
    hangList(collection.value ?? "", "From the map", cluster.ids, null, true);
  };
  const zoom = (factor: number, at = { x: 0.5, y: 0.5 }): void => {
    frame.value = zoomed(frame.value, at, factor);
  };
  return (
    <Modal label="Map" class="map" addressed onClose={close}>
      <header class="compare-head">
        <h2>Map</h2>
        <p class="quiet">
          {places.value === null
            ? "One moment …"
            : places.value.length
              ? `${count(places.value.length, "picture")} know where they were taken.`
              : "No picture here knows where it was taken."}
        </p>
        <IconButton icon="minus" label="Further away" onClick={() => zoom(2)} />
        <IconButton icon="plus" label="Nearer" onClick={() => zoom(0.5)} />
        <IconButton icon="close" label="Close" keys="Esc" onClick={close} />
      </header>
      <div
        class="map-sheet"
        onWheel={(event) => {
          event.preventDefault();
          const box = event.currentTarget.getBoundingClientRect();
          const at = { x: (event.clientX - box.x) / box.width, y: (event.clientY - box.y) / box.height };
          zoom(event.deltaY > 0 ? 1.6 : 0.625, at);
        }}
      >
        <svg viewBox={`0 0 ${WIDE} ${HIGH}`} aria-hidden="true" preserveAspectRatio="none">
          <path class="map-land" d={outline(coasts.value, frame.value)} />
        </svg>
        {dots.map((dot) => (
          <button
            key={dot.ids[0]}
            type="button"
            class="map-dot"
            style={{ left: `${dot.x * 100}%`, top: `${dot.y * 100}%`, "--share": Math.sqrt(dot.ids.length).toFixed(2) }}
            aria-label={`${count(dot.ids.length, "picture")} here`}
            onClick={() => show(dot)}
          >
            {dot.ids.length}
          </button>
        ))}
      </div>
    </Modal>
  );
}

function outline(rings: readonly Ring[], frame: Frame): string {
  const point = ([longitude, latitude]: Point): string => {
    const { x, y } = project(longitude, latitude, frame);
    return `${(x * WIDE).toFixed(1)} ${(y * HIGH).toFixed(1)}`;
  };
  return visible(rings, frame)
    .map((ring) => `M${ring.map(point).join("L")}Z`)
    .join("");
}
