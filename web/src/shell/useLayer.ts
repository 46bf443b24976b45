/** Something that lies over the page for as long as it is shown: the browser's Back closes it. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { openLayer } from "../state/router";

/** The screens on which the conversation and the filters are sheets over the pictures. */
export const isNarrow = (): boolean => matchMedia("(max-width: 820px)").matches;

export function useLayer(close: () => void, open = true): void {
  const latest = useRef(close);
  latest.current = close;
  // Before anything else can happen: Back may be the next thing.
  useLayoutEffect(() => (open ? openLayer(() => latest.current()) : undefined), [open]);
}
