/** What lies over the page until it is closed. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { layers } from "../state/notices";
import type { PanelProps } from "./controls";
import { Notices } from "./Notices";
import { useLayer } from "./useLayer";

interface ModalProps extends PanelProps {
  /** Whether the address tells that it is open: then Back closes it by that. */
  addressed?: boolean;
}

/** A modal that the browser itself keeps the focus in; Escape, Back and a click beside it close it. */
export function Modal({ label, class: extra = "", addressed = false, onClose, children }: ModalProps) {
  useLayer(onClose, !addressed);
  const dialog = useRef<HTMLDialogElement>(null);
  const layer = useRef(Symbol(label)).current;
  // A layout effect, because a key pressed right after Escape must already find the focus back in its place.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const modal = dialog.current;
    modal?.showModal();
    layers.value = [...layers.value, layer];
    return () => {
      layers.value = layers.value.filter((one) => one !== layer);
      modal?.close(); // while it is open, nothing outside it can take the focus
      const back =
        before instanceof HTMLElement && before.isConnected ? before : document.querySelector<HTMLElement>(".wall");
      back?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`modal ${extra}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {children}
      {layers.value.at(-1) === layer && <Notices />}
    </dialog>
  );
}
