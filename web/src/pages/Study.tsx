/** A study with people: a target, up to five messages, the first five pictures after each. */
import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { full, thumbnail } from "../api/addresses";
import { ApiError, BASE, get, send } from "../api/client";
import type { Collection, Study } from "../api/types";
import { Checkbox } from "../shell/controls";
import { Mark } from "../shell/Icon";
import { go } from "../state/router";
import { collections, mayAdmin } from "../state/session";
import { count } from "../text/words";
import "../styles/pages.css";
import "../styles/study.css";

export function StudyPage({ collection, id }: { collection: string | null; id: string | null }) {
  const study = useSignal<Study | null>(null);
  const problem = useSignal("");
  const attempt = (work: Promise<Study>): Promise<boolean> =>
    work
      .then((found) => {
        study.value = found;
        problem.value = "";
        go({ page: "study", collection: found.collection, study: found.id }, true);
        return true;
      })
      .catch((error: unknown) => {
        problem.value = error instanceof ApiError ? `${error.message} ${error.remedy}` : "That did not work.";
        return false;
      });
  useEffect(() => {
    if (id && study.value?.id !== id) void attempt(get<Study>(`/studies/${encodeURIComponent(id)}`));
    if (!id) study.value = null;
  }, [id]);
  return (
    <main class="study">
      <header class="study-head">
        <Mark />
        <h1>Find the picture</h1>
      </header>
      {problem.value && (
        <p class="objection" role="alert">
          {problem.value}
        </p>
      )}
      {study.value && id ? (
        <Running study={study.value} attempt={attempt} forget={() => void forget(study, problem)} />
      ) : (
        !id && <Consent chosen={collection} begin={(name) => attempt(begin(name))} />
      )}
    </main>
  );
}

const begin = (collection: string): Promise<Study> => send<Study>("POST", "/studies", { collection, consent: true });

async function forget(study: Signal<Study | null>, problem: Signal<string>): Promise<void> {
  if (!study.value) return;
  try {
    await send("DELETE", `/studies/${encodeURIComponent(study.value.id)}`);
    go({ page: "study", collection: study.value.collection, study: null });
    study.value = null;
  } catch (error) {
    problem.value = error instanceof ApiError ? error.message : "That did not work.";
  }
}

function Consent({ chosen, begin }: { chosen: string | null; begin: (collection: string) => Promise<boolean> }) {
  const there: Collection[] = collections.value ?? [];
  const name = useSignal(chosen ?? there[0]?.name ?? "");
  const agreed = useSignal(false);
  const waiting = useSignal(false);
  if (!there.length) return <p>There are no pictures yet. A study needs a collection.</p>;
  return (
    <form
      class="study-consent"
      onSubmit={(event) => {
        event.preventDefault();
        waiting.value = true;
        void begin(name.value).finally(() => {
          waiting.value = false;
        });
      }}
    >
      <p>
        You are going to see one picture. Describe it in your own words, up to five times; each time you see the five
        pictures that fit best. Press a picture when it is the one.
      </p>
      <h2>What is kept</h2>
      <ul>
        <li>what you write, which pictures were shown and where the one you look for stood,</li>
        <li>how long each message took.</li>
      </ul>
      <p>
        It is kept on this server; what is exported from it has no names. You can stop at any time and have all of it
        deleted with one button.
      </p>
      <label>
        Pictures
        <select
          value={name.value}
          onChange={(event) => {
            name.value = event.currentTarget.value;
          }}
        >
          {there.map((one) => (
            <option key={one.name} value={one.name}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      <Checkbox signal={agreed} class="study-agree">
        I agree to that
      </Checkbox>
      <div class="study-buttons">
        <button type="submit" class="button accent" disabled={!agreed.value || waiting.value}>
          Begin
        </button>
        {mayAdmin.value && (
          <a class="button" href={`${BASE}/studies/export?collection=${encodeURIComponent(name.value)}`} download>
            Export what was kept
          </a>
        )}
      </div>
    </form>
  );
}

function Running({
  study,
  attempt,
  forget,
}: {
  study: Study;
  attempt: (work: Promise<Study>) => Promise<boolean>;
  forget: () => void;
}) {
  const path = `/studies/${encodeURIComponent(study.id)}`;
  const text = useSignal("");
  const waiting = useSignal(false);
  const last = study.turns?.at(-1);
  const said = study.turns?.length ?? 0;
  const left = study.most - said;
  const over = study.done || study.found !== null;
  const finish = (found: boolean): void => void attempt(send<Study>("POST", `${path}/finish`, { found }));
  const submit = (event: Event): void => {
    event.preventDefault();
    if (waiting.value || !text.value.trim()) return;
    waiting.value = true;
    void attempt(send<Study>("POST", `${path}/messages`, { text: text.value.trim() })).then((worked) => {
      waiting.value = false;
      if (worked) text.value = "";
    });
  };
  return (
    <div class="study-run">
      <figure class="study-target">
        <img src={full(study.collection, study.target.id)} alt="The picture to find" />
        <figcaption>Find this one</figcaption>
      </figure>
      <section class="study-talk" aria-busy={waiting.value}>
        {said > 0 && (
          <ol class="study-said" role="list" aria-label="What you said">
            {study.turns?.map((turn, place) => (
              <li key={place}>{turn.said}</li>
            ))}
          </ol>
        )}
        {last && (
          <>
            <p class="study-reply" aria-live="polite">
              {last.reply} {last.question && !last.reply.includes(last.question) && last.question}
            </p>
            <div class="study-shown" role="group" aria-label="The five that fit best">
              {last.results.map((one, place) => (
                <button
                  key={one.id}
                  type="button"
                  class="study-picture"
                  disabled={study.found !== null}
                  aria-label={`Picture ${place + 1}: this is it`}
                  data-picture={one.id}
                  onClick={() => finish(one.id === study.target.id)}
                >
                  <img src={thumbnail(study.collection, one.id)} alt="" />
                </button>
              ))}
            </div>
          </>
        )}
        {over ? (
          <Ended study={study} finish={finish} />
        ) : (
          <form class="study-form" onSubmit={submit}>
            <label>
              {said ? `What is different? ${count(left, "message")} left` : "What does it show?"}
              <textarea
                rows={3}
                maxLength={1000}
                value={text.value}
                onInput={(event) => {
                  text.value = event.currentTarget.value;
                }}
                onKeyDown={(event) => {
                  if (event.key === "Enter" && !event.shiftKey) submit(event);
                }}
              />
            </label>
            <div class="study-buttons">
              <button type="submit" class="button accent" disabled={waiting.value || !text.value.trim()}>
                Send
              </button>
              {said > 0 && (
                <button type="button" class="button" onClick={() => finish(false)}>
                  I give up
                </button>
              )}
            </div>
          </form>
        )}
        <button type="button" class="button quiet" onClick={forget}>
          Delete what was kept of this
        </button>
      </section>
    </div>
  );
}

function Ended({ study, finish }: { study: Study; finish: (found: boolean) => void }) {
  if (study.found === null || study.found === undefined)
    return (
      <div class="study-end">
        <p>That was your last message. If the picture is among the five, press it.</p>
        <button type="button" class="button" onClick={() => finish(false)}>
          It is not there
        </button>
      </div>
    );
  return (
    <div class="study-end" role="status">
      <p>{study.found ? "That is it. Thank you." : "It was not found this time. Thank you."}</p>
      <button
        type="button"
        class="button accent"
        onClick={() => go({ page: "study", collection: study.collection, study: null })}
      >
        Another one
      </button>
    </div>
  );
}
