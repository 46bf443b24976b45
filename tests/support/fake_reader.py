"""A dialogue reader that looks for the words of the last round only, or scores by the first region."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from visavis.conversation.history import Dialogue
from visavis.encoders.base import Encoder
from visavis.search.learned.base import DialogueQuery, DialogueReader, PictureVectors
from visavis.search.learned.registry import RetrieverEntry


class LastRoundReader(DialogueReader):
    """Finds by the last round's words; with ``scoring`` it scores regions, too."""

    name = "last-round"

    def __init__(self, encoder: Encoder, folder: Path | None = None, *, scoring: bool = False) -> None:
        self._encoder = encoder
        self._scoring = scoring
        self.read_dialogues: list[Dialogue] = []
        self.seen: list[np.ndarray] = []

    def read(self, dialogue: Dialogue, pictures: PictureVectors) -> DialogueQuery | None:
        self.read_dialogues.append(dialogue)
        self.seen = [pictures(one.shown[:1])[0] for one in dialogue]
        texts = [one.text for one in dialogue if one.text]
        if not texts:
            return None
        vector = self._encoder.encode_texts([texts[-1]])[0]
        return DialogueQuery(
            vector, (lambda whole, regions, ids: self._scores(vector, regions)) if self._scoring else None
        )

    def _scores(self, vector, regions):
        return np.asarray((regions @ vector).mean(axis=1), np.float32)


LAST_ROUND = RetrieverEntry(LastRoundReader.name, "For tests.", LastRoundReader)
