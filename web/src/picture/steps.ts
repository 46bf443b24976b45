/** The steps of an edited picture: how they are called, and which turn stands for each. Pure. */
import type { Turn } from "../api/types";
import { isSelection, splitMarks } from "./marks";

/** The latest turn that left a picture in hand after exactly these steps; null where several came in one message. */
export function turnAt(turns: readonly Turn[], source: string, steps: readonly string[]): number | null {
  const found = turns.findLast(
    ({ hand }) =>
      hand?.source === source &&
      hand.edits.length === steps.length &&
      hand.edits.every((command, i) => command === steps[i]),
  );
  return found?.number ?? null;
}

/** What only asks about a picture: it is answered in words. */
const ASKS = /^(ask|describe|why|count|values)\b/;

/** The last turn that took a picture in hand, edited it or would have; 0 where it was only asked about. */
export function takenAt(turns: readonly Turn[]): number {
  const found = turns.findLast(({ hand, commands, pending }) => {
    if (!hand || commands.some((command) => ASKS.test(command))) return false;
    const took = commands.some((command) => command.startsWith("select ") || hand.edits.includes(command));
    return took || pending.length > 0;
  });
  return found?.number ?? 0;
}

/** A command as one would say it; what is not known here is shown as it is. */
export function inWords(command: string): string {
  const caption = /^caption "(.*)" (\w+)/.exec(command);
  if (caption) return `“${caption[1]!.replaceAll('\\"', '"')}” at the ${caption[2]}`;
  const bare = splitMarks(command).plain.replace(/\bselection$/, "what is marked");
  const [, done = bare, on = ""] = /^(.+?)(?: on (.+))?$/.exec(bare) ?? [];
  const [verb = "", first = "", second = ""] = done.split(" ");
  const thing = verb === "remove" ? bare.slice(7) : on;
  const plain = words(verb, first, second, thing);
  if (plain === null) return command;
  return thing && !NAMES_ITS_THING.has(verb) ? `${plain}, ${thing}` : plain;
}

const NAMES_ITS_THING = new Set(["crop", "image_cutout", "replace_background", "recolor", "remove"]);
const TURNS: Record<string, string> = { "90": "turned left", "180": "upside down", "270": "turned right" };

function words(verb: string, first: string, second: string, thing: string): string | null {
  switch (verb) {
    case "adjust_attr":
      return `${first} ${signed(second)}`;
    case "enhance":
      return "enhanced";
    case "adjust_color":
      return `${first} ${Math.round(Number(second) * 100)} %`;
    case "rotate":
      return TURNS[first] ?? `turned ${degrees(first)}`;
    case "straighten":
      return first ? `straightened ${signed(first)}°` : "levelled";
    case "flip":
      return first === "vertical" ? "flipped" : "mirrored";
    case "crop":
      return thing ? `cropped to ${thing}` : second ? "cropped" : `cropped ${first}`;
    case "image_cutout":
      return thing ? `cut out ${thing}` : "cut out";
    case "replace_background":
      return first.startsWith("#") || /^[a-z]+$/.test(first) ? `background ${first}` : "another background";
    case "recolor":
      return `${thing} in ${first}`;
    case "remove":
      return `without ${thing}`;
    case "grayscale":
      return "black and white";
    case "invert":
      return "negative";
    case "border":
      return `${second || "white"} border`;
    case "resize":
      return `size ${first}`;
    case "blur":
    case "sepia":
    case "vignette":
      return `${verb} ${first}`;
    default:
      return null;
  }
}

function signed(number: string): string {
  return Number(number) > 0 ? `+${Number(number)}` : number;
}

/** Commands count to the left; a person turns the shorter way. */
function degrees(number: string): string {
  const left = Number(number);
  return left > 180 ? `${360 - left}° right` : `${left}° left`;
}

/** Edits that hold for one picture alone, such as a box in its pixels or what was marked by hand, stay behind. */
export function transferable(commands: readonly string[]): string[] {
  return commands
    .filter((command) => !/^crop \d+ \d+ \d+ \d+$/.test(command) && !isSelection(command))
    .map((command) => splitMarks(command).plain);
}
