"""A questioner on any OpenAI-compatible endpoint; whatever goes wrong, the built-in one asks instead."""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

from visavis.errors import MissingExtraError
from visavis.pictures.values import writable
from visavis.questions.base import Question, Questioner, View
from visavis.questions.concepts import ConceptBank
from visavis.questions.free import free_question
from visavis.questions.posterior import posterior

logger = logging.getLogger(__name__)

_INSTRUCTION = (
    "Ask a new question in the following dialog, assume that the questions are designed to help us retrieve this image "
    "from a large collection of images. The candidates that are left differ in the concepts listed; ask about what "
    "splits them best. Never repeat a question. Reply with JSON only: "
    '{"question": "...?", "options": ["...", "..."]}; leave options empty for yes/no and open questions.'
)
#: Two dialogues with the next question, as in the ChatIR paper.
_SHOTS = (
    (
        "Caption: a bedroom is filled with lots of posters and a busy computer desk\nQ: What colour is the desk?\n"
        "A: black\nConcepts among the candidates: window, bed, chair, two monitors",
        '{"question": "Is there a chair at the desk?", "options": []}',
    ),
    (
        "Caption: two giraffes standing in a field\nConcepts among the candidates: trees, fence, water, zebra",
        '{"question": "Are they in a zoo or in the wild?", "options": ["zoo", "wild"]}',
    ),
)
_CONCEPTS = 15
#: Letters of an option; a longer one is no answer that one picks.
_LONGEST_OPTION = 60
#: Bytes of a reply; a question needs a few hundred.
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
        seconds: The time that a question may take, repairs included.
    """

    url: str
    model: str
    key: str = ""
    seconds: float = 4.0

    @classmethod
    def from_environment(cls) -> Self | None:
        """What VISAVIS_LLM_URL, VISAVIS_LLM_MODEL and VISAVIS_LLM_KEY say; None where the first is not set."""
        url = os.environ.get("VISAVIS_LLM_URL", "").strip()
        if not url:
            return None
        return cls(url, os.environ.get("VISAVIS_LLM_MODEL", "default"), os.environ.get("VISAVIS_LLM_KEY", ""))


class LanguageModelQuestioner(Questioner):
    """Few-shot questions as in the ChatIR paper, told what the candidates show, which the paper names as missing."""

    name = "llm"

    def __init__(self, endpoint: Endpoint, fallback: Questioner, bank: ConceptBank) -> None:
        """Make one; ``fallback`` asks when the model is late, silent, or repeats itself."""
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError("The language model's questioner", "llm") from error
        self._client = httpx.Client(timeout=endpoint.seconds)
        self._endpoint = endpoint
        self._fallback = fallback
        self._bank = bank

    def ask(self, view: View) -> Question | None:
        """The model's question if it comes in time and is new; the fallback decides whether to ask at all."""
        otherwise = self._fallback.ask(view)
        if otherwise is None:
            return None
        deadline = time.monotonic() + self._endpoint.seconds
        messages = self._messages(view)
        for _ in range(2):  # once, and once more to repair what could not be read
            left = deadline - time.monotonic()
            reply = self._complete(messages, left) if left > 0 else None
            if reply is None:
                return otherwise
            question = read_question_json(reply)
            if question is not None and question.key not in view.asked and not _said(question, view):
                return replace(question, gain=otherwise.gain)
            complaint = "That was asked already; ask a new one." if question else "That is not the JSON asked for."
            messages = [*messages, {"role": "assistant", "content": reply}, {"role": "user", "content": complaint}]
        return otherwise

    def _complete(self, messages: list[dict[str, str]], seconds: float) -> str | None:
        import httpx

        headers = {"Authorization": f"Bearer {self._endpoint.key}"} if self._endpoint.key else {}
        body = {
            "model": self._endpoint.model,
            "messages": messages,
            "temperature": 0,
            "max_tokens": 120,
            "response_format": {"type": "json_object"},
        }
        url, deadline = f"{self._endpoint.url.rstrip('/')}/chat/completions", time.monotonic() + seconds
        try:
            with self._client.stream("POST", url, json=body, headers=headers, timeout=seconds) as response:
                response.raise_for_status()
                reply = _read_until(response.iter_bytes(), deadline)
            content = json.loads(reply)["choices"][0]["message"]["content"]
        except (httpx.HTTPError, httpx.InvalidURL, *_UNREADABLE) as error:
            logger.info("The language model gave no question: %s", error)
            return None
        return content if isinstance(content, str) else None

    def _messages(self, view: View) -> list[dict[str, str]]:
        shots = [
            {"role": role, "content": text}
            for shown, asked in _SHOTS
            for role, text in (("user", shown), ("assistant", asked))
        ]
        dialog = [f"Caption: {view.told}"]
        dialog += [f"Q: {exchange.question.text}\nA: {exchange.answer}" for exchange in view.exchanges]
        dialog.append(f"Concepts among the candidates: {', '.join(self._concepts(view))}")
        return [{"role": "system", "content": _INSTRUCTION}, *shots, {"role": "user", "content": "\n".join(dialog)}]

    def _concepts(self, view: View) -> list[str]:
        """What the candidates show in different degrees: the most telling concepts."""
        from visavis.questions.proposals.concepts import ConceptQuestions

        probabilities = posterior(view.candidates.scores)
        proposals = ConceptQuestions(self._bank).propose(view, probabilities)
        return [
            proposal.question.propositions[0].wish for proposal, _ in zip(proposals, range(_CONCEPTS), strict=False)
        ]


def _read_until(chunks: Iterable[bytes], deadline: float) -> bytes:
    """The whole reply; a timeout of the connection would let a server that sends a byte a second go on for ever."""
    reply = b""
    for chunk in chunks:
        reply += chunk
        if time.monotonic() > deadline or len(reply) > _LONGEST_REPLY:
            raise ValueError("the reply took too long, or was too long")
    return reply


def read_question_json(reply: str) -> Question | None:
    """The question in a reply, whatever stands around it; None where there is none."""
    found = re.search(r"\{.*\}", reply, re.DOTALL)
    for text in (found[0] if found else "", re.sub(r",\s*([\]}])", r"\1", found[0]) if found else ""):
        try:
            value: Any = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(asked := value.get("question"), str) and 5 < len(asked.strip()) < 200:
            return _with_options(free_question(writable(asked).strip()), value.get("options"))
    bare = reply.strip().strip('"')
    return free_question(bare) if re.fullmatch(r"[^\n{}]{5,150}\?", bare) else None


def _with_options(question: Question, options: Any) -> Question:
    from visavis.questions.base import Option, Proposition
    from visavis.questions.vocabulary import Kind

    given = [" ".join(writable(str(option)).split()) for option in options] if isinstance(options, list) else []
    labels = [label for label in given if 0 < len(label) <= _LONGEST_OPTION]
    if len(dict.fromkeys(labels)) < 2 or {label.lower() for label in labels} <= {"yes", "no"}:
        return question
    labels = list(dict.fromkeys(labels))[:5]
    return replace(
        question,
        form="choice",
        options=tuple(Option(label, command=f"refine {label}") for label in labels),
        propositions=tuple(Proposition(label, f"a photo of {label}", Kind.STUFF) for label in labels),
    )


def _said(question: Question, view: View) -> bool:
    return any(exchange.question.text.lower() == question.text.lower() for exchange in view.exchanges)
