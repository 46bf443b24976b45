/** A hidden field for choosing picture files, and sending them to a collection. */
import type { RefObject } from "preact";
import { upload, type Uploaded } from "../api/uploads";
import { notice } from "../state/notices";
import { count } from "../text/words";

interface Props {
  field: RefObject<HTMLInputElement | null>;
  label: string;
  multiple?: boolean;
  onFiles: (files: File[]) => void;
}

export function PictureField({ field, label, multiple = true, onFiles }: Props) {
  return (
    <input
      ref={field}
      class="visually-hidden"
      tabIndex={-1}
      type="file"
      accept="image/*"
      multiple={multiple}
      aria-label={label}
      onChange={(event) => {
        onFiles(Array.from(event.currentTarget.files ?? []));
        event.currentTarget.value = ""; // the same file can be chosen again
      }}
    />
  );
}

/** Sends pictures to a collection and tells which of them could not be read. */
export async function addTo(
  collection: string,
  files: readonly File[],
  onProgress: (sent: number) => void = () => undefined,
): Promise<Uploaded> {
  const done = await upload(collection, files, onProgress);
  if (done.refused.length)
    notice(`${count(done.refused.length, "file")} could not be read: ${done.refused.slice(0, 3).join(", ")}`, {
      kind: "error",
    });
  return done;
}
