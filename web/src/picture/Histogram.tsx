/** How the tones of a picture are spread: red, green, blue and light. */
import { useEffect, useState } from "preact/hooks";
import { histogramOf, type Channels } from "./histogram";

const SIDE = 160;
const BINS = 64;

export function Histogram({ address }: { address: string }) {
  const [channels, setChannels] = useState<Channels | null>(null);
  useEffect(() => {
    let left = false;
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      const scale = SIDE / Math.max(image.naturalWidth, image.naturalHeight, SIDE);
      canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
      canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
      const paper = canvas.getContext("2d", { willReadFrequently: true });
      if (!paper || left) return;
      paper.drawImage(image, 0, 0, canvas.width, canvas.height);
      setChannels(histogramOf(paper.getImageData(0, 0, canvas.width, canvas.height).data, BINS));
    };
    image.src = address;
    return () => {
      left = true;
    };
  }, [address]);
  return (
    <svg class="histogram" viewBox={`0 0 ${BINS} 32`} preserveAspectRatio="none" role="img" aria-label="Histogram">
      {channels &&
        (["light", "red", "green", "blue"] as const).map((name) => (
          <path key={name} class={`tone-${name}`} d={outline(channels[name])} />
        ))}
    </svg>
  );
}

function outline(values: readonly number[]): string {
  return `M0 32${values.map((value, i) => `L${i + 0.5} ${(32 - 31 * value).toFixed(2)}`).join("")}L${values.length} 32Z`;
}
