/** The edit bar: every operation of the server's table, live, with the command it stands for. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Operation, Picture } from "../api/types";
import { IconButton } from "../shell/controls";
import { Icon } from "../shell/Icon";
import { loadOperations, operations } from "../state/session";
import { tell } from "../state/notices";
import { busy, collection, latest, say, turns } from "../state/talk";
import { QuestionCard } from "../talk/QuestionCard";
import { replyInWords } from "../talk/telling";
import { thumbnail } from "../api/addresses";
import { copiedEdits, copyEdits } from "./clipboard";
import { isComplete, isSlider } from "./commands";
import { Field, fieldName } from "./Field";
import { Histogram } from "./Histogram";
import { hasMask } from "./marks";
import { masking } from "./masking";
import { PRESETS } from "./presets";
import { showCommands } from "../state/preferences";
import {
  canStepForth,
  commands,
  correct,
  doneMarking,
  doubt,
  drafts,
  drop,
  follow,
  goBackTo,
  isTried,
  isTrying,
  keep,
  keptPicture,
  showMask,
  objection,
  press,
  put,
  putBack,
  remade,
  set,
  stepBack,
  stepForth,
  takeOut,
  toggle,
  trial,
  trying,
  valuesOf,
} from "./editing";
import { inWords } from "./steps";

export function EditPanel({ picture, onDone }: { picture: Picture; onDone: () => void }) {
  useEffect(() => {
    loadOperations().catch(tell);
  }, []);
  const groups = Map.groupBy(operations.value.filter(isForBar), (operation) => operation.group);
  return (
    <>
      <div class="editing">
        <Tell onDone={onDone} />
        <Asked picture={picture.id} />
        <Histogram address={trial.value?.url ?? thumbnail(collection.value ?? "", picture.id, 640)} />
        <Presets picture={picture} />
        {[...groups].map(([name, list]) => (
          <Group key={name} name={name} operations={list} />
        ))}
        {operations.value.length === 0 && <p class="quiet">One moment …</p>}
      </div>
      <Steps picture={picture} />
    </>
  );
}

/** A box is dragged on the picture, not typed; black and white is one of the looks. */
function isForBar(operation: Operation): boolean {
  return operation.template !== "grayscale" && !operation.params.some((param) => param.name === "left");
}

/** An edit in words: "brighter, and cut out the dog". */
function Tell({ onDone }: { onDone: () => void }) {
  const text = useSignal("");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const said = text.value;
    const about = await keptPicture(); // sliders that were moved count, too
    if (about === null) return;
    const turn = await say(said, { picture: about });
    if (!turn) return;
    text.value = "";
    if (turn.hand) follow(turn);
    else onDone();
  };
  return (
    <form class="tell" onSubmit={(event) => void submit(event)}>
      <input
        aria-label="Say what should change"
        placeholder="Say it: “a bit brighter”"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <IconButton icon="send" label="Do it" type="submit" disabled={!text.value.trim() || busy.value} />
    </form>
  );
}

/** What was answered to the words above, and a question about them: behind this window nobody would see it. */
function Asked({ picture }: { picture: string }) {
  const turn = latest.value;
  if (!turn?.message || turn.hand?.picture !== picture || isTrying.value) return null;
  if (!turn.question || (turn.question.kind !== "clarify" && !turn.pending?.length))
    return (
      <p class="quiet small" role="status">
        {replyInWords(turn, turns.value)}
      </p>
    );
  const answer = async (text: string): Promise<void> => {
    document.querySelector<HTMLElement>(".tell input")?.focus();
    follow(await say(text));
  };
  return <QuestionCard question={turn.question} answer={(text) => void answer(text)} shown />;
}

