"""ChatIR's retriever at run time: the shared text tower reads the dialogue, a head turns its tokens into the query."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock

import numpy as np
from cachetools import LRUCache

from visavis.conversation.dialogue import Dialogue
from visavis.encoders.base import Encoder
from visavis.encoders.builtin import BuiltinEncoder
from visavis.encoders.tower import Tower
from visavis.errors import BadInputError
from visavis.search.learned.base import DialogueQuery, DialogueReader, PictureVectors
from visavis.search.learned.dialog_text import MOST_TOKENS, Dialog, dialog_of, joined, shortened
from visavis.types import FloatArray

DESCRIPTION, MODEL = "chatir.json", "chatir.onnx"
#: Dialogues whose vectors are remembered: those of a few conversations.
_REMEMBERED = 256
_log = logging.getLogger(__name__)


class ChatirReader(DialogueReader):
    """One pass over the dialogue in each turn."""

    name = "chatir"

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        if not isinstance(encoder, BuiltinEncoder):
            raise BadInputError("The retriever 'chatir' reads token vectors.", "Use the built-in encoder.")
        self._encoder = encoder
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
