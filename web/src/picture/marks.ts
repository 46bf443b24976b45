/** Corrections of what an edit touches, as its command writes them: clicks and strokes that add or take away. Pure. */
import type { Place } from "./box";

/** A click or a stroke in its text form: `+512,300`, `-20:100,80,140,90`. */
export type Mark = string;

/** The thing that nothing but marks stands for. */
const SELECTION = "selection";
/** As much as the server takes. */
const LONGEST = 3000;
/** Places are given in thousandths of the picture's sides. */
const WHOLE = 1000;
/** How far from the way of the brush a point may lie that is left out, in parts of a side. */
const NEAR = 0.003;

const MARK = String.raw`[+-](?:\d{1,3}:)?\d{1,4},\d{1,4}(?:,\d{1,4},\d{1,4})*`;
const MARKED = new RegExp(`^(.*?) marked (${MARK}(?: ${MARK})*)$`);

/** A command without its marks, and the marks. */
export function splitMarks(command: string): { plain: string; marks: Mark[] } {
  const found = MARKED.exec(command);
  return found ? { plain: found[1]!, marks: found[2]!.split(" ") } : { plain: command, marks: [] };
}

/** Whether a command is about a thing in the picture, so that it has a mask. */
export function hasMask(command: string): boolean {
  const { plain } = splitMarks(command);
  return /^(remove|image_cutout|replace_background)\b/.test(plain) || /^(?!caption )\S.* on \S/.test(plain);
}

/** The command with these marks; one that named no thing meant the subject. */
export function withMarks(command: string, marks: readonly Mark[]): string {
  const { plain } = splitMarks(command);
  if (marks.length === 0) return isSelection(plain) ? command : plain;
  const named = plain.startsWith("remove ") || / on \S/.test(plain);
  return `${named ? plain : `${plain} on subject`} marked ${marks.join(" ")}`;
}

/** Whether a command is about nothing but what is marked. */
export function isSelection(command: string): boolean {
  return splitMarks(command).plain.endsWith(` ${SELECTION}`);
}

/** The command about nothing but what a stroke covers: what was found is forgotten. */
export function fromNothing(command: string, mark: Mark): string {
  const { plain } = splitMarks(command);
  const bare = plain.startsWith("remove ") ? "remove" : `${plain.replace(/ on .*$/, "")} on`;
  return `${bare} ${SELECTION} marked ${mark}`;
}

/** Another command for the same operation keeps the marks, as long as it is about the same thing. */
export function keepMarks(before: string | undefined, command: string): string {
  if (!before || !hasMask(command)) return command;
  const { plain, marks } = splitMarks(before);
  const thing = (text: string): string =>
    text.startsWith("remove ") ? text.slice(7) : (text.split(" on ")[1] ?? "subject");
  return marks.length && thing(plain) === thing(command) ? withMarks(command, marks) : command;
}

/** Whether a command can take one more mark. */
export function hasRoom(command: string, mark: Mark): boolean {
  return [...splitMarks(command).marks, mark].join(" ").length <= LONGEST;
}

/** A click, or the way of a brush with a radius in parts of the longer side. */
export function markOf(points: readonly Place[], radius: number | null, adds: boolean): Mark {
  const brush = radius === null ? "" : `${Math.min(500, Math.max(1, Math.round(radius * WHOLE)))}:`;
  const way = radius === null ? points.slice(0, 1) : simplified(points);
  return `${adds ? "+" : "-"}${brush}${way.map(({ x, y }) => `${thousandth(x)},${thousandth(y)}`).join()}`;
}

function thousandth(part: number): number {
  return Math.round(Math.min(1, Math.max(0, part)) * WHOLE);
}

/** The way of a pointer with no more points than its bends need (Ramer, Douglas, Peucker). */
export function simplified(points: readonly Place[]): Place[] {
  const [first, last] = [points[0]!, points.at(-1)!];
  if (points.length < 3) return [...points];
  let [far, at] = [0, 0];
  points.forEach((point, i) => {
    const away = distance(point, first, last);
    if (away > far) [far, at] = [away, i];
  });
  if (far <= NEAR) return [first, last];
  return [...simplified(points.slice(0, at + 1)).slice(0, -1), ...simplified(points.slice(at))];
}

function distance(point: Place, from: Place, to: Place): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const along = length ? ((point.x - from.x) * dx + (point.y - from.y) * dy) / length : 0;
  const share = Math.min(1, Math.max(0, along));
  return Math.hypot(point.x - from.x - share * dx, point.y - from.y - share * dy);
}
