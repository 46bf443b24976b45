/** Which page is shown, and what lies over all of them. */
import { useEffect, useLayoutEffect } from "preact/hooks";
import { Drop } from "./shell/Drop";
import { Help } from "./shell/Help";
import { Mark } from "./shell/Icon";
import { focusWall, onKey } from "./shell/keys";
import { lazily, whenIdle } from "./shell/lazily";
import { Notices } from "./shell/Notices";
import { untilBack } from "./state/connection";
import { layers } from "./state/notices";
import { route } from "./state/router";
import { collections, needsKey, start, startError, titleOfCollection } from "./state/session";
import { collection, conversation, open, talkError } from "./state/talk";
import { titleOf } from "./talk/telling";
import { focusComposer, focusComposerQuietly } from "./talk/Composer";
import { Talk } from "./talk/Talk";
import { Board } from "./wall/Board";
import { failed, source } from "./state/wall";
import { Failure, isLost, Lost } from "./wall/states";

const Home = lazily(() => import("./pages/Home").then((part) => part.Home));
const Login = lazily(() => import("./pages/Login").then((part) => part.Login));
const Shared = lazily(() => import("./pages/Shared").then((part) => part.Shared));
const StudyPage = lazily(() => import("./pages/Study").then((part) => part.StudyPage));
const Large = lazily(() => import("./picture/Large").then((part) => part.Large));

export function App() {
  useLayoutEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <Page />
      {layers.value.length === 0 && <Notices />}
      <Help />
    </>
  );
}

function Page() {
  const now = route.value;
  useEffect(() => {
    if (now.page !== "shared" && !collections.value) void start();
  }, [now.page]);
  useEffect(() => {
    document.title = title();
  });
  useEffect(() => {
    if (startError.value?.passing) void untilBack().then(start);
  }, [startError.value]);
  if (now.page === "lost") return <Lost />;
  if (now.page === "shared") return <Shared token={now.token} />;
  if (needsKey.value) return <Login />;
  if (startError.value)
    return (
      <main class="waiting">
        <Mark size={44} />
        <Failure error={startError.value} onRetry={() => void start()} />
      </main>
    );
  if (now.page === "talk")
    return <Workspace key={now.collection} name={now.collection} talk={now.conversation} picture={now.picture} />;
  if (!collections.value)
    return (
      <main class="waiting" aria-busy="true">
        <Mark size={44} />
        <span class="visually-hidden">One moment</span>
      </main>
    );
  if (now.page === "study") return <StudyPage collection={now.collection} id={now.study} />;
  return <Home />;
}

function Workspace({ name, talk, picture }: { name: string; talk: string | null; picture: string | null }) {
  // Before anything else happens: what is typed right after "new conversation" must not reach the old one.
  useLayoutEffect(() => {
    void open(name, talk);
    // Whoever comes here begins by typing; a picture that is open has keys of its own.
    if (!picture && document.activeElement === document.body) focusComposerQuietly();
  }, [name, talk]);
  useEffect(() => whenIdle(Large.ahead), []);
  const browsed = source.value.kind === "browse" && source.value.collection === name;
  if (isLost(talkError.value) || (browsed && isLost(failed.value))) return <Lost />;
  return (
    <div class="workspace">
      <nav class="skips" aria-label="Skip">
        <a
          class="skip"
          href="#composer"
          onClick={(event) => {
            event.preventDefault();
            focusComposer();
          }}
        >
          To the message field
        </a>
        <a
          class="skip"
          href="#pictures"
          onClick={(event) => {
            event.preventDefault();
            focusWall();
          }}
        >
          To the pictures
        </a>
      </nav>
      <Talk />
      <Board />
      {picture && collection.value && <Large id={picture} />}
      <Drop />
    </div>
  );
}

function title(): string {
  const now = route.value;
  const name = conversation.value && titleOf(conversation.value);
  if (now.page === "study") return "Study · visavis";
  if (now.page === "talk")
    return [now.conversation && name, titleOfCollection(now.collection), "visavis"].filter(Boolean).join(" · ");
  return "visavis";
}
