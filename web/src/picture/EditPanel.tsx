/** The edit bar: every operation of the server's table, live, with the command it stands for. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Operation, Parameter, Picture } from "../api/types";
import { IconButton } from "../shell/controls";
import { Icon } from "../shell/Icon";
import { loadOperations, operations } from "../state/session";
import { tell } from "../state/notices";
import { busy, canRedo, say } from "../state/talk";
import { drafts, drop, follow, keep, objection, press, set, stepBack, stepForth, takeOut, trying, valuesOf } from "./editing";

export function EditPanel({ picture, onDone }: { picture: Picture; onDone: () => void }) {
  useEffect(() => { loadOperations().catch(tell); }, []);
  const groups = Map.groupBy(operations.value, (operation) => operation.group);
  return (
    <div class="editing">
      <Tell picture={picture.id} onDone={onDone} />
      <Steps picture={picture} />
      {[...groups].map(([name, list]) => <Group key={name} name={name} operations={list} />)}
      {operations.value.length === 0 && <p class="quiet">One moment …</p>}
    </div>
  );
}

/** An edit in words: "brighter, and cut out the dog". */
function Tell({ picture, onDone }: { picture: string; onDone: () => void }) {
  const text = useSignal("");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const turn = await say(text.value, { picture });
    if (!turn) return;
    text.value = "";
    if (turn.hand) follow(turn);
    else onDone();
  };
  return (
    <form class="tell" onSubmit={(event) => void submit(event)}>
      <input aria-label="Say what should change" placeholder="Say it: “brighter”, “cut out the dog”" value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} />
      <IconButton icon="send" label="Do it" type="submit" disabled={!text.value.trim() || busy.value} />
    </form>
  );
}

/** What was kept and what is being tried, as the commands that the server reads. */
function Steps({ picture }: { picture: Picture }) {
  const kept = picture.edits ?? [];
  const source = picture.source_id;
  return (
    <section class="steps" aria-label="Steps">
      {kept.length + drafts.value.length > 0 ? (
        <ol role="list">
          {kept.map((command, i) => <li key={i} class="kept"><Icon name="check" size={13} /><code>{command}</code></li>)}
          {drafts.value.map((draft) => (
            <li key={draft.operation} class="draft"><code>{draft.command}</code><IconButton icon="close" label={`Take out ${draft.command}`} onClick={() => takeOut(draft)} /></li>
          ))}
        </ol>
      ) : <p class="quiet small">Nothing is changed yet. The original always stays.</p>}
      {objection.value && <p class="objection" role="alert">{objection.value}</p>}
      <div class="steps-tools">
        <IconButton icon="undo" label="One step back" keys="Ctrl Z" disabled={drafts.value.length === 0 && !source} onClick={() => void stepBack(source)} />
        <IconButton icon="redo" label="One step forth" keys="Ctrl Shift Z" disabled={!canRedo.value} onClick={() => void stepForth()} />
        <span class="grow" aria-live="polite">{trying.value ? "Making a preview …" : ""}</span>
        <button type="button" class="button small" disabled={drafts.value.length === 0} onClick={drop}>Discard</button>
        <button type="button" class="button small accent" disabled={drafts.value.length === 0 || busy.value} onClick={() => void keep()}>Keep</button>
      </div>
    </section>
  );
}

function Group({ name, operations: list }: { name: string; operations: Operation[] }) {
  const buttons = list.filter((operation) => operation.params.length === 0);
  const fields = list.filter((operation) => operation.params.length > 0);
  return (
    <details class="group" open>
      <summary>{name}</summary>
      {buttons.length > 0 && (
        <div class="group-buttons">
          {buttons.map((operation) => (
            <button key={operation.template} type="button" class="button small" title={operation.template} onClick={() => press(operation)}>{operation.label}</button>
          ))}
        </div>
      )}
      {fields.map((operation) => <Fields key={operation.template} operation={operation} />)}
    </details>
  );
}

function Fields({ operation }: { operation: Operation }) {
  const single = operation.params.length === 1;
  return (
    <fieldset class="operation">
      {!single && <legend>{operation.label}</legend>}
      {operation.params.map((param) => (
        <Field
          key={param.name} param={param} label={single ? operation.label : param.name} value={valuesOf(operation)[param.name] ?? ""}
          onValue={(value) => set(operation, param.name, value)}
        />
      ))}
    </fieldset>
  );
}

function Field({ param, label, value, onValue }: { param: Parameter; label: string; value: number | string; onValue: (value: number | string) => void }) {
  if (param.choices?.length) {
    return (
      <label class="field"><span>{label}</span>
        <select value={String(value)} onChange={(event) => onValue(event.currentTarget.value)}>{param.choices.map((choice) => <option key={choice}>{choice}</option>)}</select>
      </label>
    );
  }
  if (param.kind === "colour" || param.kind === "color") {
    const hex = /^#[0-9a-f]{6}$/i.test(String(value)) ? String(value) : "#cc3333";
    return <label class="field"><span>{label}</span><input type="color" value={hex} onInput={(event) => onValue(event.currentTarget.value)} /></label>;
  }
  if (param.kind === "text") {
    return <label class="field"><span>{label}</span><input type="text" value={String(value)} maxLength={200} onChange={(event) => onValue(event.currentTarget.value)} /></label>;
  }
  const number = Number(value) || 0;
  return (
    <label class="field slider"><span>{label}</span>
      <input
        type="range" min={param.min ?? 0} max={param.max ?? 100} step={param.step ?? 1} value={number}
        onInput={(event) => onValue(Number(event.currentTarget.value))} onDblClick={() => onValue(param.default ?? 0)}
      />
      <output>{number > 0 && (param.min ?? 0) < 0 ? `+${number}` : number}{param.unit ?? ""}</output>
    </label>
  );
}
