/** The text forms of edits, as the server understands and replays them. */
import type { Operation, Parameter } from "../api/types";

export type Values = Record<string, number | string>;

/** The values that an operation starts from. */
export function defaults(operation: Operation): Values {
  return Object.fromEntries(operation.params.map((param) => [param.name, startOf(param)]));
}

function startOf(param: Parameter): number | string {
  if (param.default !== null && param.default !== undefined) return param.default;
  if (param.choices?.length) return param.choices[0]!;
  return param.kind === "number" || param.min !== undefined ? (param.min ?? 0) : "";
}

/** `adjust_attr brightness {value}` with its values filled in. */
export function commandOf(operation: Operation, values: Values): string {
  return operation.template.replace(/\{(\w+)\}/g, (_, name: string) => written(values[name] ?? ""));
}

function written(value: number | string): string {
  if (typeof value === "string") return value;
  return String(Math.round(value * 100) / 100);
}

/** Whether a command is still without effect because its values are where they started. */
export function isNeutral(operation: Operation, values: Values): boolean {
  const start = defaults(operation);
  return operation.params.length > 0 && operation.params.every((param) => values[param.name] === start[param.name]);
}

export interface Region {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** Two corners in any order, inside the picture, in parts of its sides. */
export function regionOf(a: { x: number; y: number }, b: { x: number; y: number }): Region {
  const inside = (value: number): number => Math.min(1, Math.max(0, value));
  return {
    x1: inside(Math.min(a.x, b.x)), y1: inside(Math.min(a.y, b.y)),
    x2: inside(Math.max(a.x, b.x)), y2: inside(Math.max(a.y, b.y)),
  };
}

/** A box that is too small was a click. */
export function isBox(region: Region): boolean {
  return region.x2 - region.x1 > 0.02 && region.y2 - region.y1 > 0.02;
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
