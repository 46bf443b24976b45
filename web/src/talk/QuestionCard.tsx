/** The question that waits, with its answers as buttons; two pictures where two are compared. */
import { signal } from "@preact/signals";
import { marked } from "../api/addresses";
import type { Option, Question, Reading } from "../api/types";
import { editMarked } from "../picture/editing";
import { hasMask } from "../picture/marks";
import { IconButton } from "../shell/controls";
import { Thumb } from "../shell/Thumb";
import { showCommands } from "../state/preferences";
import { mayWrite } from "../state/session";
import { busy, collection, command, conversation, lastStep, latest, say, setAsking, wishes } from "../state/talk";
import { columns } from "../wall/columns";
import { focusComposerQuietly } from "./Composer";
import { readingInWords } from "./telling";
import { wishesInWords } from "./wishes";

/** The button goes away with its question, so the focus moves on to the field. */
function sayIt(text: string): void {
  focusComposerQuietly();
  void say(text, { columns: columns.value });
}

/** What a reading stands for is done without being read once more. */
function doIt(reading: Reading): void {
  focusComposerQuietly();
  void command(reading.commands, readingInWords(reading.label));
}

/** The turn whose question was put off: on a phone it stands in the sheet then, and no longer over the pictures. */
const putOff = signal("");

function PutOff() {
  return (
    <IconButton
      icon="close"
      label="Not now"
      class="put-off"
      onClick={() => {
        putOff.value = lastStep.value;
      }}
    />
  );
}

function look(kind: string): string {
  return `question kind-${kind} ${putOff.value === lastStep.value ? "later" : ""}`;
}

interface Props {
  question: Question;
  answer?: (text: string) => void;
  /** Whether what it is about is shown large elsewhere. */
  shown?: boolean;
}

export function QuestionCard({ question, answer = sayIt, shown = false }: Props) {
  const pictured = question.options.some((option) => option.picture);
  const readings = busy.value ? [] : (latest.value?.readings ?? []);
  if (readings.length > 0) return <Readings text={question.text} readings={readings} />;
  return (
    <section class={look(question.kind)} aria-label="A question for you">
      <PutOff />
      {!shown && <Doubt />}
      <p class="question-text">{wishesInWords(question.text, wishes.value)}</p>
      {question.options.length > 0 && (
        <div class={`answers ${pictured ? "pictured" : ""}`}>
          {question.options.map((option) => (
            <Answer key={option.label} option={option} answer={answer} />
          ))}
          <Correct />
          {question.optional && (
            <button
              type="button"
              class="link no-matter"
              disabled={busy.value}
              onClick={() => answer("it does not matter")}
            >
              does not matter
            </button>
          )}
          {question.optional && (
            <button
              type="button"
              class="link no-matter"
              disabled={busy.value}
              title="Switch it on again in the menu"
              onClick={() => void setAsking(false)}
            >
              do not ask me
            </button>
          )}
        </div>
      )}
    </section>
  );
}

function Readings({ text, readings }: { text: string; readings: Reading[] }) {
  return (
    <section class={look("readings")} aria-label="A question for you">
      <PutOff />
      <p class="question-text">{text}</p>
      <div class="answers">
        {readings.map((reading) => (
          <button
            key={reading.label}
            type="button"
            class="answer"
            title={showCommands.value ? reading.commands.join(", ") : undefined}
            onClick={() => doIt(reading)}
          >
            <span>{readingInWords(reading.label)}</span>
          </button>
        ))}
      </div>
    </section>
  );
}

/** Where a picture is shown with the thing marked that a waiting edit would touch; null where none waits. */
export function markedNow(picture?: string): string | null {
  const turn = latest.value;
  if (busy.value || !conversation.value || !turn?.pending?.length || !turn.hand) return null;
  return picture && turn.hand.picture !== picture ? null : marked(conversation.value.id, turn.number);
}

/** What a waiting edit would touch, to be corrected by hand. */
function Correct() {
  const turn = latest.value;
  const [command] = turn?.pending ?? [];
  const picture = turn?.hand?.picture;
  if (!command || !picture || !mayWrite.value || !hasMask(command)) return null;
  return (
    <button type="button" class="answer" disabled={busy.value} onClick={() => editMarked(picture, command)}>
      <span>correct what is marked</span>
    </button>
  );
}

function Doubt() {
  const address = markedNow();
  return address && <img class="doubt" src={address} alt="The picture, with what was found marked" />;
}

function Answer({ option, answer }: { option: Option; answer: (text: string) => void }) {
  const hint = option.count === null ? "" : `leaves about ${option.count}`;
  return (
    <button type="button" class="answer" disabled={busy.value} title={hint} onClick={() => answer(option.say)}>
      {option.picture && collection.value && <Thumb collection={collection.value} id={option.picture} size={320} />}
      <span>{option.label}</span>
      {option.count !== null && (
        <span class="answer-count">
          <span class="visually-hidden">, leaves about </span>
          {option.count}
        </span>
      )}
    </button>
  );
}
