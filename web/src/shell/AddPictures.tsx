/** Adding pictures of one's own to the collection that is open. */
import { useRef } from "preact/hooks";
import { upload } from "../api/uploads";
import { notice, tell } from "../state/notices";
import { loadCollections } from "../state/session";
import { collection, conversation } from "../state/talk";
import { hangAnew } from "../state/wall";
import { count } from "../text/words";
import { MenuItem } from "./controls";

export function AddPictures({ onDone }: { onDone: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const add = async (files: File[]): Promise<void> => {
    const name = collection.value;
    if (!name || files.length === 0) return;
    try {
      const { added, refused } = await upload(name, files, () => undefined);
      if (added) notice(`${count(added, "picture")} added.`);
      if (refused.length)
        notice(`${count(refused.length, "file")} could not be read: ${refused.slice(0, 3).join(", ")}`, {
          kind: "error",
        });
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
      <input
        ref={field}
        class="visually-hidden"
        tabIndex={-1}
        type="file"
        accept="image/*"
        multiple
        aria-label="Pictures to add"
        onChange={(event) => {
          void add(Array.from(event.currentTarget.files ?? []));
          onDone();
        }}
      />
    </>
  );
}
