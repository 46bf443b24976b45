"""Any OpenAI-compatible endpoint: where a language model answers, and how it is asked within a time limit."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from visavis.errors import MissingExtraError

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
