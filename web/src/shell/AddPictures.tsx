/** Adding pictures of one's own to the collection that is open. */
import { useRef } from "preact/hooks";
import { notice, tell } from "../state/notices";
import { loadCollections } from "../state/session";
import { collection, conversation } from "../state/talk";
import { hangAnew } from "../state/wall";
import { count } from "../text/words";
import { MenuItem } from "./controls";
import { addTo, PictureField } from "./PictureField";

export function AddPictures({ onDone }: { onDone: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const add = async (files: File[]): Promise<void> => {
    const name = collection.value;
    if (!name || files.length === 0) return;
    try {
      const { added } = await addTo(name, files);
      if (added) notice(`${count(added, "picture")} added.`);
      await loadCollections();
      if (!conversation.value) hangAnew(name);
    } catch (error) {
      tell(error);
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
