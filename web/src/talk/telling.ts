/** How a turn is told in the history. Pure. */
import type { Result, Turn, Wish } from "../api/types";
import { splitMarks } from "../picture/marks";
import { editsInWords } from "../picture/presets";
import { inWords as stepInWords } from "../picture/steps";
import { inCents, inWords as conditionInWords } from "../shell/filters";
import { count, orderInWords, shortened } from "../text/words";
import { isStep } from "./steps";
import { labelOf, wishesInWords } from "./wishes";

/** A conversation's name; one that nobody named is called by what was said first. */
export function titleOf(talk: {
  id: string;
  name: string;
  title?: string | null;
  turns?: readonly Turn[] | number;
}): string {
  const first = Array.isArray(talk.turns) ? (talk.turns as Turn[])[0] : undefined;
  const named = talk.name && !talk.id.startsWith(talk.name) ? talk.name : "";
  return named || beginningInWords(talk.title || first?.message || "") || "Untitled conversation";
}

/** What is written for a click on an edit or a filter, which nobody says. */
const CLICKED = new RegExp(
  "^(\\w+_\\w+( |$)|filter \\S+ (=|!=|<|>|<=|>=) |sort \\S+ (asc|desc)$|questions (on|off)$|(grayscale|invert)$|" +
    "(rotate|straighten|sepia|vignette|blur|sharpen) -?[\\d.]+$|flip (horizontal|vertical)$|crop( \\d+){4}$)",
);

/** What a conversation began with, as the page tells it: "grayscale" is "Black and white". */
function beginningInWords(text: string): string {
  const commands = text.split("; ");
  if (!commands.every((one) => CLICKED.test(one))) return text;
  const told = commands.map(commandInWords).join(", ");
  return told.charAt(0).toUpperCase() + told.slice(1);
}

/** What a turn is called where another one speaks of it; numbers of turns are nowhere to be seen. */
export function turnName(number: number, turns: readonly Turn[]): string {
  const byNumber = new Map(turns.map((one) => [one.number, one]));
  let found = byNumber.get(number);
  // A step back is called by what it shows.
  while (found && isStep(found)) {
    const to = byNumber.get(found.restores ?? found.stands_at);
    if (!to || to.number >= found.number) break;
    found = to;
  }
  return found ? `“${shortened(headline(found), 40)}”` : "an earlier step";
}

