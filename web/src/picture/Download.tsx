/** The picture in full size, as a file of a format that one chooses. */
import { useSignal } from "@preact/signals";
import { download } from "../api/addresses";
import { Icon } from "../shell/Icon";
import { collection } from "../state/talk";

export function Download({ id }: { id: string }) {
  const format = useSignal("png");
  return (
    <span class="download-group">
      <select
        aria-label="Format"
        value={format.value}
        onChange={(event) => {
          format.value = event.currentTarget.value;
        }}
      >
        <option value="png">PNG</option>
        <option value="jpeg">JPEG</option>
        <option value="webp">WebP</option>
      </select>
      <a
        class="icon-button download"
        href={download(collection.value ?? "", id, format.value)}
        download
        aria-label="Download in full size"
        title="Download in full size (D)"
      >
        <Icon name="export" />
      </a>
    </span>
  );
}
