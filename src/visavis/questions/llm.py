"""A questioner on any OpenAI-compatible endpoint; when the endpoint fails, the built-in one asks instead."""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from visavis.encoders.base import Encoder
from visavis.language.llm import ChatClient, ChatModel, ChatRequest, Endpoint
from visavis.pictures.records import writable
from visavis.questions.answers import free_question
from visavis.questions.base import QuestionContext, Questioner, posterior
from visavis.questions.contents import ConceptQuestions
from visavis.questions.informed import InformedQuestioner, default_sources
from visavis.search.bank import ConceptBank, default_bank
from visavis.types import Kind, Proposition, Question

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
#: Tokens of an answer.
_LONGEST_ANSWER = 120
#: Letters of an option; longer ones are left out.
_LONGEST_OPTION = 60


class LanguageModelQuestioner(Questioner):
    """Few-shot questions as in the ChatIR paper, told what the candidates show, which the paper names as missing."""

    name = "llm"

    def __init__(self, model: Endpoint | ChatModel, fallback: Questioner, bank: ConceptBank) -> None:
        """Make one; ``fallback`` asks when the model is late, silent, or repeats itself."""
        self._client = ChatClient(model) if isinstance(model, Endpoint) else model
        self._fallback = fallback
        self._bank = bank

    def ask(self, context: QuestionContext) -> Question | None:
        """The model's question if it comes in time and is new; the fallback decides whether to ask at all."""
        otherwise = self._fallback.ask(context)
        if otherwise is None:
            return None
        deadline = time.monotonic() + self._client.endpoint.seconds
        messages = self._messages(context)
        for _ in range(2):  # once, and once more to repair what could not be read
            left = deadline - time.monotonic()
            request = ChatRequest(messages, left, longest=_LONGEST_ANSWER)
            reply = self._client.complete(request) if left > 0 else None
            if reply is None:
                return otherwise
            question = read_question_json(reply)
            if question is not None and question.key not in context.asked and not _said(question, context):
                return replace(question, gain=otherwise.gain)
            complaint = "That was asked already; ask a new one." if question else "That is not the JSON asked for."
            messages = [*messages, {"role": "assistant", "content": reply}, {"role": "user", "content": complaint}]
        return otherwise

    def _messages(self, context: QuestionContext) -> list[dict[str, str]]:
        shots = [
            {"role": role, "content": text}
            for shown, asked in _SHOTS
            for role, text in (("user", shown), ("assistant", asked))
        ]
        dialog = [f"Caption: {context.told}"]
        dialog += [f"Q: {exchange.question.text}\nA: {exchange.answer}" for exchange in context.exchanges]
        dialog.append(f"Concepts among the candidates: {', '.join(self._concepts(context))}")
        return [{"role": "system", "content": _INSTRUCTION}, *shots, {"role": "user", "content": "\n".join(dialog)}]

    def _concepts(self, context: QuestionContext) -> list[str]:
        """What the candidates show in different degrees: the most telling concepts."""
        probabilities = posterior(context.candidates.scores)
        proposals = ConceptQuestions(self._bank).propose(context, probabilities)
        return [
            proposal.question.propositions[0].wish for proposal, _ in zip(proposals, range(_CONCEPTS), strict=False)
        ]


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

    given = [" ".join(writable(str(option)).split()) for option in options] if isinstance(options, list) else []
    labels = [label for label in given if 0 < len(label) <= _LONGEST_OPTION]
    if len(dict.fromkeys(labels)) < 2 or {label.lower() for label in labels} <= {"yes", "no"}:
        return question
    labels = list(dict.fromkeys(labels))[:5]
    return replace(
        question,
        form="choice",
        options=tuple((label, f"refine {label}") for label in labels),
        propositions=tuple(Proposition(label, f"a photo of {label}", Kind.STUFF) for label in labels),
    )


def _said(question: Question, context: QuestionContext) -> bool:
    return any(exchange.question.text.lower() == question.text.lower() for exchange in context.exchanges)


def configured_questioner(encoder: Encoder, home: Path | str | None = None) -> Questioner:
    """The built-in questioner; a language model words its questions where one is configured."""
    bank = default_bank(encoder, home)
    # An open question has nothing to tap, and a person can say more at any time without being asked.
    builtin = InformedQuestioner(default_sources(bank, open_questions=False))
    endpoint = Endpoint.from_environment()
    return builtin if endpoint is None else LanguageModelQuestioner(endpoint, builtin, bank)
