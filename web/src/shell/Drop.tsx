/** A picture that is dropped or pasted is searched with. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { notice } from "../state/notices";
import { collection, searchWith } from "../state/talk";
import { Icon } from "./Icon";
import { isTyping } from "./keys";

function pictureIn(data: DataTransfer | null): File | null {
  return Array.from(data?.files ?? []).find((file) => file.type.startsWith("image/")) ?? null;
}

export function Drop() {
  const over = useSignal(false);
  useLayoutEffect(() => {
    let depth = 0;
    const carries = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const enter = (event: DragEvent): void => {
      if (carries(event)) over.value = ++depth > 0;
    };
    const leave = (event: DragEvent): void => {
      if (carries(event)) over.value = --depth > 0;
    };
    const hold = (event: DragEvent): void => {
      if (carries(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      depth = 0;
      over.value = false;
      if (!carries(event)) return;
      event.preventDefault(); // or the browser would leave the page and open the file
      const file = pictureIn(event.dataTransfer);
      if (!file) notice("This is not a picture. Drop a JPEG, PNG or WebP file to search with it.", { kind: "error" });
      else if (collection.value) void searchWith(file);
    };
    const paste = (event: ClipboardEvent): void => {
      const file = pictureIn(event.clipboardData);
      if (!file || !collection.value || (isTyping(event.target) && event.clipboardData?.types.includes("text/plain")))
        return;
      event.preventDefault();
      void searchWith(file);
    };
    const pairs = [
      ["dragenter", enter],
      ["dragleave", leave],
      ["dragover", hold],
      ["drop", drop],
      ["paste", paste],
    ] as const;
    for (const [name, handler] of pairs) addEventListener(name, handler as EventListener);
    return () => {
      for (const [name, handler] of pairs) removeEventListener(name, handler as EventListener);
    };
  }, []);
  if (!over.value) return null;
  return (
    <div class="drop" aria-hidden="true">
      <div>
        <Icon name="picture" size={40} />
        <p>Drop it to find pictures like it</p>
      </div>
    </div>
  );
}
