/** The way to turns before those that are shown. */
import { count } from "../text/words";

export function Earlier({ left, onShow }: { left: number; onShow: () => void }) {
  if (left === 0) return null;
  return (
    <button type="button" class="sample" onClick={onShow}>
      Show earlier steps ({count(left, "more step")})
    </button>
  );
}
