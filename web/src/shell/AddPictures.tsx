/** Adding pictures of one's own to the collection that is open. */
import { useRef } from "preact/hooks";
import { adding, arrived } from "../state/jobs";
import { notice, tell } from "../state/notices";
import { loadCollections } from "../state/session";
import { collection, conversation } from "../state/talk";
import { hangAnew } from "../state/wall";
import { amount, count } from "../text/words";
import { MenuItem } from "./controls";
import { addTo, PictureField } from "./PictureField";

export function AddPictures({ onDone }: { onDone: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const add = async (files: File[]): Promise<void> => {
    const name = collection.value;
    if (!name || files.length === 0) return;
    try {
      adding.value = { done: 0, total: files.length };
      const { added, known } = await addTo(name, files, (done) => {
        adding.value = { done, total: files.length };
      });
      const fresh = added - known;
      const already = `${amount(known)} ${known === 1 ? "was" : "were"} here already`;
      if (fresh) notice(`${count(fresh, "picture")} added${known ? `; ${already}` : ""}.`);
      else if (known) notice(`${already}.`);
      await loadCollections();
      if (collection.value !== name) return;
      if (!conversation.value) hangAnew(name);
      else arrived.value += fresh;
    } catch (error) {
      tell(error);
    } finally {
      adding.value = null;
    }
  };
  return (
    <>
      <MenuItem icon="picture" onClick={() => field.current?.click()}>
        Add pictures to this collection
      </MenuItem>
      <PictureField
        field={field}
        label="Pictures to add"
        onFiles={(files) => {
          void add(files);
          onDone();
        }}
      />
    </>
  );
}
