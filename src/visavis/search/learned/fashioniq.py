"""Fashion IQ's retriever at run time: words, predicted attributes and picture of every turn become one query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from cachetools import LRUCache

from visavis.conversation.dialogue import Dialogue, Round
from visavis.encoders.base import Encoder
from visavis.encoders.builtin import BuiltinEncoder
from visavis.encoders.tower import Tower
from visavis.errors import BadInputError
from visavis.search.learned.base import DialogueQuery, DialogueReader, PictureVectors, read_weights_file
from visavis.search.learned.picture_attributes import DESCRIPTION, PictureAttributes
from visavis.search.phrases import joined
from visavis.types import FloatArray

MODEL = "fashioniq.onnx"
#: What the annotators of Fashion IQ were given to go on from.
PREFIX = "unlike the provided image, the one i want"
#: Queries that are remembered: those of a few conversations.
_REMEMBERED = 256


def without_prefix(text: str) -> str:
    """A relative caption without the words that annotators of Fashion IQ were given to go on from.

    >>> without_prefix("Unlike the provided image, the one I want is solid black")
    'is solid black'
    """
    plain = " ".join(text.split()).replace(" ,", ",")
    for prefix in (PREFIX, PREFIX.replace(",", "")):
        if plain.lower().startswith(prefix):
            return plain[len(prefix) :].strip()
    return plain


class FashioniqReader(DialogueReader):
    """One pass over the turns; a turn's picture is the one that it points at, or the first that was shown before it."""

    name = "fashioniq"

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        if not isinstance(encoder, BuiltinEncoder):
            raise BadInputError("The retriever 'fashioniq' reads token vectors.", "Use the built-in encoder.")
        described = read_weights_file(folder / DESCRIPTION)
        self._turns, self._words = int(described["turns"]), int(described["words"])
        self.attributes = PictureAttributes(folder)
        self._encoder = encoder
        self._retriever = Tower(folder / MODEL)
        self._known: LRUCache[tuple[tuple[str, str], ...], FloatArray] = LRUCache(_REMEMBERED)
        self._lock = Lock()
        self.bytes_a_picture = 2 * encoder.dimension

    def read(self, dialogue: Dialogue, pictures: PictureVectors) -> DialogueQuery | None:
        """The query of the last turns that describe what is wanted."""
        rounds = [(without_prefix(one.text), _picture(one)) for one in dialogue if one.text]
        if not rounds:
            return None
        key = tuple(rounds[-self._turns :])
        with self._lock:
            found = self._known.get(key)
        if found is None:
            found = self.vector(key, pictures)
            with self._lock:
                self._known[key] = found
        return DialogueQuery(found)

    def vector(self, rounds: Sequence[tuple[str, str]], pictures: PictureVectors) -> FloatArray:
        """The vector of the picture that is meant, ``[d]``.

        Args:
            rounds: What each turn said, and the picture that it was said of; an empty id where there was none.
            pictures: Gives the vectors of pictures.
        """
        texts = [text for text, _ in rounds]
        read = [tokens[: self._words] for tokens in self._encoder.encode_tokens(texts)]
        words = np.zeros((1, len(rounds), max(map(len, read)), read[0].shape[1]), np.float32)
        there = np.zeros(words.shape[:3], np.float32)
        for turn, tokens in enumerate(read):
            words[0, turn, : len(tokens)], there[0, turn, : len(tokens)] = tokens, 1.0
        shown = np.zeros((1, len(rounds), self._encoder.dimension), np.float32)
        named = np.zeros((1, len(rounds), self.attributes.top), np.int64)
        seen = np.zeros((1, len(rounds)), np.float32)
        for turn, (_, id) in enumerate(rounds):
            whole, regions = pictures([id] if id else [])
            if len(whole) and whole[0].any():
                shown[0, turn], seen[0, turn] = whole[0], 1.0
                named[0, turn] = self.attributes.numbers(whole, regions)[0]
        feeds = {
            "words": words,
            "there": there,
            "pictures": shown,
            "attributes": named,
            "seen": seen,
            "said": self._encoder.encode_texts([joined(texts)]),
        }
        return np.asarray(self._retriever.run(feeds)[0][0], np.float32)


def _picture(one: Round) -> str:
    return next(iter((*one.pointed, *one.shown[:1])), "")
