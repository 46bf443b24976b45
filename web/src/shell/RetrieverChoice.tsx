/** Which retriever ranks the pictures: of the open conversation, or of the one that begins next. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get } from "../api/client";
import { retriever } from "../state/preferences";
import { collection, revise, turns } from "../state/talk";

type Choice = { name: string; about: string; missing?: string };

/** The collection whose retrievers were offered last. */
let askedFor = "";

export function RetrieverChoice() {
  const choices = useSignal<Choice[]>([]);
  const name = collection.value ?? "";
  useEffect(() => {
    if (!turns.value.length && askedFor !== name) retriever.value = ""; // another collection may not have it
    askedFor = name;
    get<{ retrievers: Choice[] }>(`/collections/${encodeURIComponent(name)}/retrievers`)
      .then((found) => {
        choices.value = found.retrievers;
      })
      .catch(() => undefined); // without the list the choice is not offered
  }, [name]);
  if (choices.value.length < 2) return null;
  const now = turns.value.at(-1)?.retriever ?? (retriever.value || choices.value[0]!.name);
  return (
    <label class="menu-item">
      <span>Ranked by</span>
      <select
        value={now}
        onChange={(event) => {
          const wanted = event.currentTarget.value;
          if (turns.value.length) void revise([`retriever ${wanted}`]);
          else retriever.value = wanted;
        }}
      >
        {choices.value.map((one) => (
          <option key={one.name} value={one.name} disabled={Boolean(one.missing)} title={one.missing || one.about}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}
