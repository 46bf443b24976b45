"""A parser on any OpenAI-compatible endpoint; when the endpoint fails, the network parses instead."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from visavis.errors import BadInputError, MissingExtraError
from visavis.language.base import NO_CONTEXT, Parser, Reading, Understanding, reply_to
from visavis.language.commands import KINDS, Chat, Clarify, Command, parse_command
from visavis.language.commands.parse import written_command
from visavis.language.context import Context, NumberRange
from visavis.language.grounding import ground

#: What is assumed of a model that does not say how sure it is.
_CONFIDENCE = 0.9
_MOST_COMMANDS = 8

_INSTRUCTION = """You turn what a person says to an image search and editing program into commands.
Reply with JSON: {"commands": [...]}, in the order said, or {"clarify": "question"} where guessing would be wrong.
Commands:
search TEXT (new search) | refine TEXT (one more wish) | avoid TEXT | forget TEXT | answer TEXT (to the question)
keep ASPECT of #3 / @2 / of this | like #4 | unlike #2 | select #3 | filter price < 50 | filter colour = Red
filter taken = "last summer" | sort price asc | more | more 20 | fewer 5 | random | rollback 2 (to turn 2)
count TEXT | describe this | ask QUESTION | why #3 | values ATTRIBUTE | compare #1 #2 | questions off
rotate DEGREES (counter-clockwise; clockwise 90: rotate 270) | flip horizontal | straighten | crop 16:9 | crop on X
adjust_attr brightness|contrast|saturation|warmth|sharpness -100..100 (unsaid 20, a bit 10, a lot 40)
adjust_color COLOUR 0.3 | recolor COLOUR on THING | remove THING | image_cutout | replace_background white
grayscale | invert | enhance | sepia 50 | vignette 50 | blur 50 on background | border 20 white | caption "text" bottom
resize 800x600 | undo | redo | reset edits | reset | repeat #2 #5 | export "name.png"
chat greeting|thanks|praise|complaint|goodbye|help|summary|agreement|refusal|nonsense
With a picture in hand "brighter" is an edit, without one it is: refine brighter. Pointing at a picture and editing it:
select it first. Keep TEXT in the person's words, without politeness and leading article. Use only attributes, values,
pictures and turns that the context has."""
_SHOTS: tuple[tuple[dict[str, Any], str, dict[str, Any]], ...] = (
    ({}, "hi, got any photos of red barns? no people pls", {"commands": ["search red barns", "avoid people"]}),
    ({"turns": 2, "shown": 12, "topic": "dress"}, "the third but longer", {"commands": ["like #3", "refine longer"]}),
    (
        {"turns": 3, "picture": True},
        "too dark, and lose the bin",
        {"commands": ["adjust_attr brightness 20", "remove bin"]},
    ),
    ({"turns": 3, "picture": True}, "rotate it by 30", {"clarify": "Clockwise or counter-clockwise?"}),
    ({"turns": 1, "shown": 12, "topic": "shoes"}, "thanks, lovely", {"commands": ["chat praise"]}),
)


def schema() -> dict[str, Any]:
    """The grammar as a JSON schema: a list of commands, each beginning with one of the verbs, or a question."""
    verbs = "|".join(kind.verb for kind in KINDS if kind is not Clarify)
    command = {"type": "string", "pattern": rf"^({verbs})( .+)?$"}
    commands = {"type": "array", "items": command, "minItems": 1, "maxItems": _MOST_COMMANDS}
    return {
        "type": "object",
        "properties": {"commands": commands, "clarify": {"type": "string"}},
        "additionalProperties": False,
    }


def described(context: Context) -> dict[str, Any]:
    """A context as plain values for a model; nothing that does not apply."""
    attributes = {
        name: {"min": values.low, "max": values.high} if isinstance(values, NumberRange) else list(values[:20])
        for name, values in context.attributes.items()
    }
    question = context.question
    told = {
        "turns": context.turns,
        "shown": context.shown,
        "columns": context.columns,
        "picture": context.picture,
        "topic": context.topic,
        "question": {"text": question.text, "options": [label for label, _ in question.options]} if question else None,
        "attributes": attributes,
        "edits": [*map(str, context.edits)],
        "concepts": [" ".join((*c.attributes, c.noun)) for c in context.concepts],
    }
    return {name: value for name, value in told.items() if value}


class LlmParser(Parser):
    """Understands by a language model, within a time limit and through the same grounding as the network.

    Args:
        client: The model.
        fallback: Parses when the model is late, silent, or writes what is no command.
    """

    name = "llm"

    def __init__(self, client: ChatClient, fallback: Parser) -> None:
        self._client, self._fallback = client, fallback

    @classmethod
    def from_settings(cls, fallback: Parser) -> Self:
        """A parser on the endpoint that the environment names.

        Raises:
            BadInputError: It names none.
        """
        endpoint = Endpoint.from_environment()
        if endpoint is None:
            raise BadInputError("No language model is set.", "Set VISAVIS_LLM_URL, such as http://localhost:11434/v1.")
        return cls(ChatClient(endpoint), fallback)

    def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
        """What a message asks for, in its context."""
        if written_command(message) is not None:
            return self._fallback.understand(message, context)
        reply = self._client.complete(ChatRequest(_messages(message, context), schema=schema()))
        answer = read_answer(reply) if reply else None
        if answer is None:
            return self._fallback.understand(message, context)
        if isinstance(answer, str):
            return Understanding((), _CONFIDENCE, Clarify(answer), None, self.name)
        commands = ground(answer, context)
        alone = commands[0] if len(commands) == 1 else None
        said = reply_to(alone.kind) if isinstance(alone, Chat) else None
        return Understanding(commands, _CONFIDENCE, None, said, self.name, (Reading(commands, _CONFIDENCE),))


def _messages(message: str, context: Context) -> list[Mapping[str, str]]:
    told = [(shot[0], shot[1], json.dumps(shot[2])) for shot in _SHOTS]
    shots = [
        {"role": role, "content": text}
        for about, said, answer in told
        for role, text in (("user", _said(about, said)), ("assistant", answer))
    ]
    return [
        {"role": "system", "content": _INSTRUCTION},
        *shots,
        {"role": "user", "content": _said(described(context), message)},
    ]


def _said(context: Mapping[str, Any], message: str) -> str:
    return f"Context: {json.dumps(context, ensure_ascii=False)}\nMessage: {message}"


def read_answer(reply: str) -> tuple[Command, ...] | str | None:
    """The commands in a reply, or its question; None where it has neither, or something that is no command.

    >>> [str(command) for command in read_answer('{"commands": ["rotate 270"]}')]
    ['rotate 270']
    """
    found = re.search(r"\{.*\}", reply, re.DOTALL)
    try:
        value = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    lines, question = value.get("commands"), value.get("clarify")
    if isinstance(lines, list) and lines:
        try:
            return tuple(parse_command(line) for line in lines if isinstance(line, str)) or None
        except BadInputError:
            return None
    return question.strip()[:300] if isinstance(question, str) and question.strip() else None


logger = logging.getLogger(__name__)

#: Bytes of a reply; a few commands need a few hundred.
_LONGEST_REPLY = 100_000
#: What a reply raises that is no JSON, is JSON of another form, or is nested without end.
_UNREADABLE = (ValueError, KeyError, IndexError, TypeError, RecursionError)


@dataclass(frozen=True)
class Endpoint:
    """Where the language model answers.

    Attributes:
        url: The base address, such as ``http://localhost:11434/v1``.
        model: Which model.
        key: The key, or an empty string.
        seconds: The time that an answer may take.
    """

    url: str
    model: str
    key: str = ""
    seconds: float = 4.0

    @classmethod
    def from_environment(cls) -> Self | None:
        """What VISAVIS_LLM_URL, _MODEL, _KEY and _SECONDS say; None where the first is not set."""
        from visavis.settings import Environment

        environment = Environment()
        if not environment.llm_url:
            return None
        return cls(environment.llm_url, environment.llm_model, environment.llm_key, environment.llm_seconds)


@dataclass(frozen=True)
class ChatRequest:
    """What a model is asked.

    Attributes:
        messages: The conversation with the model.
        seconds: How long the answer may take; the endpoint's own limit when None.
        schema: The JSON schema that the answer must fit; any JSON when None.
        longest: How many tokens the answer may have.
    """

    messages: Sequence[Mapping[str, str]]
    seconds: float | None = None
    schema: Mapping[str, Any] | None = None
    longest: int = 200


class ChatModel(Protocol):
    """What answers messages: a model, or what one answered once."""

    endpoint: Endpoint

    def complete(self, request: ChatRequest) -> str | None:
        """The text of the answer, or None."""


class ChatClient:
    """Asks an endpoint for JSON; failures are logged and give None."""

    def __init__(self, endpoint: Endpoint) -> None:
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError("A language model", "llm") from error
        self.endpoint = endpoint
        self._client = httpx.Client(timeout=endpoint.seconds)

    def complete(self, request: ChatRequest) -> str | None:
        """The text of the model's answer, or None."""
        import httpx

        left = self.endpoint.seconds if request.seconds is None else request.seconds
        form: dict[str, Any] = {"type": "json_object"}
        if request.schema is not None:
            schema = {"name": "answer", "strict": True, "schema": dict(request.schema)}
            form = {"type": "json_schema", "json_schema": schema}
        body = {
            "model": self.endpoint.model,
            "messages": list(request.messages),
            "temperature": 0,
            "max_tokens": request.longest,
            "response_format": form,
        }
        headers = {"Authorization": f"Bearer {self.endpoint.key}"} if self.endpoint.key else {}
        url, deadline = f"{self.endpoint.url.rstrip('/')}/chat/completions", time.monotonic() + left
        try:
            with self._client.stream("POST", url, json=body, headers=headers, timeout=left) as response:
                response.raise_for_status()
                reply = _read_until(response.iter_bytes(), deadline)
            content = json.loads(reply)["choices"][0]["message"]["content"]
        except (httpx.HTTPError, httpx.InvalidURL, *_UNREADABLE) as error:
            logger.info("The language model gave no answer: %s", error)
            return None
        return content if isinstance(content, str) else None


def _read_until(chunks: Iterable[bytes], deadline: float) -> bytes:
    """The whole reply; a timeout of the connection would let a server that sends a byte a second go on for ever."""
    reply = b""
    for chunk in chunks:
        reply += chunk
        if time.monotonic() > deadline or len(reply) > _LONGEST_REPLY:
            raise ValueError("the reply took too long, or was too long")
    return reply
