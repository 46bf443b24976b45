"""MAI at run time: tokens of the pictures that were spoken of, pruned from turn to turn, and the request.

The target-side vector of a candidate is made of its whole vector, its regions and its caption when it is first
scored, and remembered: a collection stores nothing more for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from visavis.conversation.dialogue import Dialogue, Round
from visavis.encoders.base import Encoder
from visavis.encoders.builtin import BuiltinEncoder
from visavis.encoders.tower import Crew, Tower
from visavis.errors import BadInputError
from visavis.search.learned.base import DialogueQuery, DialogueReader, PictureVectors
from visavis.search.learned.weights_file import read_weights_file
from visavis.types import FloatArray

DESCRIPTION, GATHER, COMPOSE = "mai.json", "mai-gather.onnx", "mai-compose.onnx"
#: What is read of a caption and of a request at most, in tokens.
CAPTION_TOKENS, REQUEST_TOKENS = 24, 64
#: What a token is to a request.
HISTORY, REFERENCE, COMBINED = 0, 1, 2
#: Places of pictures that the network tells apart.
_PLACES = 8
#: Neighbours of a token's density.
_NEIGHBOURS = 5
#: Candidates whose vectors are remembered; each is 1 kB.
_REMEMBERED = 20_000
#: Candidates that are read at once.
_AT_ONCE = 16
#: Pictures that a request combines at most.
_COMBINED = 2


@dataclass(frozen=True)
class Held:
    """Tokens ``[s, d]`` that are kept, and the place (from 1) of the picture that each is of."""

    tokens: FloatArray
    places: NDArray[np.int64]


def kept_places(tokens: FloatArray, keep: int) -> NDArray[np.int64]:
    """The places of the tokens that stay: density peaks over nearest neighbours, as in training."""
    size, dimension = tokens.shape
    if size <= keep:
        return np.arange(size)
    lengths = np.square(tokens).sum(axis=1)
    squared = np.maximum(lengths[:, None] + lengths[None] - 2 * tokens @ tokens.T, 0) / dimension
    others = squared + np.where(np.eye(size, dtype=bool), np.inf, 0.0)
    density = np.exp(-np.sort(others, axis=1)[:, :_NEIGHBOURS].mean(axis=1))
    earlier = np.tril(np.ones((size, size), bool), -1)
    higher = (density[None] > density[:, None]) | ((density[None] == density[:, None]) & earlier)
    distances = np.sqrt(squared)
    above = np.where(higher, distances, np.inf).min(axis=1)
    distance = np.where(np.isfinite(above), above, distances.max(axis=1))
    return np.sort(np.argsort(-density * distance, kind="stable")[:keep])


class MaiReader(DialogueReader):
    """One update for each new round; what earlier rounds left is remembered by what was said and shown."""

    name = "mai"

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        if not isinstance(encoder, BuiltinEncoder):
            raise BadInputError("The retriever 'mai' reads token vectors.", "Use the built-in encoder.")
        description = read_weights_file(folder / DESCRIPTION)
        self._tokens, self._regions = int(description["tokens"]), int(description["regions"])
        self._width = int(description["width"])
        self._encoder = encoder
        self._gather = Tower(folder / GATHER)
        self._compose = Tower(folder / COMPOSE)
        self._crew = Crew()
        self._known: LRUCache[bytes, FloatArray] = LRUCache(_REMEMBERED)
        self._lock = Lock()
        self.bytes_a_picture = 2 * (1 + self._regions) * encoder.dimension

    def read(self, dialogue: Dialogue, pictures: PictureVectors) -> DialogueQuery | None:
        """The query after the rounds that say something of the picture."""
        rounds = [one for one in dialogue if request_of(one)]
        if not rounds:
            return None
        vector = self.vector(rounds, pictures)
        return DialogueQuery(vector, lambda whole, regions: self.targets(whole, regions) @ vector)

    def vector(self, rounds: Sequence[Round], pictures: PictureVectors) -> FloatArray:
        """The reference-side vector of the last round, ``[d]``."""
        held: Held | None = None
        main = np.zeros(self._encoder.dimension, np.float32)
        named: list[int] = []
        seen: dict[str, int] = {}
        for place, one in enumerate(rounds, start=1):
            ids = references_of(one)
            for id in ids or [""]:
                seen.setdefault(id, place)
            named = [seen[id] for id in ids or [""]]
            whole, regions = self._pictures(ids, pictures)
            main = whole[0]
            tokens = self._tokens_of(whole, regions)
            places = np.repeat(np.array(named, np.int64), self._tokens)
            fresh = Held(tokens.reshape(-1, tokens.shape[-1]), places)
            if held is not None:
                fresh = Held(np.concatenate([held.tokens, fresh.tokens]), np.concatenate([held.places, fresh.places]))
            kept = kept_places(fresh.tokens, self._tokens)
            held = Held(fresh.tokens[kept], fresh.places[kept])
        assert held is not None
        return self._query(held, named, request_of(rounds[-1]), main)

    def _pictures(self, ids: Sequence[str], pictures: PictureVectors) -> tuple[FloatArray, FloatArray]:
        """Vectors of pictures; zeros stand for no picture."""
        d = self._encoder.dimension
        if not ids:
            return np.zeros((1, d), np.float32), np.zeros((1, self._regions, d), np.float32)
        return pictures(ids)

    def _tokens_of(self, whole: FloatArray, regions: FloatArray) -> FloatArray:
        return np.asarray(self._gather.run(self._feeds(whole, regions))[0], np.float32)

    def targets(self, whole: FloatArray, regions: FloatArray) -> FloatArray:
        """The vectors that candidates are scored by, ``[n, d]``."""
        keys = [row.tobytes() for row in np.ascontiguousarray(whole, np.float32)]
        with self._lock:
            known = {key: self._known[key] for key in keys if key in self._known}
        new = [place for place, key in enumerate(keys) if key not in known]
        parts = [new[start : start + _AT_ONCE] for start in range(0, len(new), _AT_ONCE)]
        made = self._crew.each(lambda part: self._gather.run(self._feeds(whole[part], regions[part]))[1], parts)
        for part, vectors in zip(parts, made, strict=True):
            known |= {keys[place]: vector for place, vector in zip(part, vectors, strict=True)}
        with self._lock:
            for place in new:
                self._known[keys[place]] = known[keys[place]]
        return np.stack([known[key] for key in keys]) if keys else np.zeros_like(whole)

    def _feeds(self, whole: FloatArray, regions: FloatArray) -> dict[str, FloatArray]:
        number = len(whole)
        if regions.shape[1] != self._regions:  # a picture that is its own only region
            regions = np.repeat(whole[:, None], self._regions, axis=1)
        return {
            "whole": np.asarray(whole, np.float32),
            "regions": np.asarray(regions, np.float32),
            "caption": np.zeros((number, 1, self._width), np.float32),
            "mask": np.zeros((number, 1), np.float32),
        }

    def _query(self, held: Held, named: Sequence[int], text: str, whole: FloatArray) -> FloatArray:
        said, tokens = self._encoder.encode_long(text, REQUEST_TOKENS)
        roles = np.full(len(held.places), HISTORY, np.int64)
        for at in range(len(named) - 1, -1, -1):
            roles[held.places == named[at]] = REFERENCE if at == 0 else COMBINED
        feeds = {
            "tokens": held.tokens[None],
            "places": np.minimum(held.places, _PLACES - 1)[None],
            "roles": roles[None],
            "request": tokens[None],
            "said": said[None],
            "whole_reference": whole[None],
        }
        return np.asarray(self._compose.run(feeds)[0][0], np.float32)


def request_of(one: Round) -> str:
    """What a round asks for, in words."""
    return one.text


def references_of(one: Round) -> list[str]:
    """The pictures that a round speaks of, the reference first: what it points at, or the best of what was shown."""
    shown = list(one.shown[:1])
    if one.pointed:
        return list(dict.fromkeys(one.pointed))[: 1 + _COMBINED]
    return shown
