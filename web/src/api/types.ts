/** What the server says, as written down in docs/server.md and its OpenAPI schema. */

export type Role = "read" | "write" | "admin";

export interface Me {
  user: string;
  role: Role;
  mode: "local" | "keys";
  version: string;
}

export interface Collection {
  name: string;
  pictures: number;
  encoder?: string;
  updated_at?: string | null;
  cover?: string[];
}

export interface Reason {
  wish: string | null;
  text: string;
  fit: number | null;
  fits: boolean;
}

/** A picture on the wall: enough to lay it out before it is loaded. */
export interface Tile {
  id: string;
  width: number;
  height: number;
  caption?: string | null;
}

export interface Result extends Tile {
  score: number;
  because?: Reason[];
  edited?: boolean;
}

export type WishKind = "want" | "avoid" | "relative" | "keep" | "like" | "unlike" | "filter" | "sort";

export interface Wish {
  id: string;
  kind: WishKind;
  text: string;
  label: string;
  turn: number;
  weight: number;
  active: boolean;
  pinned: boolean;
  picture?: string | null;
  attribute?: string;
  end?: string;
  ended?: number | null;
}

export interface Option {
  label: string;
  say: string;
  count: number | null;
  picture: string | null;
}

export interface Question {
  text: string;
  kind: "yes_no" | "choice" | "open" | "compare" | "clarify";
  options: Option[];
}

export interface Hand {
  picture: string;
  source: string;
  edits: string[];
}

export interface Turn {
  number: number;
  message: string;
  commands: string[];
  reply: string;
  brief: { wishes: Wish[] };
  results: Result[];
  hand: Hand | null;
  question: Question | null;
  /** Edits that wait for the answer. */
  pending?: string[];
  answered?: Question | null;
  grew_from: number;
  stands_at: number;
  restores: number | null;
  undone?: number[];
  changes: string[];
  at: string | null;
  seconds: number;
  can_undo?: boolean;
  can_redo?: boolean;
}

export interface Conversation {
  id: string;
  name: string;
  title?: string;
  collection: string;
  branch_of: string | null;
  branch_at: number | null;
  turns: Turn[];
}

export interface ConversationSummary {
  id: string;
  name: string;
  title?: string | null;
  collection: string;
  turns: number;
  changed_at: string;
  branch_of: string | null;
  thumbs: string[];
}

export interface Picture extends Tile {
  captions?: string[];
  attributes: Record<string, unknown>;
  path_name?: string;
  source_id?: string | null;
  edits?: string[];
  added_at?: string | null;
}

export interface ChoiceFacet {
  field: string;
  label: string;
  kind: "choice";
  values: { value: string; count: number }[];
}

export interface NumberFacet {
  field: string;
  label: string;
  kind: "number";
  min: number;
  max: number;
}

export type Facet = ChoiceFacet | NumberFacet;

export interface Parameter {
  name: string;
  kind: string;
  min?: number | null;
  max?: number | null;
  step?: number | null;
  default?: number | string | null;
  unit?: string | null;
  choices?: string[] | null;
}

/** One row of the table of edits; `template` has a `{name}` for each parameter. */
export interface Operation {
  name: string;
  label: string;
  params: Parameter[];
  template: string;
  group: string;
}

export interface Folder {
  path: string;
  parent: string | null;
  folders: { name: string; path: string; pictures: number | null }[];
  pictures?: number;
}

export interface Progress {
  done: number;
  total: number | null;
  rate?: number;
  left_seconds?: number | null;
  failed?: number;
}

export type Point = { more_like: string } | { less_like: string } | { start_from: string } | { hold: string };
