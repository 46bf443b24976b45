/** Small parts that everything else is made of. */
import { useSignal, type Signal } from "@preact/signals";
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./Icon";
import { useLayer } from "./useLayer";

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "label"> {
  icon: IconName;
  label: string;
  keys?: string;
  disabled?: boolean;
  pressed?: boolean;
}

/** A handler of clicks that switches a signal on and off. */
export function toggles(signal: Signal<boolean>): () => void {
  return () => {
    signal.value = !signal.value;
  };
}

/** A box to tick for a signal. */
export function Checkbox({ signal, class: extra, children }: CheckboxProps) {
  return (
    <label class={extra}>
      <input
        type="checkbox"
        checked={signal.value}
        onChange={(event) => {
          signal.value = event.currentTarget.checked;
        }}
      />
      {children}
    </label>
  );
}

interface CheckboxProps {
  signal: Signal<boolean>;
  class: string;
  children: ComponentChildren;
}

/** A button that shows an icon and says its name to those who cannot see it, and on hover. */
export function IconButton({ icon, label, keys, pressed, class: extra = "", ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${String(extra)}`}
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      aria-pressed={pressed}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}

/** What opens over the page: its name, what it is styled as, how it is closed. */
export interface PanelProps {
  label: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A panel beside the button that opened it; closes on Escape, on Back, on a click elsewhere and when the focus leaves. */
export function Popover({ label, class: extra = "", onClose, children }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayer(onClose);
  const isElsewhere = (target: EventTarget | null): boolean =>
    target instanceof Node && !panel.current?.contains(target) && !opener.current?.contains(target);
  // As with modals: whoever presses a key right after opening or closing it must find the focus in its place.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const here = panel.current;
    opener.current = before === document.body ? null : before;
    (here?.querySelector<HTMLElement>("button:not(:disabled), input, select, a") ?? here)?.focus({
      preventScroll: true,
    });
    const away = (event: Event): void => {
      if (isElsewhere(event.target)) close.current();
    };
    document.addEventListener("pointerdown", away, true);
    return () => {
      document.removeEventListener("pointerdown", away, true);
      if (here?.contains(document.activeElement) && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div
      ref={panel}
      class={`popover ${extra}`}
      role="group"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
      onFocusOut={(event) => {
        if (isElsewhere(event.relatedTarget)) onClose();
      }}
    >
      {children}
    </div>
  );
}

interface ConfirmDeletionProps {
  name: string;
  class?: string;
  onDelete: () => Promise<void>;
  onKeep: () => void;
  children: ComponentChildren;
}

/** Asks before something is deleted; the focus is on keeping it. */
export function ConfirmDeletion({ name, class: extra = "", onDelete, onKeep, children }: ConfirmDeletionProps) {
  const deleting = useSignal(false);
  useLayer(onKeep, !deleting.value);
  if (deleting.value)
    return (
      <div class={`confirm ${extra}`} role="status">
        Deleting “{name}” …
      </div>
    );
  return (
    <div class={`confirm ${extra}`} role="alertdialog" aria-label={`Delete ${name}?`}>
      <span>{children}</span>
      <button
        type="button"
        class="button small danger"
        onClick={() => {
          deleting.value = true;
          void onDelete().finally(() => {
            deleting.value = false;
          });
        }}
      >
        Delete
      </button>
      <button type="button" class="button small" ref={(button) => button?.focus()} onClick={onKeep}>
        Keep
      </button>
    </div>
  );
}

/** A row of a menu. */
export function MenuItem({
  icon,
  children,
  ...rest
}: { icon: IconName; children: ComponentChildren } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" class="menu-item" {...rest}>
      <Icon name={icon} /> <span>{children}</span>
    </button>
  );
}
