/** Every key, in one list. */
import { signal } from "@preact/signals";
import { showCommands } from "../state/preferences";
import { Checkbox, IconButton } from "./controls";
import { Modal } from "./Modal";

export const helpOpen = signal(false);

const KEYS: [string, [string, string][]][] = [
  [
    "Everywhere",
    [
      ["/", "to the message field"],
      ["Ctrl Z", "undo: the last step is taken back"],
      ["Ctrl Shift Z", "redo"],
      ["N", "new conversation"],
      ["F", "filters"],
      ["T", "light, dark, as the system"],
      ["?", "this list"],
      ["Esc", "close, or leave the field"],
    ],
  ],
  [
    "On the wall",
    [
      ["← → ↑ ↓", "from picture to picture"],
      ["Home, End", "first and last"],
      ["Enter", "open large"],
      ["Space", "select; with Shift everything in between"],
      ["H", "favourite"],
      ["L", "more like this"],
      ["X", "not like this"],
      ["S", "start from this"],
    ],
  ],
  [
    "On a chip of the brief",
    [
      ["Enter", "switch on or off"],
      ["+ −", "counts more, counts less"],
      ["P", "pin"],
      ["Delete", "remove"],
    ],
  ],
  [
    "A picture, large",
    [
      ["← →", "previous, next"],
      ["L, X, S", "more, not, start from this"],
      ["E", "edit"],
      ["+, −, 0", "larger, smaller, fit (also the wheel, and a double click)"],
      ["B", "a box to crop (Enter) or search inside; arrows move it, with Shift they size it"],
      ["C", "before and after"],
      ["D", "download"],
    ],
  ],
];

export function Help() {
  if (!helpOpen.value) return null;
  const close = (): void => {
    helpOpen.value = false;
  };
  return (
    <Modal label="Keyboard" class="help" onClose={close}>
      <header class="compare-head">
        <h2>Keyboard</h2>
        <IconButton icon="close" label="Close" keys="Esc" onClick={close} />
      </header>
      <Checkbox signal={showCommands} class="help-commands">
        Show the commands that a message was understood as, and in the menu what ranks the pictures
      </Checkbox>
      <div class="help-columns">
        {KEYS.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
