"""Vectors of texts, each computed once: what was said in earlier turns costs nothing in later ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from visavis.encoders.base import Encoder, FloatArray

#: Texts remembered; at 256 numbers each that is 8 MB.
CAPACITY = 8192


class TextVectors:
    """Encodes texts and remembers them, the least recently used forgotten first. Safe to use from several threads."""

    def __init__(self, encoder: Encoder, capacity: int = CAPACITY) -> None:
        self._encoder = encoder
        self._capacity = capacity
        self._known: OrderedDict[str, FloatArray] = OrderedDict()
        self._lock = Lock()

    @property
    def dimension(self) -> int:
        """Length of the vectors."""
        return self._encoder.dimension

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """One unit vector a text, ``[n, d]``."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        found = self._recall(texts)
        unknown = [text for text in dict.fromkeys(texts) if text not in found]
        if unknown:
            found |= zip(unknown, self._encoder.encode_texts(unknown), strict=True)
            self._remember({text: found[text] for text in unknown})
        return np.stack([found[text] for text in texts])

    def _recall(self, texts: Sequence[str]) -> dict[str, FloatArray]:
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
            for text in found:
                self._known.move_to_end(text)
        return found

    def _remember(self, new: dict[str, FloatArray]) -> None:
        with self._lock:
            self._known |= new
            while len(self._known) > self._capacity:
                self._known.popitem(last=False)
