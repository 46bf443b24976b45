/** Making a collection of pictures that are dropped here or chosen in the browser. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { send } from "../api/client";
import { Icon } from "../shell/Icon";
import { addTo, PictureField } from "../shell/PictureField";
import { notice, tell } from "../state/notices";
import { collections } from "../state/session";
import { count } from "../text/words";
import type { Job } from "./Indexing";
import { freeName } from "./names";

export function Uploads({ onJob }: { onJob: (job: Job) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const sent = useSignal<[number, number] | null>(null);
  const over = useSignal(false);
  const begin = async (files: File[]): Promise<void> => {
    const pictures = files.filter((file) => file.type.startsWith("image/"));
    if (pictures.length === 0) return void notice("There was no picture among these files.", { kind: "error" });
    const name = freeName(
      "uploads",
      (collections.value ?? []).map((one) => one.name),
    );
    try {
      await send("POST", "/collections", { name });
      await addTo(name, pictures, (now) => {
        sent.value = [now, pictures.length];
      });
      onJob({ collection: name, job: null });
    } catch (error) {
      tell(error);
    } finally {
      sent.value = null;
    }
  };
  return (
    <section
      class={`uploads ${over.value ? "over" : ""}`}
      aria-label="Upload pictures"
      onDragOver={(event) => {
        event.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => {
        over.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        over.value = false;
        void begin(Array.from(event.dataTransfer?.files ?? []));
      }}
    >
      <Icon name="picture" size={30} />
      {sent.value ? (
        <p role="status">
          Sending {sent.value[0]} of {count(sent.value[1], "picture")} …
        </p>
      ) : (
        <p>
          Or drop pictures here,{" "}
          <button type="button" class="link" onClick={() => field.current?.click()}>
            choose some
          </button>
          .
        </p>
      )}
      <PictureField field={field} label="Pictures to upload" onFiles={(files) => void begin(files)} />
    </section>
  );
}
