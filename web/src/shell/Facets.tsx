/** The drawer of filters beside the results: what the catalogue knows about these pictures, with counts. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { get, type ApiError } from "../api/client";
import type { ChoiceFacet, Facet, NumberFacet } from "../api/types";
import { filtersOpen } from "../state/preferences";
import { busy, collection, command, conversation, revise, turns, wishes } from "../state/talk";
import { isColourField, swatchOf } from "../text/colours";
import { attributeName } from "../text/words";
import { IconButton, toggles } from "./controls";
import { isNarrow, useLayer } from "./useLayer";
import { choiceFilter, chosen, facetWanted, filterOn, listed, rangeFilters, rangeOf } from "./filters";

export function Facets() {
  const facets = useSignal<Facet[] | null>(null);
  const error = useSignal<ApiError | null>(null);
  const name = collection.value ?? "";
  const talk = turns.value.length ? conversation.value?.id : undefined; // before its first turn it has no brief
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!name) return; // the page has only just been opened
    const query = talk ? `?conversation=${encodeURIComponent(talk)}` : "";
    const stop = new AbortController();
    get<{ facets: Facet[] }>(`/collections/${encodeURIComponent(name)}/facets${query}`, stop.signal)
      .then((found) => {
        facets.value = found.facets;
        error.value = null;
      })
      .catch((failure: ApiError) => {
        if (!stop.signal.aborted) error.value = failure;
      });
    return () => stop.abort();
  }, [name, talk, turns.value.length]);
  useEffect(() => {
    if (document.activeElement?.matches(".facets-button")) panel.current?.focus(); // whoever opened it goes on in it
  }, []);
  useEffect(() => {
    if (!facets.value || !facetWanted.value) return;
    const heading = [...(panel.current?.querySelectorAll("h3") ?? [])].find(
      (one) => one.textContent?.toLowerCase() === facetWanted.value.toLowerCase(),
    );
    facetWanted.value = "";
    heading?.scrollIntoView({ block: "start" });
    (heading?.nextElementSibling?.querySelector<HTMLElement>("button, input") ?? panel.current)?.focus();
  }, [facets.value, facetWanted.value]);
  const active = wishes.value.filter((wish) => wish.kind === "filter" && wish.active);
  const close = (): void => {
    filtersOpen.value = false;
    document.querySelector<HTMLElement>(".facets-button")?.focus();
  };
  useLayer(close, isNarrow()); // beside the pictures it is a part of the page, and stays from page to page
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      class="facets"
      aria-label="Filters"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <header class="facets-head">
        <h2>Filters</h2>
        {active.length > 0 && (
          <button
            type="button"
            class="link"
            disabled={busy.value}
            onClick={() => void revise(active.map((wish) => `remove ${wish.id}`))}
          >
            clear all
          </button>
        )}
        <IconButton icon="close" label="Close the filters" keys="F" onClick={close} />
      </header>
      {error.value && <p role="alert">{error.value.message}</p>}
      {!facets.value && !error.value && <p class="quiet">Counting …</p>}
      {facets.value?.length === 0 && (
        <p class="quiet">These pictures carry no attributes to filter by. Words work all the same.</p>
      )}
      {facets.value?.filter(isOfUse).map((facet) => (
        <section key={`${name}/${facet.field}`} class="facet">
          <h3>{attributeName(facet.label)}</h3>
          {facet.kind === "choice" ? <Choice facet={facet} /> : <Range facet={facet} />}
        </section>
      ))}
    </aside>
  );
}

/** A field of which nothing is left here (the kinds of bags among dresses) is not offered. */
function isOfUse(facet: Facet): boolean {
  if (facet.kind === "number" || filterOn(wishes.value, facet.field).length > 0) return true;
  return facet.values.some(({ count }) => count > 0);
}

