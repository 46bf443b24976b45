"""ChatIR's retriever: the text of a dialogue in, the vector of the picture that is meant out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

import numpy as np
from cachetools import LRUCache

from visavis.conversation.history import Dialogue
from visavis.encoders.base import Encoder
from visavis.encoders.builtin import Tower, token_encoder
from visavis.search.learned.base import DialogueQuery, DialogueReader, PictureVectors
from visavis.types import FloatArray

SEPARATOR = " [SEP] "
#: What a dialog encoder reads at most.
MOST_TOKENS = 256
#: Answers that say least about a picture: they go first.
_DENIALS = ("no", "none", "nope", "nothing", "not")
DESCRIPTION, MODEL = "chatir.json", "chatir.onnx"
#: Dialogues whose vectors are remembered: those of a few conversations.
_REMEMBERED = 256
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Dialog:
    """A dialogue in VisDial's form.

    Attributes:
        caption: The description that it begins with; may be empty.
        rounds: Questions with their answers; either may be empty.
        image: The id of the picture that is meant; empty where nobody knows.
    """

    caption: str
    rounds: tuple[tuple[str, str], ...] = ()
    image: str = ""

    def first(self, rounds: int) -> Dialog:
        """The dialogue after so many rounds."""
        return replace(self, rounds=self.rounds[:rounds])


def joined(dialog: Dialog) -> str:
    """The text that the encoder reads: ``caption [SEP] question? answer [SEP] ...``."""
    parts = [dialog.caption.strip(), *(_round_text(*one) for one in dialog.rounds)]
    return SEPARATOR.join(part for part in parts if part)


def _round_text(question: str, answer: str) -> str:
    question, answer = question.strip(), answer.strip()
    if question and not question.endswith("?"):
        question += "?"
    return f"{question} {answer}".strip()


def shortened(dialog: Dialog, tokens: Callable[[str], int], most: int = MOST_TOKENS) -> tuple[Dialog, int]:
    """The dialogue without as many whole rounds as are too many, and their number.

    Denials go first, the oldest before the others; then the oldest rounds. The caption is never shortened.

    Args:
        dialog: The dialogue.
        tokens: Counts the tokens of a text.
        most: How many tokens there may be.
    """
    left, dropped = dialog, 0
    while left.rounds and tokens(joined(left)) > most:
        denied = (place for place, (_, answer) in enumerate(left.rounds) if _denies(answer))
        place = next(denied, 0)
        left = replace(left, rounds=left.rounds[:place] + left.rounds[place + 1 :])
        dropped += 1
    return left, dropped


def _denies(answer: str) -> bool:
    return answer.lower().replace(",", " ").replace(".", " ").split()[:1] in ([word] for word in _DENIALS)


def dialog_of(dialogue: Dialogue) -> Dialog:
    """A conversation's rounds in VisDial's form: the first description is the caption, others answer nobody."""
    caption, rounds = "", []
    for one in dialogue:
        if one.question:
            rounds.append((one.question, one.answer))
        elif one.text and not caption and not rounds:
            caption = one.text
        elif one.text:
            rounds.append(("", one.text))
    return Dialog(caption, tuple(rounds))


class ChatirReader(DialogueReader):
    """One pass over the dialogue in each turn."""

    name = "chatir"

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self._encoder = token_encoder(encoder, self.name)
        self._head = Tower(folder / MODEL)
        self._known: LRUCache[str, FloatArray] = LRUCache(_REMEMBERED)
        self._lock = Lock()
        self.bytes_a_picture = 2 * encoder.dimension

    def read(self, dialogue: Dialogue, pictures: PictureVectors) -> DialogueQuery | None:  # noqa: ARG002
        """The query; a dialogue that is too long is shortened by whole rounds, which the log says."""
        dialog = dialog_of(dialogue)
        if not joined(dialog):
            return None
        return DialogueQuery(self.vector(dialog), phrases=True)

    def vector(self, dialog: Dialog) -> FloatArray:
        """The vector of the picture that is meant, ``[d]``."""
        dialog, dropped = shortened(dialog, self._encoder.count_tokens)
        if dropped:
            _log.info("the dialogue is longer than %d tokens: %d rounds are not read", MOST_TOKENS, dropped)
        text = joined(dialog)
        with self._lock:
            found = self._known.get(text)
        if found is None:
            whole, tokens = self._encoder.encode_long(text, MOST_TOKENS)
            feeds = {"tokens": tokens[None], "mask": np.ones((1, len(tokens)), np.float32), "whole": whole[None]}
            found = np.asarray(self._head.run(feeds)[0][0], np.float32)
            with self._lock:
                self._known[text] = found
        return found
