"""How alike two words are, by the text tower of the encoder that ships: it knows leggings from trousers by sight."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import Encoder

FloatArray = NDArray[np.float32]


class WordVectors:
    """Unit vectors of words and phrases, measured from a centre; each text is encoded once.

    Args:
        encoder: Whose text tower is used; the one that ships when None.
        centre: Where vectors are measured from; the origin when None.
    """

    def __init__(self, encoder: Encoder | None = None, centre: FloatArray | None = None) -> None:
        self._encoder = encoder
        self._plain: dict[str, FloatArray] = {}
        self.centre = centre

    def plain(self, texts: Iterable[str]) -> FloatArray:
        """The vectors of texts as the encoder gives them, ``[n, d]``."""
        texts = list(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in self._plain]
        if missing:
            self._plain.update(zip(missing, self._tower().encode_texts(missing), strict=True))
        return np.array([self._plain[text] for text in texts], dtype=np.float32)

    def of(self, texts: Iterable[str]) -> FloatArray:
        """The vectors of texts from the centre, ``[n, d]``; none for no text."""
        vectors = self.plain(texts)
        if not len(vectors):
            return vectors.reshape(0, 1)
        if self.centre is not None:
            vectors = vectors - self.centre
        return np.asarray(vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9))

    def _tower(self) -> Encoder:
        if self._encoder is None:
            from visavis.encoders.registry import load_encoder

            self._encoder = load_encoder("builtin")
        return self._encoder
