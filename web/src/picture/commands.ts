/** The text forms of edits, as the server understands and replays them. */
import type { Operation, Parameter } from "../api/types";
import type { Region } from "./box";

export type Values = Record<string, number | string>;

/** The values that an operation starts from: where a slider rests, what a field offers. */
export function defaults(operation: Operation): Values {
  const alone = operation.params.length === 1;
  return Object.fromEntries(
    operation.params.map((param) => [param.name, alone && isNumber(param) ? neutral(param) : startOf(param)]),
  );
}

function isNumber(param: Parameter): boolean {
  return param.kind === "number";
}

/** Where a number changes nothing: zero where zero is possible, else what the server offers (a size of 100 %). */
function neutral(param: Parameter): number {
  return (param.min ?? 0) <= 0 ? 0 : Number(param.default ?? param.min);
}

function startOf(param: Parameter): number | string {
  if (param.kind === "text") return "";
  if (param.default !== null && param.default !== undefined) return param.default;
  return param.choices?.[0] ?? (isNumber(param) ? (param.min ?? 0) : "");
}

/** Whether an operation is one slider that can rest where nothing changes. The others are switched on. */
export function isSlider(operation: Operation): boolean {
  return operation.params.length === 1 && isNumber(operation.params[0]!);
}

/** `adjust_attr brightness {value}` with its values filled in; text inside quotation marks is escaped. */
export function commandOf(operation: Operation, values: Values): string {
  return operation.template.replace(/"\{(\w+)\}"|\{(\w+)\}/g, (_, quoted?: string, plain?: string) =>
    quoted ? JSON.stringify(String(values[quoted] ?? "")) : written(values[plain!] ?? ""),
  );
}

function written(value: number | string): string {
  if (typeof value === "string") return value;
  return String(Math.round(value * 100) / 100);
}

/** The slider that a command stands for, and where it is then; null where it has none. */
export function sliderAt(
  operations: readonly Operation[],
  command: string,
): { slider: Operation; value: number } | null {
  for (const slider of operations.filter(isSlider)) {
    const [before = "", after = ""] = slider.template.split(/\{\w+\}/);
    const value = Number(command.slice(before.length, command.length - after.length) || NaN);
    if (command.startsWith(before) && command.endsWith(after) && !Number.isNaN(value)) return { slider, value };
  }
  return null;
}

/** Whether a slider is where it rests. */
export function isNeutral(operation: Operation, values: Values): boolean {
  return isSlider(operation) && values[operation.params[0]!.name] === defaults(operation)[operation.params[0]!.name];
}

/** Whether everything that the command needs is filled in. */
export function isComplete(operation: Operation, values: Values): boolean {
  return operation.params.every((param) => String(values[param.name] ?? "").trim() !== "");
}

/** `crop L T R B` in the pixels of a picture of this size. */
export function cropOf(region: Region, size: { width: number; height: number }): string {
  const left = Math.round(region.x1 * size.width);
  const top = Math.round(region.y1 * size.height);
  const right = Math.max(left + 1, Math.round(region.x2 * size.width));
  const bottom = Math.max(top + 1, Math.round(region.y2 * size.height));
  return `crop ${left} ${top} ${right} ${bottom}`;
}

/** Steps that were tried and not saved yet: one entry an operation, in the order in which they were begun. */
export interface Draft {
  operation: string;
  command: string;
}

/** The draft with a step set to another value, put at its end, or taken out. */
export function withStep(drafts: readonly Draft[], operation: string, command: string | null): Draft[] {
  if (command === null) return drafts.filter((draft) => draft.operation !== operation);
  if (!drafts.some((draft) => draft.operation === operation)) return [...drafts, { operation, command }];
  return drafts.map((draft) => (draft.operation === operation ? { operation, command } : draft));
}

interface Size {
  width: number;
  height: number;
}

/** How large a picture is after these commands; null where only the server can tell (a turn by 7 degrees, a border). */
export function sizeAfter(size: Size, commands: readonly string[]): Size | null {
  return commands.reduce<Size | null>((now, command) => now && stepSize(now, command), size);
}

/** Those of some edits that move pixels or leave some out: a picture without the others shows the same place. */
export function framing(commands: readonly string[]): string[] {
  return commands.filter((command) => /^(crop|rotate|straighten|flip|resize|border)\b/.test(command));
}

/** Commands that keep every pixel where it is. */
const IN_PLACE =
  /^(adjust_attr|adjust_color|grayscale|invert|enhance|sepia|vignette|blur|flip|image_cutout|replace_background|recolor|remove) ?/;

function stepSize(size: Size, command: string): Size | null {
  if (IN_PLACE.test(command)) return size;
  if (/^rotate (90|270)$/.test(command)) return { width: size.height, height: size.width };
  if (/^rotate (0|180|360)$/.test(command)) return size;
  const box = /^crop (\d+) (\d+) (\d+) (\d+)$/.exec(command)?.slice(1).map(Number);
  if (box) return { width: box[2]! - box[0]!, height: box[3]! - box[1]! };
  return null;
}
