/** The question that waits, with its answers as buttons; two pictures where two are compared. */
import type { Option, Question } from "../api/types";
import { Thumb } from "../shell/Thumb";
import { busy, collection, say } from "../state/talk";
import { columns } from "../wall/columns";

export function QuestionCard({ question }: { question: Question }) {
  const pictured = question.options.some((option) => option.picture);
  return (
    <section class="question" aria-label="A question for you">
      <p class="question-text">{question.text}</p>
      {question.options.length > 0 && (
        <div class={`answers ${pictured ? "pictured" : ""}`}>
          {question.options.map((option) => <Answer key={option.label} option={option} />)}
        </div>
      )}
      {question.kind === "open" && <p class="quiet small">Answer in your own words below.</p>}
    </section>
  );
}

function Answer({ option }: { option: Option }) {
  const hint = option.count === null ? "" : `leaves about ${option.count}`;
  return (
    <button type="button" class="answer" disabled={busy.value} title={hint} onClick={() => void say(option.say, { columns: columns.value })}>
      {option.picture && collection.value && <Thumb collection={collection.value} id={option.picture} size={320} />}
      <span>{option.label}</span>
      {option.count !== null && <span class="answer-count"><span class="visually-hidden">, leaves about </span>{option.count}</span>}
    </button>
  );
}
