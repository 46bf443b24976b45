"""Against a server on this machine that answers well, badly, late, or not at all."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from leaving import PATIENCE_SECONDS, client_leaves

from visavis.language.commands import parse_command
from visavis.language.llm import Endpoint
from visavis.questions.base import Exchange
from visavis.questions.informed import NEVER_STOP, InformedQuestioner, StoppingRule, default_sources
from visavis.questions.llm import LanguageModelQuestioner, configured_questioner, read_question_json

pytest.importorskip("httpx", reason="httpx is in the extra 'llm'")


@pytest.fixture
def server():
    """Says what is in ``replies``, one a request; the last one again and again.

    "silent" says nothing and "trickle" never comes to an end; ``left`` is set when the client has gone meanwhile.
    """
    replies, requests, left = [], [], threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            reply = replies[min(len(requests), len(replies)) - 1]
            if reply == "silent":
                return left.set() if client_leaves(self.connection) else None
            if reply == "trickle":
                return self.trickle()
            status = reply if isinstance(reply, int) else 200
            body = json.dumps({"choices": [{"message": {"content": reply}}]}).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass  # the client has gone

        def trickle(self):
            try:
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                for _ in range(990):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.05)
            except OSError:
                left.set()

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}/v1", replies, requests, left
    http.shutdown()
    http.server_close()


@pytest.fixture
def ask(server, bank):
    url, replies, _, _ = server
    builtin = InformedQuestioner(default_sources(bank, open_questions=False, pictures=False), NEVER_STOP)

    def ask(view, *say, seconds=3.0, at=url):
        replies[:] = say
        return LanguageModelQuestioner(Endpoint(at, "test", "key", seconds), builtin, bank).ask(view), builtin.ask(view)

    return ask


def test_asks_what_the_model_says_and_tells_it_what_the_candidates_show(ask, make_view, server):
    question, _ = ask(make_view(told="two giraffes"), '{"question": "Is it in a zoo?", "options": []}')
    assert (question.text, question.form) == ("Is it in a zoo?", "yes/no")
    request = server[2][0]
    assert request["response_format"] == {"type": "json_object"}
    assert "Caption: two giraffes" in request["messages"][-1]["content"]
    assert "Concepts among the candidates: " in request["messages"][-1]["content"]


def test_options_become_a_choice(ask, make_view):
    question, _ = ask(make_view(), 'Sure! {"question": "Zoo or wild?", "options": ["zoo", "wild",]}')
    assert [label for label, _ in question.options] == ["zoo", "wild"]


def test_broken_json_is_repaired_by_asking_once_more(ask, make_view, server):
    question, _ = ask(make_view(), "I think {", '{"question": "Is it raining?"}')
    assert question.text == "Is it raining?"
    assert len(server[2]) == 2


def test_a_repeated_question_is_not_asked_again(ask, make_view):
    first, _ = ask(make_view(), '{"question": "Is it raining?"}')
    again, builtin = ask(make_view(exchanges=[Exchange(first, "no")]), '{"question": "Is it raining?"}')
    assert again.text == builtin.text != "Is it raining?"


ENDLESS = '{"question": ' + "[" * 20_000 + "}"


@pytest.mark.parametrize("bad", [500, "nothing useful", "{}", '{"question": 3}', "[]", ENDLESS])
def test_falls_back_silently(ask, make_view, bad):
    question, builtin = ask(make_view(), bad)
    assert question == builtin


def test_keeps_its_time(ask, make_view, server):
    question, builtin = ask(make_view(), "silent", seconds=0.3)
    assert question == builtin
    assert server[3].wait(PATIENCE_SECONDS), "it waits on"


def test_a_reply_that_never_ends_is_not_waited_for(ask, make_view, server):
    question, builtin = ask(make_view(), "trickle", seconds=0.4)
    assert question == builtin
    assert server[3].wait(PATIENCE_SECONDS), "it waits on"


def test_half_characters_are_not_passed_on(ask, make_view):
    question, _ = ask(
        make_view(), r'{"question": "Is it \ud800 raining?", "options": ["\udc00 yes it is", "no it is not"]}'
    )
    told = f"{question.text}{question.options}{question.key}"
    assert told.encode().decode() == told


def test_strange_options_are_left_out(ask, make_view):
    question, _ = ask(make_view(), json.dumps({"question": "Which one?", "options": ["a\nb", "", "c", "x" * 100, 3]}))
    assert [label for label, _ in question.options] == ["a b", "c", "3"]
    assert all(parse_command(command) for _, command in question.options)


def test_a_language_model_is_used_where_one_is_configured(bank, monkeypatch):
    monkeypatch.delenv("VISAVIS_LLM_URL", raising=False)
    assert Endpoint.from_environment() is None
    assert configured_questioner(bank.encoder).name == "builtin"
    monkeypatch.setenv("VISAVIS_LLM_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("VISAVIS_LLM_MODEL", "small")
    assert configured_questioner(bank.encoder).name == "llm"
    assert Endpoint.from_environment() == Endpoint("http://127.0.0.1:9/v1", "small")


def test_a_server_that_is_not_there_is_no_error(ask, make_view):
    question, builtin = ask(make_view(), "{}", at="http://127.0.0.1:9/v1")
    assert question == builtin


def test_asks_nothing_when_asking_does_not_pay(bank, make_view, server):
    builtin = InformedQuestioner(default_sources(bank), StoppingRule(small=100))
    assert LanguageModelQuestioner(Endpoint(server[0], "test"), builtin, bank).ask(make_view()) is None
    assert not server[2]


def test_reads_a_bare_question():
    assert read_question_json('"Is it red?"').text == "Is it red?"
    assert read_question_json("no question here") is None
