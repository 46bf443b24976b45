/** Filters: what the catalogue knows about these pictures, with counts. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, type ApiError } from "../api/client";
import type { ChoiceFacet, Facet, NumberFacet } from "../api/types";
import { collection, command, conversation, revise, turns, wishes } from "../state/talk";
import { Popover } from "./controls";
import { attributeName } from "../text/words";
import { choiceFilter, chosen, filterOn, rangeFilters } from "./filters";

/** Longer lists of values are cut here; what is left out can still be said in words. */
const MOST = 14;

export function Facets({ onClose }: { onClose: () => void }) {
  const facets = useSignal<Facet[] | null>(null);
  const error = useSignal<ApiError | null>(null);
  const name = collection.value ?? "";
  const talk = conversation.value?.id;
  useEffect(() => {
    const query = talk ? `?conversation=${encodeURIComponent(talk)}` : "";
    get<{ facets: Facet[] }>(`/collections/${encodeURIComponent(name)}/facets${query}`)
      .then((found) => {
        facets.value = found.facets;
      })
      .catch((failure: ApiError) => {
        error.value = failure;
      });
  }, [name, talk, turns.value.length]);
  return (
    <Popover label="Filters" class="facets" onClose={onClose}>
      {error.value && <p role="alert">{error.value.message}</p>}
      {!facets.value && !error.value && <p class="quiet">Counting …</p>}
      {facets.value?.length === 0 && (
        <p class="quiet">These pictures carry no attributes to filter by. Words work all the same.</p>
      )}
      {facets.value?.map((facet) => (
        <section key={facet.field} class="facet">
          <h3>{attributeName(facet.label)}</h3>
          {facet.kind === "choice" ? <Choice facet={facet} /> : <Range facet={facet} />}
        </section>
      ))}
    </Popover>
  );
}

/** Replaces the conditions on a field by others. */
async function setFilters(field: string, commands: string[]): Promise<void> {
  const old = filterOn(wishes.value, field);
  if (commands.length) await command(commands);
  else if (old.length) await revise(old.map((wish) => `remove ${wish.id}`));
}

function Choice({ facet }: { facet: ChoiceFacet }) {
  const now = chosen(wishes.value, facet.field);
  const toggle = (value: string): void => {
    const next = now.includes(value) ? now.filter((one) => one !== value) : [...now, value];
    void setFilters(facet.field, next.length ? [choiceFilter(facet.field, next)] : []);
  };
  return (
    <div class="facet-values">
      {facet.values.slice(0, MOST).map(({ value, count }) => (
        <button
          key={value}
          type="button"
          class="facet-value"
          aria-pressed={now.includes(value)}
          disabled={count === 0 && !now.includes(value)}
          onClick={() => toggle(value)}
        >
          {value} <span class="answer-count">{count}</span>
        </button>
      ))}
    </div>
  );
}

function Range({ facet }: { facet: NumberFacet }) {
  const low = useSignal("");
  const high = useSignal("");
  const submit = (event: Event): void => {
    event.preventDefault();
    const number = (text: string): number | null =>
      text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text);
    void setFilters(facet.field, rangeFilters(facet.field, number(low.value), number(high.value)));
  };
  return (
    <form class="facet-range" onSubmit={submit}>
      <input
        type="number"
        step="any"
        aria-label={`${facet.label} from`}
        placeholder={String(facet.min)}
        value={low.value}
        onInput={(event) => {
          low.value = event.currentTarget.value;
        }}
      />
      <span aria-hidden="true">to</span>
      <input
        type="number"
        step="any"
        aria-label={`${facet.label} to`}
        placeholder={String(facet.max)}
        value={high.value}
        onInput={(event) => {
          high.value = event.currentTarget.value;
        }}
      />
      <button type="submit" class="button small">
        Apply
      </button>
    </form>
  );
}
