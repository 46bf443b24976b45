/** One value of an edit: a slider, a choice, a text or a colour. */
import type { Parameter } from "../api/types";

/** What a field is called: a number of pixels is no strength. */
export function fieldName({ name, unit }: Parameter): string {
  if (name === "value") return unit === "px" ? "width" : "strength";
  return name === "thing" ? "what" : name;
}

interface FieldProps {
  param: Parameter;
  label: string;
  value: number | string;
  onValue: (value: number | string) => void;
}

export function Field({ param, label, value, onValue }: FieldProps) {
  if (param.choices?.length) {
    return (
      <label class="field">
        <span>{label}</span>
        <select value={String(value)} onChange={(event) => onValue(event.currentTarget.value)}>
          {param.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </label>
    );
  }
  if (param.kind === "colour") return <Colours label={label} value={String(value)} onValue={onValue} />;
  if (param.kind === "text") {
    return (
      <label class="field">
        <span>{label}</span>
        <input
          type="text"
          value={String(value)}
          placeholder={param.name === "thing" ? "the dog on the left" : undefined}
          maxLength={200}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      </label>
    );
  }
  const number = Number(value) || 0;
  const [min, max] = [param.min ?? 0, param.max ?? 100];
  const at = (point: number): string => `${((point - min) / (max - min)) * 100}%`;
  const rest = min < 0 && max > 0 ? 0 : min; // the filled part begins where nothing changes
  const filled = { "--low": at(Math.min(rest, number)), "--high": at(Math.max(rest, number)) };
  return (
    <label class="field slider">
      <span>{label}</span>
      <input
        type="range"
        min={min}
        max={max}
        style={filled}
        step={param.step ?? 1}
        value={number}
        onInput={(event) => onValue(Number(event.currentTarget.value))}
        onDblClick={() => onValue(min <= 0 ? 0 : Number(param.default ?? 0))}
      />
      <output>
        {number > 0 && min < 0 ? `+${number}` : number}
        {param.unit ?? ""}
      </output>
    </label>
  );
}

const COLOURS = ["white", "black", "red", "orange", "gold", "green", "teal", "blue", "purple", "pink"];

/** Colours by name, as one would say them, and any other by picking it. */
function Colours({ label, value, onValue }: { label: string; value: string; onValue: (value: string) => void }) {
  const own = value.startsWith("#") ? value : "#888888";
  return (
    <div class="field colours" role="group" aria-label={label}>
      <span>{label}</span>
      <span class="swatches">
        {COLOURS.map((name) => (
          <button
            key={name}
            type="button"
            class="swatch"
            style={{ background: name }}
            aria-label={name}
            title={name}
            aria-pressed={value === name}
            onClick={() => onValue(name)}
          />
        ))}
        <input
          type="color"
          aria-label="another colour"
          value={own}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      </span>
    </div>
  );
}
