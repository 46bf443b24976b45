/** A picture, large: looked at, pointed with, edited, searched inside. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { get, type ApiError } from "../api/client";
import type { Picture, Result } from "../api/types";
import { IconButton, toggles } from "../shell/controls";
import { Modal } from "../shell/Modal";
import { Icon } from "../shell/Icon";
import { isTyping } from "../shell/keys";
import { comebacks } from "../state/connection";
import { notice } from "../state/notices";
import { showPicture } from "../state/router";
import { mayWrite } from "../state/session";
import { collection, searchInside, turns } from "../state/talk";
import { seen, versions } from "../state/versions";
import { more } from "../state/wall";
import { pointAt, pointingOf } from "../talk/pointing";
import { Failure, isLost, Nothing } from "../wall/states";
import { About } from "./About";
import { Download } from "./Download";
import { inShape, nudged, ratioOf, type Aspect } from "./box";
import { BoxTools } from "./BoxTools";
import { cropOf, sizeAfter } from "./commands";
import {
  begin,
  beginAt,
  commands,
  doneMarking,
  drafts,
  editing,
  isTrying,
  keepsSize,
  keptPicture,
  leave,
  step,
  stepBack,
  stepForth,
  trial,
} from "./editing";
import { EditPanel } from "./EditPanel";
import { MaskBar } from "./MaskLayer";
import { masking } from "./masking";
import { beginBox, box, dropBox, START_BOX } from "./placed";
import { MOST_ZOOM, Stage } from "./Stage";
import { originOf } from "./versions";
import "../styles/stage.css";
import "../styles/about.css";
import "../styles/edit.css";

export function Large({ id }: { id: string }) {
  const name = collection.value ?? "";
  const picture = useSignal<Picture | null>(null);
  const error = useSignal<ApiError | null>(null);
  const comparing = useSignal(false);
  const aspect = useSignal<Aspect>("free");
  const zoom = useSignal(1);
  const loaded = picture.value?.id === id ? picture.value : null;
  const origin = loaded?.source_id ?? originOf(turns.value, id);
  const index = seen.value.findIndex((one) => one.id === id || one.id === origin);
  const tile = seen.value[index] ?? null;

  const load = (): void => {
    error.value = null;
    get<Picture>(`/collections/${encodeURIComponent(name)}/pictures/${encodeURIComponent(id)}`)
      .then((found) => {
        if (found.id !== id) return;
        picture.value = found;
        beginAt(found);
      })
      .catch((failure: ApiError) => {
        error.value = failure;
      });
  };
  // Not after the next paint: a box or an edit that is begun at once would be taken away again.
  useLayoutEffect(() => {
    begin(id);
    beginBox(id);
    comparing.value = false;
    picture.value = null;
    zoom.value = 1;
    load();
    return () => dropBox(id);
  }, [id, name]);
  useLayoutEffect(() => {
    if (!picture.value) load(); // the server was away
  }, [comebacks.value]);

  useLayoutEffect(
    () => () => {
      editing.value = false;
      leave();
    },
    [],
  );

  const close = (): void => showPicture(null);
  const escape = (): void => {
    if (masking.value) doneMarking();
    else if (box.value) dropBox(id);
    else close();
  };
  const move = (by: number): void => {
    const next = seen.value[index + by];
    if (index < 0 || !next) return;
    showPicture(next.version ?? next.id);
    if (index + by > seen.value.length - 8) void more();
  };
  // Until more is known of it: its place on the wall, where that shows this one.
  const shown = loaded ?? (tile && (tile.version ?? tile.id) === id ? { ...tile, id } : null);
  const source = loaded?.source_id ?? null;
  const size = trial.value ?? shown;
  const ratio = size ? ratioOf(aspect.value, size) : null;
  const zoomTo = (next: number): void => {
    zoom.value = Math.min(MOST_ZOOM, Math.max(1, next));
  };

  const crop = (): void => {
    const size = picture.value && keepsSize() ? sizeAfter(picture.value, commands.value) : null;
    if (!size)
      return void notice("Keep the steps so far, then crop: only the server knows how large the picture is now.");
    if (box.value) step(`crop#${drafts.value.length}`, cropOf(box.value, size));
    editing.value = true;
    box.value = null;
  };

  const searchInsideBox = (): void => {
    const at = box.value;
    box.value = null;
    if (at) void searchInside(id, [at.x1, at.y1, at.x2, at.y2]);
  };
  const mayCrop = mayWrite.value && picture.value !== null;
  const toggleBox = (): void => {
    if (box.value) return dropBox(id);
    box.value = START_BOX;
    document.querySelector<HTMLElement>(".stage")?.focus(); // from here the arrows move the box, and Enter crops
  };

  const keyDown = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !isTyping(event.target)) {
      event.preventDefault();
      event.stopPropagation();
      void (event.shiftKey ? stepForth(source ?? id) : stepBack(source));
      return;
    }
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement && !/^[a-z+=0-]$/.test(event.key)) return; // arrows are the slider's own
    const pointing = pointingOf(event.key);
    const onButton = event.target instanceof Element && event.target.closest("button, a") !== null;
    if (box.value && event.key === "Enter" && !onButton) editing.value && mayCrop ? crop() : searchInsideBox();
    else if (box.value && event.key.startsWith("Arrow")) box.value = nudged(box.value, event.key, event.shiftKey);
    else if (event.key === "ArrowLeft") move(-1);
    else if (event.key === "ArrowRight") move(1);
    else if (pointing) {
      close();
      void pointAt(tile?.id ?? id, pointing);
    } else if (event.key === "e" && mayWrite.value) editing.value = !editing.value;
    else if (event.key === "b") toggleBox();
    else if (event.key === "c") comparing.value = !comparing.value && (source !== null || trial.value !== null);
    else if (event.key === "d") document.querySelector<HTMLElement>(".large .download")?.click();
    else if (event.key === "+" || event.key === "=") zoomTo(zoom.value * 1.5);
    else if (event.key === "-") zoomTo(zoom.value / 1.5);
    else if (event.key === "0") zoomTo(1);
    else if (event.key === "Escape" && box.value) dropBox(id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // A button that goes away or is switched off by its own click leaves the focus nowhere: keys are still meant for here.
  const latestKeyDown = useRef(keyDown);
  latestKeyDown.current = keyDown;
  useLayoutEffect(() => {
    const unfocused = (event: KeyboardEvent): void => {
      if (event.target === document.body) latestKeyDown.current(event);
    };
    document.body.addEventListener("keydown", unfocused);
    return () => document.body.removeEventListener("keydown", unfocused);
  }, []);

  return (
    <Modal label={shown?.caption || "Picture"} class="large" addressed onClose={escape}>
      <div class="large-body" onKeyDown={keyDown}>
        <div class={`stage-side ${masking.value ? "masking" : ""}`}>
          {error.value && !tile ? (
            isLost(error.value) ? (
              <Nothing title="This picture is not here any more">
                It may have been deleted, or its address was copied only in part.
              </Nothing>
            ) : (
              <Failure error={error.value} onRetry={load} />
            )
          ) : (
            shown && (
              <Stage
                collection={name}
                picture={shown}
                before={source}
                comparing={comparing.value}
                box={box.value}
                ratio={ratio}
                zoom={zoom.value}
                onZoom={zoomTo}
                onBox={(region) => {
                  box.value = region;
                }}
                onSwipe={move}
              />
            )
          )}
          {box.value && (
            <BoxTools
              aspect={aspect.value}
              onAspect={(wanted) => {
                aspect.value = wanted;
                if (box.value && size) box.value = inShape(box.value, ratioOf(wanted, size));
              }}
              onCrop={mayCrop ? crop : null}
              onSearch={searchInsideBox}
              onCancel={() => dropBox(id)}
            />
          )}
          <IconButton
            icon="crop"
            label="Select a part"
            keys="B"
            class="select-part"
            pressed={box.value !== null}
            onClick={toggleBox}
          />
          <div class="zoom" role="group" aria-label="Zoom">
            <IconButton
              icon="minus"
              label="Smaller"
              keys="-"
              disabled={zoom.value <= 1}
              onClick={() => zoomTo(zoom.value / 1.5)}
            />
            <button type="button" class="zoom-now" title="Fit (0)" onClick={() => zoomTo(1)}>
              {zoom.value === 1 ? "fit" : `${zoom.value.toFixed(1)} ×`}
            </button>
            <IconButton
              icon="plus"
              label="Larger"
              keys="+"
              disabled={zoom.value >= MOST_ZOOM}
              onClick={() => zoomTo(zoom.value * 1.5)}
            />
          </div>
          <IconButton
            icon="left"
            label="Previous"
            keys="←"
            class="turn-left"
            disabled={index <= 0}
            onClick={() => move(-1)}
          />
          <IconButton
            icon="right"
            label="Next"
            keys="→"
            class="turn-right"
            disabled={index < 0 || index >= seen.value.length - 1}
            onClick={() => move(1)}
          />
          {!box.value && <VersionSwitch id={id} source={source} />}
          {(source || trial.value) && !box.value && (
            <button
              type="button"
              class="button small compare-toggle"
              aria-pressed={comparing.value}
              onClick={toggles(comparing)}
            >
              <Icon name="compare" size={16} /> Before and after
            </button>
          )}
          <MaskBar />
        </div>
        <aside class="large-side" aria-label="About this picture">
          <header class="large-head">
            {mayWrite.value && (
              <div class="tabs" role="group" aria-label="What to show">
                <button
                  type="button"
                  aria-pressed={!editing.value}
                  onClick={() => {
                    editing.value = false;
                  }}
                >
                  About
                </button>
                <button
                  type="button"
                  aria-pressed={editing.value}
                  onClick={() => {
                    editing.value = true;
                  }}
                >
                  Edit
                </button>
              </div>
            )}
            <Download id={id} keep={isTrying.value ? keptPicture : undefined} />
            <IconButton icon="close" label="Close" keys="Esc" onClick={close} />
          </header>
          {editing.value && picture.value ? (
            <EditPanel picture={picture.value} onDone={close} />
          ) : (
            <About
              picture={picture.value}
              result={tile && "score" in tile ? (tile as Result) : null}
              tile={tile}
              id={tile?.id ?? id}
              onDone={close}
            />
          )}
        </aside>
      </div>
    </Modal>
  );
}

/** From the edited picture to the original and back: only what is shown changes. */
function VersionSwitch({ id, source }: { id: string; source: string | null }) {
  const edited = source ? id : versions.value.get(id)?.picture;
  if (!edited) return null;
  const pair: [string, string][] = [
    ["Original", source ?? id],
    ["Edited", edited],
  ];
  return (
    <div class="tabs version-switch" role="group" aria-label="Which version to show">
      {pair.map(([label, one]) => (
        <button key={label} type="button" aria-pressed={one === id} onClick={() => showPicture(one)}>
          {label}
        </button>
      ))}
    </div>
  );
}
