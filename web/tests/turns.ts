/** A turn, a result and a wish to begin with. */
import type { Hand, Result, Turn, Wish } from "../src/api/types";

export function turn(number: number, extra: Partial<Turn> = {}): Turn {
  return {
    number,
    message: "",
    commands: [],
    reply: "",
    brief: { wishes: [] },
    results: [],
    hand: null,
    question: null,
    grew_from: number - 1,
    stands_at: number,
    restores: null,
    pending: [],
    undone: [],
    readings: [],
    asks: true,
    retriever: "composed",
    about: false,
    can_undo: true,
    can_redo: false,
    changes: [],
    at: null,
    seconds: 0,
    ...extra,
  };
}

export function hand(picture: string, source: string, edits: string[], width = 0, height = 0): Hand {
  return { picture, source, edits, width, height };
}

export const RED: Wish = {
  id: "1.1",
  kind: "want",
  text: "red",
  label: "red",
  turn: 1,
  weight: 1,
  active: true,
  pinned: false,
  attribute: "",
  end: "",
  answer: false,
};

export function result(id: string, extra: Partial<Result> = {}): Result {
  return {
    id,
    score: 1,
    width: 1,
    height: 1,
    caption: "",
    because: [],
    edited: false,
    match: true,
    probability: 1,
    title: "",
    currency: "",
    taken: "",
    ...extra,
  };
}