/** Replaces the conditions on a field by others. A command takes the place of those like it; others are taken out. */
async function setFilters(field: string, commands: string[]): Promise<void> {
  const old = filterOn(wishes.value, field);
  const sign = (text: string): string => /[<>!]?=|[<>]/.exec(text)?.[0][0] ?? "";
  const kept = new Set(commands.map(sign));
  const gone = old.filter((wish) => !kept.has(sign(wish.text)));
  if (gone.length) await revise(gone.map((wish) => `remove ${wish.id}`));
  if (commands.length) await command(commands, "");
}

function Choice({ facet }: { facet: ChoiceFacet }) {
  const unfolded = useSignal(false);
  const now = chosen(wishes.value, facet.field);
  const toggle = (value: string): void => {
    const next = now.includes(value) ? now.filter((one) => one !== value) : [...now, value];
    void setFilters(facet.field, next.length ? [choiceFilter(facet.field, next)] : []);
  };
  const coloured = isColourField(facet.field);
  const shown = listed(facet.values, now, unfolded.value);
  return (
    <div class={`facet-values ${coloured ? "coloured" : ""}`}>
      {shown.map(({ value, count }) => (
        <button
          key={value}
          type="button"
          class="facet-value"
          aria-pressed={now.includes(value)}
          disabled={busy.value || (count === 0 && !now.includes(value))}
          onClick={() => toggle(value)}
        >
          {coloured && <Swatch name={value} />}
          <span class="facet-name">{value}</span> <span class="answer-count">{count}</span>
        </button>
      ))}
      {(unfolded.value || facet.values.length > shown.length) && (
        <button type="button" class="link facet-fold" aria-expanded={unfolded.value} onClick={toggles(unfolded)}>
          {unfolded.value ? "fewer" : `all ${facet.values.length}`}
        </button>
      )}
    </div>
  );
}

function Swatch({ name }: { name: string }) {
  const background = swatchOf(name);
  return <span class="swatch-dot" aria-hidden="true" style={background ? { background } : {}} />;
}

function Range({ facet }: { facet: NumberFacet }) {
  const now = rangeOf(wishes.value, facet.field);
  const low = useRef<HTMLInputElement>(null);
  const high = useRef<HTMLInputElement>(null);
  const sent = useRef<string | null>(null);
  const typed = useRef<EventTarget | null>(null);
  // What the brief says now, unless one is typing.
  useLayoutEffect(() => {
    for (const [field, value] of [
      [low.current, now.low],
      [high.current, now.high],
    ] as const)
      if (field && field !== typed.current) field.value = value === null ? "" : String(value);
  }, [now.low, now.high]);
  const read = (field: HTMLInputElement | null): number | null =>
    field && field.value.trim() !== "" && Number.isFinite(field.valueAsNumber) ? field.valueAsNumber : null;
  const apply = (event: Event): void => {
    event.preventDefault();
    typed.current = null;
    const [from, to] = [read(low.current), read(high.current)];
    const wanted = rangeFilters(facet.field, from, to);
    if ((from === now.low && to === now.high) || sent.current === wanted.join()) return; // Enter changes and submits
    sent.current = wanted.join();
    void setFilters(facet.field, wanted).finally(() => {
      sent.current = null;
    });
  };
  const bound = (ref: typeof low, word: string, edge: number) => (
    <input
      ref={ref}
      type="number"
      step="any"
      aria-label={`${attributeName(facet.label)} ${word}`}
      placeholder={String(edge)}
      onInput={(event) => {
        typed.current = event.currentTarget;
      }}
      onChange={apply} // on Enter, and on leaving the field
    />
  );
  return (
    <form class={`facet-range ${now.low !== null || now.high !== null ? "active" : ""}`} onSubmit={apply}>
      {bound(low, "from", Math.floor(facet.min))}
      <span aria-hidden="true">to</span>
      {bound(high, "to", Math.ceil(facet.max))}
      <IconButton icon="check" label="Apply" type="submit" />
    </form>
  );
}
