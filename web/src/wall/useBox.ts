/** The size and scroll position of an element, as they change. */
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

export interface View {
  width: number;
  height: number;
  top: number;
}

/** `grain`: the position is told in steps of so many pixels, because whoever hears of it draws anew. */
export function useView(ref: RefObject<HTMLElement | null>, grain = 1): View {
  const [view, setView] = useState<View>({ width: 0, height: 0, top: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const next = {
        width: element.clientWidth,
        height: element.clientHeight,
        top: grain * Math.floor(element.scrollTop / grain),
      };
      setView((now) => (now.width === next.width && now.height === next.height && now.top === next.top ? now : next));
    };
    const soon = (): void => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    const observer = new ResizeObserver(soon);
    observer.observe(element);
    element.addEventListener("scroll", soon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener("scroll", soon);
    };
  }, []);
  return view;
}
