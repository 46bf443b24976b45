"""Drill-down at run time: a set of state vectors, one of which each round updates, scored against pictures' regions."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

import numpy as np
from cachetools import LRUCache

from visavis.conversation.history import Dialogue
from visavis.encoders.base import Encoder
from visavis.encoders.builtin import Tower
from visavis.search.learned.base import DialogueQuery, DialogueReader, PictureVectors, read_weights_file
from visavis.types import FloatArray

DESCRIPTION, STEP, SCORE = "drilldown.json", "drilldown-step.onnx", "drilldown-score.onnx"
#: States that are remembered: those of a few conversations, so that a turn costs one update.
_REMEMBERED = 512
#: Pictures that are scored at once.
_AT_ONCE = 256

#: State vectors ``[M, D]`` and which of them are filled ``[M]``.
State = tuple[FloatArray, FloatArray]


class DrilldownReader(DialogueReader):
    """One update for each new round; the states of earlier rounds are remembered by what was said."""

    name = "drilldown"

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        description = read_weights_file(folder / DESCRIPTION)
        self._states, self._dimension = int(description["states"]), int(description["dimension"])
        self._whole = bool(description.get("whole"))
        self._encoder = encoder
        self._step = Tower(folder / STEP)
        self._score = Tower(folder / SCORE)
        self._known: LRUCache[tuple[str, ...], State] = LRUCache(_REMEMBERED)
        self._lock = Lock()
        self.updates = 0
        self.bytes_a_picture = 2 * int(description["regions"]) * encoder.dimension

    def read(self, dialogue: Dialogue, pictures: PictureVectors) -> DialogueQuery | None:  # noqa: ARG002
        """The states after the rounds that describe the picture; the wanted words find the candidates."""
        texts = tuple(one.text for one in dialogue if one.text)
        if not texts:
            return None
        state = self.state(texts)
        return DialogueQuery(None, lambda whole, regions, _: self.scores(state, self._seen(whole, regions)))

    def state(self, texts: tuple[str, ...]) -> State:
        """The state after these queries."""
        if not texts:
            empty = np.zeros((self._states, self._dimension), np.float32)
            return empty, np.zeros(self._states, np.float32)
        with self._lock:
            found = self._known.get(texts)
        if found is None:
            states, filled = self.state(texts[:-1])
            query = self._encoder.encode_texts([texts[-1]])
            made = self._step.run({"query": query, "states": states[None], "filled": filled[None]})
            found = np.asarray(made[0][0], np.float32), np.asarray(made[1][0], np.float32)
            with self._lock:
                self._known[texts] = found
                self.updates += 1
        return found

    def _seen(self, whole: FloatArray, regions: FloatArray) -> FloatArray:
        """What the network sees of pictures: their regions, and the whole as the first where it was trained so."""
        return np.concatenate([whole[:, None], regions], axis=1) if self._whole else regions

    def scores(self, state: State, regions: FloatArray) -> FloatArray:
        """How well pictures ``[n, r, d]`` fit a state, ``[n]``."""
        states, filled = state
        made = [
            self._score.run({"states": states[None], "filled": filled[None], "regions": part})[0][0]
            for start in range(0, len(regions), _AT_ONCE)
            if len(part := np.asarray(regions[start : start + _AT_ONCE], np.float32))
        ]
        return np.concatenate(made).astype(np.float32) if made else np.zeros(0, np.float32)
