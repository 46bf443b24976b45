/** A small picture of fixed size; says so quietly when it cannot be loaded. */
import { thumbnail } from "../api/addresses";
import { Icon } from "./Icon";
import { useBroken } from "./useBroken";

export function Thumb({
  collection,
  id,
  alt = "",
  share,
  size = 320,
}: {
  collection: string;
  id: string;
  alt?: string;
  share?: string | undefined;
  size?: number;
}) {
  const [broken, fail] = useBroken(id);
  if (broken)
    return (
      <span class="thumb broken" role="img" aria-label={alt || "picture that cannot be shown"}>
        <Icon name="picture" size={14} />
      </span>
    );
  return (
    <img
      class="thumb"
      src={thumbnail(collection, id, size, share)}
      alt={alt}
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={fail}
    />
  );
}