/** Looks with one tap, and edits that travel from picture to picture. */
function Presets({ picture }: { picture: Picture }) {
  const all = [...(remade.value ?? picture.edits ?? []).filter((step) => step !== null), ...commands.value];
  return (
    <section class="presets" aria-label="Looks">
      <div class="group-buttons">
        {PRESETS.map(({ name, commands: list }) => (
          <button
            key={name}
            type="button"
            class="button small"
            title={list.map(inWords).join(", ")}
            onClick={() => put(name, list)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="group-buttons">
        <button type="button" class="button small" disabled={all.length === 0} onClick={() => copyEdits(all)}>
          Copy these edits
        </button>
        <button
          type="button"
          class="button small"
          disabled={copiedEdits.value.length === 0}
          title={copiedEdits.value.map(inWords).join(", ")}
          onClick={() => put("pasted", copiedEdits.value)}
        >
          Paste edits
        </button>
      </div>
    </section>
  );
}

/** The command itself, for those who want to see commands. */
function title(command: string): string | undefined {
  return showCommands.value ? command : undefined;
}

/** What was kept and what is being tried. */
function Steps({ picture }: { picture: Picture }) {
  const kept = picture.edits ?? [];
  const source = picture.source_id;
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => list.current?.scrollTo({ top: list.current.scrollHeight }), [kept.length, drafts.value.length]);
  return (
    <section class="steps" aria-label="Steps">
      {kept.length + drafts.value.length > 0 ? (
        <ol role="list" ref={list}>
          {kept.map((command, i) =>
            remade.value && remade.value[i] !== command ? (
              <li key={i} class={`draft ${remade.value[i] === null ? "out" : ""}`}>
                <span title={title(command)}>{inWords(remade.value[i] ?? command)}</span>
                <IconButton icon="close" label={`Back to ${inWords(command)}`} onClick={() => putBack(i)} />
              </li>
            ) : (
              <li key={i} class="kept">
                <Icon name="check" size={13} />
                <span title={title(command)}>{inWords(command)}</span>
                {source && i === kept.length - 1 && hasMask(command) && (
                  <IconButton
                    icon="brush"
                    label={`Correct what is marked: ${inWords(command)}`}
                    disabled={busy.value}
                    onClick={() => void correct(source, kept.slice(0, i), command)}
                  />
                )}
                {source && (
                  <IconButton
                    icon="back"
                    label={`Back to before ${inWords(command)}`}
                    disabled={busy.value}
                    onClick={() => void goBackTo(source, kept.slice(0, i)).then((turn) => follow(turn))}
                  />
                )}
              </li>
            ),
          )}
          {drafts.value.map((draft) => (
            <li key={draft.operation} class="draft">
              <span title={title(draft.command)}>{inWords(draft.command)}</span>
              {hasMask(draft.command) && (
                <IconButton
                  icon="brush"
                  label={`Show and correct what is marked: ${inWords(draft.command)}`}
                  pressed={masking.value?.operation === draft.operation}
                  onClick={() => (masking.value?.operation === draft.operation ? doneMarking() : showMask(draft))}
                />
              )}
              <IconButton icon="close" label={`Take out ${inWords(draft.command)}`} onClick={() => takeOut(draft)} />
            </li>
          ))}
        </ol>
      ) : (
        <p class="quiet small">
          Nothing is changed yet, and the original always stays. Drag a box on the picture to crop it.
        </p>
      )}
      {objection.value && (
        <p class="objection" role="alert">
          {objection.value}
        </p>
      )}
      {doubt.value && (
        <div class="doubted" role="alert">
          <p>{doubt.value}</p>
          <button type="button" class="button small" onClick={() => showMask(drafts.value.at(-1)!)}>
            Show what was found
          </button>
          <button type="button" class="button small" onClick={() => takeOut(drafts.value.at(-1)!)}>
            Leave it
          </button>
        </div>
      )}
      <div class="steps-tools">
        <IconButton
          icon="undo"
          label="One step back"
          keys="Ctrl Z"
          disabled={!isTrying.value && !source}
          onClick={() => void stepBack(source)}
        />
        <IconButton
          icon="redo"
          label="One step forth"
          keys="Ctrl Shift Z"
          disabled={!canStepForth(source ?? picture.id)}
          onClick={() => void stepForth(source ?? picture.id)}
        />
        <span class="grow" aria-live="polite">
          {trying.value ? "Making a preview …" : ""}
        </span>
        <button type="button" class="button small" disabled={!isTrying.value} onClick={drop}>
          Discard
        </button>
        <button
          type="button"
          class="button small accent"
          disabled={!isTrying.value || busy.value}
          onClick={() => void keep()}
        >
          Keep
        </button>
      </div>
    </section>
  );
}

function Group({ name, operations: list }: { name: string; operations: Operation[] }) {
  const buttons = list.filter((operation) => operation.params.length === 0);
  const sliders = list.filter(isSlider);
  const others = list.filter((operation) => operation.params.length > 0 && !isSlider(operation));
  return (
    <details class="group" open>
      <summary>{name}</summary>
      {sliders.map((operation) => (
        <Slider key={operation.template} operation={operation} />
      ))}
      {buttons.length > 0 && (
        <div class="group-buttons">
          {buttons.map((operation) => (
            <button key={operation.template} type="button" class="button small" onClick={() => press(operation)}>
              {operation.label}
            </button>
          ))}
        </div>
      )}
      {others.map((operation) => (
        <Fields key={operation.template} operation={operation} />
      ))}
    </details>
  );
}

function Slider({ operation }: { operation: Operation }) {
  const param = operation.params[0]!;
  const value = Number(valuesOf(operation)[param.name]);
  return (
    <Field param={param} label={operation.label} value={value} onValue={(next) => set(operation, param.name, next)} />
  );
}

/** An operation with several fields: it counts as soon as one of them is set, or by its own switch. */
function Fields({ operation }: { operation: Operation }) {
  const now = valuesOf(operation);
  return (
    <fieldset class="operation">
      <legend>{operation.label}</legend>
      {operation.params.map((param) => (
        <Field
          key={param.name}
          param={param}
          label={fieldName(param)}
          value={now[param.name] ?? ""}
          onValue={(value) => set(operation, param.name, value)}
        />
      ))}
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={isTried(operation)}
        aria-label={operation.label}
        disabled={!isComplete(operation, now)}
        onClick={() => toggle(operation)}
      />
    </fieldset>
  );
}
