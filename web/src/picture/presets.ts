/** Looks that are made of several edits, to be put on with one tap. */

import { inWords } from "./steps";

export interface Preset {
  name: string;
  commands: readonly string[];
}

/** Edits in words; those that make up a look are called by its name. */
export function editsInWords(commands: readonly string[]): string[] {
  const look = PRESETS.find(({ commands: parts }) => parts.length > 1 && parts.every((one) => commands.includes(one)));
  if (!look) return commands.map(inWords);
  const [first] = commands.filter((one) => look.commands.includes(one));
  return commands.flatMap((one) => (one === first ? [look.name] : look.commands.includes(one) ? [] : [inWords(one)]));
}

export const PRESETS: readonly Preset[] = [
  { name: "Auto", commands: ["enhance"] },
  { name: "Vivid", commands: ["adjust_attr saturation 25", "adjust_attr contrast 12"] },
  { name: "Warm", commands: ["adjust_attr warmth 25", "adjust_attr saturation 8"] },
  { name: "Cool", commands: ["adjust_attr warmth -22", "adjust_attr contrast 6"] },
  { name: "Soft", commands: ["adjust_attr contrast -18", "adjust_attr brightness 6"] },
  { name: "Black and white", commands: ["grayscale", "adjust_attr contrast 15"] },
  { name: "Old photo", commands: ["sepia 60", "adjust_attr contrast -10", "vignette 35"] },
];
