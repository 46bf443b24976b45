/** The picture in full size, as a file of a format that one chooses. */
import { useSignal } from "@preact/signals";
import { download } from "../api/addresses";
import { Icon } from "../shell/Icon";
import { collection } from "../state/talk";

interface Props {
  id: string;
  /** Keeps what is being tried on the picture and gives the one that it makes: what is seen is what is downloaded. */
  keep?: (() => Promise<string | null>) | undefined;
}

export function Download({ id, keep }: Props) {
  const format = useSignal(""); // that of its own file
  const keepFirst = async (): Promise<void> => {
    const kept = await keep?.();
    if (!kept) return; // it is asked about first
    const link = document.createElement("a");
    link.href = download(collection.value ?? "", kept, format.value);
    link.download = "";
    link.click();
  };
  return (
    <span class="download-group">
      <select
        aria-label="Format"
        value={format.value}
        onChange={(event) => {
          format.value = event.currentTarget.value;
        }}
      >
        <option value="">As it is</option>
        <option value="png">PNG</option>
        <option value="jpeg">JPEG</option>
        <option value="webp">WebP</option>
      </select>
      <a
        class="icon-button download"
        href={download(collection.value ?? "", id, format.value)}
        download
        aria-label="Download in full size"
        title={keep ? "Keep and download in full size (D)" : "Download in full size (D)"}
        onClick={(event) => {
          if (!keep) return;
          event.preventDefault();
          void keepFirst();
        }}
      >
        <Icon name="export" />
      </a>
    </span>
  );
}
