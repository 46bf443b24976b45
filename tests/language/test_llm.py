"""The parser on a language model: its answers are grounded, and it is never waited for in vain."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from leaving import PATIENCE_SECONDS, client_leaves

from visavis.errors import BadInputError
from visavis.language.base import Parser, Understanding
from visavis.language.commands import Chat, parse_command
from visavis.language.context import Context
from visavis.language.llm import ChatClient, Endpoint, LlmParser, described, read_answer, schema

pytest.importorskip("httpx")


class Otherwise(Parser):
    """Reads what the model does not."""

    name = "otherwise"

    def understand(self, message, context=None):
        return Understanding((Chat("nonsense"),), 0.1, parser=self.name)


@pytest.fixture
def model():
    """A model that answers what a test tells it to; it records what it was asked."""
    asked, told = [], {"content": "{}", "silent": False, "status": 200, "left": threading.Event()}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            if told["silent"]:
                if client_leaves(self.connection):
                    told["left"].set()
                return
            body = json.dumps({"choices": [{"message": {"content": told["content"]}}]}).encode()
            self.send_response(told["status"])
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", "small", seconds=1.0)
    yield LlmParser(ChatClient(endpoint), Otherwise()), told, asked
    server.shutdown()


def test_commands_are_grounded(model):
    parser, told, asked = model
    told["content"] = '{"commands": ["filter colour = red", "refine the longer sleeves"]}'
    context = Context.from_json({"turns": 1, "attributes": {"Colour": ["Red"]}})
    understood = parser.understand("red ones with longer sleeves", context)
    assert understood.lines() == ["filter Colour = Red", "refine longer sleeves"]
    assert asked[0]["response_format"]["type"] == "json_schema"
    assert "Colour" in asked[0]["messages"][-1]["content"]


def test_it_may_ask_back(model):
    parser, told, _ = model
    told["content"] = '{"clarify": "Which way?"}'
    assert parser.understand("turn it by 30").clarify.question == "Which way?"


@pytest.mark.parametrize("content", ["no JSON", '{"commands": ["fly away"]}', "{}", '{"commands": []}', "[1]"])
def test_the_network_reads_what_the_model_cannot(model, content):
    parser, told, _ = model
    told["content"] = content
    assert parser.understand("hello there").parser == "otherwise"


def test_nobody_waits_longer_than_allowed(model):
    parser, told, _ = model
    told["silent"] = True
    assert parser.understand("hello there").parser == "otherwise"
    assert told["left"].wait(PATIENCE_SECONDS), "it waits on"


def test_errors_of_the_server_are_no_errors_of_the_parser(model):
    parser, told, _ = model
    told["status"] = 500
    assert parser.understand("hello there").parser == "otherwise"


def test_written_commands_need_no_model(model):
    parser, _, asked = model
    parser.understand("rotate 270")
    assert not asked


def test_without_an_address_there_is_a_clear_error(monkeypatch):
    monkeypatch.delenv("VISAVIS_LLM_URL", raising=False)
    with pytest.raises(BadInputError, match="No language model"):
        LlmParser.from_settings(Otherwise())


def test_the_schema_knows_every_verb():
    pattern = schema()["properties"]["commands"]["items"]["pattern"]
    assert "recolor" in pattern
    assert "clarify" not in pattern


def test_a_context_is_told_in_short():
    assert described(Context()) == {}
    assert described(Context(turns=1, picture=True)) == {"turns": 1, "picture": True}
    assert read_answer('text {"commands": ["undo"]} text') == (parse_command("undo"),)