/** A reply with its conditions as a person reads them: "price <= 40" is "price up to 40". */
export function replyInWords(turn: Turn, turns: readonly Turn[]): string {
  if (turn.comparison) return turn.comparison.rows.length ? "What differs:" : "I see no difference."; // a table shows it
  const told = turn.commands.length > 1 ? turn.reply.replace(/^Undone: this is turn \d+ again\. /, "") : turn.reply;
  const reply = /\b(price|cheapest|expensive)\b/i.test(told) ? inCents(told) : told;
  return wishesInWords(reply, turn.brief.wishes)
    .replace(/“[^”]*”/g, (wanted) => wanted.replaceAll("; ", ", "))
    .replace(/ \(it has ([^)]+)\)(?=”)/g, (whole, value: string, at: number, all: string) =>
      all.slice(all.lastIndexOf("“", at), at).includes(value) ? "" : whole,
    )
    .replace(/” \(100%\)/g, "”") // which says no more than that it fits
    .replace(/^You have (?:picture [0-9a-f]+|#\d+(?: of turn \d+)?) in hand\. (?=\S)/, "") // which is to be seen
    .replace(/^picture [0-9a-f]{8}\b/, "This picture")
    .replace(/picture [0-9a-f]{8}\b/g, "this picture")
    .replace(/^You have #(\d+)(?: of turn \d+)? in hand/, "You have picture $1 in hand")
    .replace(/ \(turn \d+\)/g, "")
    .replace(/“back to turn \d+”/, "“one step back”") // to be said: turns have no numbers here
    .replace(/\bturn (\d+)\b/g, (_, number: string) => turnName(Number(number), turns));
}

/** What was done with several pictures at once. */
export function editedInWords(turn: Turn, pictures: number): string {
  const words = editsInWords(turn.commands.filter((command) => !command.startsWith("select "))).join(", ");
  const many = count(pictures, "picture");
  return /^black and white$/i.test(words) ? `${many} made black and white.` : `${many} edited: ${words}.`;
}

/** What the person did, in their words, or in ours where they clicked. */
export function headline(turn: Turn): string {
  const edits = turn.commands.filter((command) => !command.startsWith("select "));
  // A click: nobody says "adjust_attr brightness 20".
  if (/[_\d]|^(filter|sort|questions) /.test(turn.message) && turn.message === edits.join("; "))
    return (isEdited(turn) ? editsInWords(edits) : edits.map(commandInWords)).join(", ");
  if (turn.message) return turn.message;
  if (turn.restores) return "One step back";
  if (turn.changes.length) return turn.changes.map((change) => changeInWords(change, turn.brief.wishes)).join(", ");
  return turn.commands.map(commandInWords).join(", ");
}

/** Whether a turn changed the picture in hand. */
function isEdited(turn: Turn): boolean {
  return (turn.hand?.edits.length ?? 0) > 0 && turn.commands.some((command) => turn.hand!.edits.includes(command));
}

/** "off 1.1" is what the server reads; a person reads `“red” switched off`. */
export function changeInWords(change: string, wishes: readonly Wish[]): string {
  const [verb = "", id = "", value = ""] = change.split(" ");
  const wish = wishes.find((one) => one.id === id);
  const name = wish ? `“${labelOf(wish)}”` : "a wish";
  const words: Record<string, string> = {
    off: `${name} switched off`,
    on: `${name} switched on`,
    pin: `${name} pinned`,
    unpin: `${name} unpinned`,
    remove: `${name} removed`,
    weight: `${name} counts ${value} ×`,
  };
  return words[verb] ?? change;
}

/** What was understood, unless it says the same as the message. */
export function understood(turn: Turn): string {
  const commands = turn.commands.filter((command) => !command.startsWith("chat "));
  if (commands.length === 0) return "";
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/^(search|refine|answer|avoid) /, "")
      .replace(/^(an?|the|some) |[.!?]+$/g, "")
      .trim();
  if (commands.length === 1 && plain(commands[0]!) === plain(turn.message)) return "";
  return commands.join(" · ").replace(/id:([0-9a-f]{6})[0-9a-f]+/g, "$1…");
}

/** What only asks, or talks: its answer says all there is to say. */
const ASKS = /^(chat|describe|why|values|count|ask)\b/;

/** The same in a person's words: `avoid stripes` is "without stripes". */
export function understoodInWords(turn: Turn): string {
  const commands = turn.commands.filter((command) => !ASKS.test(command));
  if (commands.length < turn.commands.length && commands.every((command) => command.startsWith("select "))) return "";
  if (commands.length === 2 && commands[0] === "undo") commands.shift(); // the message was taken in its other way
  if (commands.length > 1 && commands[0]!.startsWith("select id:")) commands.shift(); // a click on the picture
  return commands.map(commandInWords).join(", ");
}

const PREFIXES: Record<string, string> = {
  search: "",
  refine: "",
  answer: "",
  avoid: "without ",
  forget: "no longer ",
  count: "how many: ",
  remove: "without the ",
  values: "which values: ",
};

const PLAIN: Record<string, string> = {
  more: "more of them",
  random: "a surprise",
  undo: "one step back",
  redo: "one step forward",
  reset: "from the start",
  "reset edits": "all edits taken back",
  "questions off": "no more questions",
  "questions on": "questions again",
};

const COMMON: [RegExp, (...parts: string[]) => string][] = [
  [/^filter (.+)$/, (condition) => conditionInWords(condition)],
  [/^sort (\S+) (asc|desc)$/, (field, way) => orderInWords(field, way === "asc")],
  [/^(like|unlike) (.+)$/, (verb, what) => `${verb === "like" ? "" : "not "}like ${pictured(what)}`],
  [/^select (.+)$/, (what) => `${pictured(what)} in hand`],
  [/^keep (.+?) of (.+)$/, (aspect, what) => `the ${aspect} of ${pictured(what)}`],
  [/^keep (.+?) @(\d+)$/, (aspect) => `the ${aspect} as it was`],
  [/^rollback \d+$/, () => "back to an earlier step"],
  [/^(describe|why) (.+)$/, (verb, what) => `${verb === "why" ? "why" : "what it shows"}: ${pictured(what)}`],
  [/^ask (.+)$/, (question) => question],
  [/^export\b/, () => "download"],
  [/^compare (.+)$/, (what) => `${compared(what.split(" "))} side by side`],
  [/^recolor (\S+) on (.+)$/, (colour, thing) => `${thing} in ${colour}`],
];

function commandInWords(whole: string): string {
  const command = splitMarks(whole).plain;
  if (command in PLAIN) return PLAIN[command]!;
  for (const [form, words] of COMMON) {
    const found = form.exec(command);
    if (found) return words(...found.slice(1));
  }
  const [verb = "", ...rest] = command.split(" ");
  if (verb in PREFIXES) return `${PREFIXES[verb]}${rest.join(" ")}`;
  return stepInWords(command);
}

/** "#2" is the second picture on the screen, "id:…" one that was pointed at. */
function pictured(what: string): string {
  if (what === "this" || what.startsWith("id:")) return "this picture";
  return what.replace(/#(\d+)(?: of turn \d+)?/g, "picture $1");
}

/** Pictures that were selected have no numbers to be called by. */
function compared(pictures: readonly string[]): string {
  return pictures.some((one) => one.startsWith("id:"))
    ? `${pictures.length} pictures`
    : pictures.map(pictured).join(" and ");
}

/** What a reading of a message is called: "only price <= 40" is "only price up to 40". */
export function readingInWords(label: string): string {
  return label
    .replace(/\bexport \S+/g, "download it") // as it was written before
    .replace(/#(\d+)/g, "picture $1")
    .replace(/\bonly ([^,]+?)(?= and |,|$)/g, (_, condition: string) => `only ${conditionInWords(condition)}`);
}

/** The pictures of a turn that match, with those that were fetched since; where none does, the nearest that it showed. */
export function matched(turn: Turn, more: readonly Result[] = []): Result[] {
  const all = [...turn.results, ...more];
  const found = all.filter((one) => one.match);
  return found.length ? found : turn.results;
}

/** Which pictures two lists share. */
export function shared(a: readonly Result[], b: readonly Result[]): Set<string> {
  const left = new Set(a.map((result) => result.id));
  return new Set(b.map((result) => result.id).filter((id) => left.has(id)));
}

/** How the pictures of a comparison are called: by their numbers, where they are shown. */
export function pictureNames(turn: Turn, ids: readonly string[]): string[] {
  const shown = turn.results.map((result) => result.id);
  return ids.map((id) => (shown.includes(id) ? `#${shown.indexOf(id) + 1}` : ""));
}
