/** What can be done with the box on a picture, below the picture: nothing lies on the box and its handles. */
import { IconButton } from "../shell/controls";
import { Icon } from "../shell/Icon";
import { ASPECTS, type Aspect } from "./box";
import { editing } from "./editing";

interface Props {
  aspect: Aspect;
  onAspect: (aspect: Aspect) => void;
  onCrop: (() => void) | null;
  onSearch: () => void;
  onCancel: () => void;
}

export function BoxTools({ aspect, onAspect, onCrop, onSearch, onCancel }: Props) {
  const crops = editing.value && onCrop !== null; // what Enter does
  const rank = (main: boolean): string => `button small ${main ? "accent" : ""}`;
  const title = (main: boolean): string | undefined => (main ? "Enter" : undefined);
  const search = (
    <button key="search" type="button" class={rank(!crops)} title={title(!crops)} onClick={onSearch}>
      <Icon name="look" size={15} /> Search inside
    </button>
  );
  const crop = onCrop && (
    <button key="crop" type="button" class={rank(crops)} title={title(crops)} onClick={onCrop}>
      <Icon name="crop" size={15} /> Crop
    </button>
  );
  return (
    <div class="box-tools" role="toolbar" aria-label="The box">
      {crops ? [crop, search] : [search, crop]}
      <select
        aria-label="Shape of the box"
        value={aspect}
        onChange={(event) => onAspect(event.currentTarget.value as Aspect)}
      >
        {ASPECTS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <IconButton icon="close" label="Cancel the box" onClick={onCancel} />
    </div>
  );
}
