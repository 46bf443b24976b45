"""MAI at run time: tokens of the pictures that were spoken of, pruned from turn to turn, and the request.

The target-side vector of a picture is made of its whole vector, its regions and its caption when it is first
scored, and kept in a file of the collection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from visavis.conversation.history import Dialogue, Round
from visavis.encoders.base import TOKENIZER, WORDS, Encoder
from visavis.encoders.builtin import ThreadPool, Tower, token_encoder
from visavis.encoders.inputs import TextReader, WordTable, read_word_table
from visavis.files import sha256_of
from visavis.search.learned.base import Captions, DialogueQuery, DialogueReader, PictureVectors, read_weights_file
from visavis.search.learned.kept import KeptVectors, rounded
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
#: Candidates whose vectors stay in memory, each 1 kB; and dialogues whose tokens do, each 32 kB.
_REMEMBERED, _DIALOGUES = 20_000, 256
#: Candidates that are read at once.
_AT_ONCE = 16
#: Pictures that a request combines at most.
_COMBINED = 2
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


@dataclass(frozen=True)
class Held:
    """What is known after a round.

    Attributes:
        tokens: The tokens that are kept, ``[s, d]``.
        places: The place (from 1) of the picture that each is of.
        seen: The places of all pictures that were spoken of, by id; the id of no picture is empty.
        whole: The vector of the round's reference, ``[d]``.
    """

    tokens: FloatArray
    places: NDArray[np.int64]
    seen: Mapping[str, int]
    whole: FloatArray


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
    """One update for each new round; what earlier rounds left is remembered by the pictures that they spoke of."""

    name = "mai"

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        description = read_weights_file(folder / DESCRIPTION)
        self._tokens, self._regions = int(description["tokens"]), int(description["regions"])
        self._width = int(description["width"])
        self._encoder = token_encoder(encoder, self.name)
        self._gather = Tower(folder / GATHER)
        self._compose = Tower(folder / COMPOSE)
        self._pool = ThreadPool()
        self._captions: Captions = lambda ids: [""] * len(ids)
        self._known: LRUCache[str | bytes, FloatArray] = LRUCache(_REMEMBERED)
        self._states: LRUCache[tuple[tuple[str, ...], ...], Held] = LRUCache(_DIALOGUES)
        self._lock = Lock()
        self._made_by = f"{encoder.fingerprint} {sha256_of(folder / GATHER)}"
        self._kept: KeptVectors | None = None
        self.updates = 0
        self.bytes_a_picture = 2 * (2 + self._regions) * encoder.dimension

    def use_captions(self, captions: Captions) -> None:
        """Read captions of references and of candidates from here."""
        self._captions = captions

    def keep_in(self, folder: Path) -> None:
        """Keep the vectors that candidates are scored by in a file of this folder."""
        self._kept = KeptVectors(folder, self.name, self._made_by)

    def refresh(self) -> None:
        """Read captions anew; what is kept says which caption it was made with."""
        with self._lock:
            self._known.clear()
            self._states.clear()

    def prepare(self, ids: Sequence[str], whole: FloatArray, regions: FloatArray) -> bool:
        """Compute the vectors that pictures are scored by, as far as they are not kept."""
        if ids:
            self.targets(whole, regions, ids)
        return True

    def read(self, dialogue: Dialogue, pictures: PictureVectors) -> DialogueQuery | None:
        """The query after the rounds that say something of the picture."""
        rounds = [one for one in dialogue if one.text or one.kept]
        if not rounds:
            return None
        vector = self.vector(rounds, pictures)
        return DialogueQuery(vector, lambda whole, regions, ids: self.targets(whole, regions, ids) @ vector)

    def vector(self, rounds: Sequence[Round], pictures: PictureVectors) -> FloatArray:
        """The reference-side vector after rounds, ``[d]``.

        In a session of the paper each request is about a picture that the person chose, and replaces what was said
        before. Here wishes add up, and what is shown was not chosen: the request is all that still counts, and the
        reference the last picture that was pointed at, if any was.
        """
        spoken = tuple(ids for ids in map(references_of, rounds) if ids) or (("",),)
        seen = self.held(spoken, pictures).seen
        return self.query(spoken, ", ".join(filter(None, (request_of(one, seen) for one in rounds))), pictures)

    def query(self, spoken: tuple[tuple[str, ...], ...], request: str, pictures: PictureVectors) -> FloatArray:
        """The reference-side vector of a request, ``[d]``.

        Args:
            spoken: The pictures of each turn, the reference of each first; the last turn is that of the request.
            request: What it says.
            pictures: Gives the vectors of pictures.
        """
        held = self.held(spoken, pictures)
        named = [held.seen[id] for id in spoken[-1]]
        said, tokens = self._encoder.encode_long(request, REQUEST_TOKENS)
        roles = np.full(len(held.places), HISTORY, np.int64)
        for at in range(len(named) - 1, -1, -1):
            roles[held.places == named[at]] = REFERENCE if at == 0 else COMBINED
        feeds = {
            "tokens": held.tokens[None],
            "places": np.minimum(held.places, _PLACES - 1)[None],
            "roles": roles[None],
            "request": tokens[None],
            "said": said[None],
            "whole_reference": held.whole[None],
        }
        return np.asarray(self._compose.run(feeds)[0][0], np.float32)

    def held(self, spoken: tuple[tuple[str, ...], ...], pictures: PictureVectors) -> Held:
        """What is known after rounds that spoke of these pictures, the reference of each first."""
        with self._lock:
            found = self._states.get(spoken)
        if found is None:
            before = self.held(spoken[:-1], pictures) if len(spoken) > 1 else None
            found = self._updated(before, spoken[-1], len(spoken), pictures)
            with self._lock:
                self._states[spoken] = found
                self.updates += 1
        return found

    def _updated(self, before: Held | None, ids: tuple[str, ...], place: int, pictures: PictureVectors) -> Held:
        seen = dict(before.seen) if before else {}
        for id in ids:
            seen.setdefault(id, place)
        whole, regions = self._vectors(ids, pictures)
        made = np.asarray(self._gather.run(self._feeds(whole, regions, self._captions_of(ids)))[0], np.float32)
        tokens = made.reshape(-1, made.shape[-1])
        places = np.repeat(np.array([seen[id] for id in ids], np.int64), self._tokens)
        if before is not None:
            tokens, places = np.concatenate([before.tokens, tokens]), np.concatenate([before.places, places])
        kept = kept_places(tokens, self._tokens)
        return Held(tokens[kept], places[kept], seen, whole[0])

    def _captions_of(self, ids: Sequence[str]) -> list[str]:
        """Captions of pictures; no picture has none."""
        there = [id for id in ids if id]
        known = dict(zip(there, self._captions(there), strict=True)) if there else {}
        return [known.get(id, "") for id in ids]

    def _vectors(self, ids: Sequence[str], pictures: PictureVectors) -> tuple[FloatArray, FloatArray]:
        """Vectors of pictures; zeros stand for no picture."""
        d, there = self._encoder.dimension, [place for place, id in enumerate(ids) if id]
        whole = np.zeros((len(ids), d), np.float32)
        regions = np.zeros((len(ids), self._regions, d), np.float32)
        if there:
            found, parts = pictures([ids[place] for place in there])
            whole[there] = found
            regions[there] = self._all_regions(found, parts)
        return whole, regions

    def _all_regions(self, whole: FloatArray, regions: FloatArray) -> FloatArray:
        """A picture without regions of its own is its own only region."""
        if regions.shape[1] == self._regions:
            return regions
        return np.repeat(whole[:, None], self._regions, axis=1)

    def targets(self, whole: FloatArray, regions: FloatArray, ids: Sequence[str] = ()) -> FloatArray:
        """The vectors that candidates are scored by, ``[n, d]``; captions are read where ids are known."""
        keys: list[str | bytes] = list(ids) or [row.tobytes() for row in np.ascontiguousarray(whole, np.float32)]
        with self._lock:
            known = {key: self._known[key] for key in keys if key in self._known}
        new = [place for place, key in enumerate(keys) if key not in known]
        captions = self._captions_of([ids[place] for place in new]) if ids else [""] * len(new)
        texts = dict(zip(new, captions, strict=True))
        if self._kept is not None and ids and new:
            known.update(self._kept.read({ids[place]: text for place, text in texts.items()}).items())
        made = self._made({place: text for place, text in texts.items() if keys[place] not in known}, whole, regions)
        known |= {keys[place]: vector for place, vector in made.items()}
        if self._kept is not None and ids:
            own = {ids[place]: vector for place, vector in made.items()}
            self._kept.write(own, {ids[place]: texts[place] for place in made})
        with self._lock:
            for place in new:
                self._known[keys[place]] = known[keys[place]]
        return np.stack([known[key] for key in keys]) if keys else np.zeros_like(whole)

    def _made(self, texts: Mapping[int, str], whole: FloatArray, regions: FloatArray) -> dict[int, FloatArray]:
        """Target-side vectors by their places, for these captions."""
        places = list(texts)
        parts = [places[start : start + _AT_ONCE] for start in range(0, len(places), _AT_ONCE)]

        def vectors(own: list[int]) -> FloatArray:
            regions_of = self._all_regions(whole[own], regions[own])
            feeds = self._feeds(whole[own], regions_of, [texts[place] for place in own])
            return rounded(np.asarray(self._gather.run(feeds)[1], np.float32))

        return {
            place: vector
            for own, made in zip(parts, self._pool.each(vectors, parts), strict=True)
            for place, vector in zip(own, made, strict=True)
        }

    def _feeds(self, whole: FloatArray, regions: FloatArray, captions: Sequence[str]) -> dict[str, FloatArray]:
        read = self._text_reader.read([text for text in captions if text])
        rows = iter(read)
        longest = max((row.shape[1] for row in read), default=1)
        words = np.zeros((len(captions), longest, self._width), np.float32)
        mask = np.zeros((len(captions), longest), np.float32)
        for place, text in enumerate(captions):
            if text:
                row = next(rows)[0]
                words[place, : len(row)], mask[place, : len(row)] = self._words.vectors(row), 1.0
        return {
            "whole": np.asarray(whole, np.float32),
            "regions": np.asarray(regions, np.float32),
            "caption": words,
            "mask": mask,
        }

    @cached_property
    def _text_reader(self) -> TextReader:
        return TextReader(self._encoder.description.file(TOKENIZER), CAPTION_TOKENS)

    @cached_property
    def _words(self) -> WordTable:
        return read_word_table(self._encoder.description.file(WORDS))


def references_of(one: Round) -> tuple[str, ...]:
    """The pictures that a round points at, the reference first: pictures of which something should stay come last."""
    kept = [id for _, id in one.kept]
    return tuple(dict.fromkeys((*(id for id in one.pointed if id not in kept), *kept)))[: 1 + _COMBINED]


def request_of(one: Round, seen: Mapping[str, int]) -> str:
    """What a round asks for, in the words of the sessions that the network was trained on.

    >>> request_of(Round(2, "longer sleeves", kept=(("colour", "a"),)), {"": 1, "a": 2})
    'longer sleeves, keep the colour of the second'
    """
    keeps = [
        f"keep the {attribute or 'look'} of the {_ORDINALS[min(seen[id], len(_ORDINALS)) - 1]}"
        for attribute, id in one.kept
        if id in seen
    ]
    return ", ".join(part for part in (one.text, *keeps) if part)
