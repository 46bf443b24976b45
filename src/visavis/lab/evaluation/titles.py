"""What titles of products add to a ranking of a gallery: the two stages of the live retriever that read words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from visavis.collections.words import index_words
from visavis.search.captions import spoken_for
from visavis.search.plan import Plan, WishWeights
from visavis.search.vectors import PictureVectors
from visavis.search.words import WordMatches, WordSearch, first_held
from visavis.types import FloatArray, Wish

if TYPE_CHECKING:
    from visavis.lab.evaluation.dialogs import Bench

#: As in the live retriever: pictures whose titles are read, and what a name counts against rare words.
_READ, _NAME = 100, 4.0


class TitleIndex:
    """An inverted index of titles."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._holders: dict[str, list[str]] = {}
        for id, title in titles.items():
            for word in index_words(title):
                self._holders.setdefault(word, []).append(id)

    def frequencies(self, words: Sequence[str]) -> Mapping[str, int]:
        """How many pictures have each word; those that none has are left out."""
        return {word: len(self._holders[word]) for word in words if word in self._holders}

    def holding(self, word: str, limit: int) -> list[str]:
        """The pictures that have a word."""
        return self._holders.get(word, [])[:limit]


class _GalleryVectors(PictureVectors):
    """The vectors of a gallery, which is in memory already."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def whole(self, ids: Sequence[str]) -> FloatArray:
        """``[n, d]``."""
        return self._bench.both(ids)[0]


class TitleStages:
    """Reads titles for one gallery as the live retriever reads what is written about pictures."""

    def __init__(self, bench: Bench, weights: WishWeights) -> None:
        ids = bench.gallery.ids
        self._bench, self._weights = bench, weights
        self._titles = dict(zip(ids, bench.captions(ids), strict=True))
        self._search = WordSearch(TitleIndex(self._titles), bench.texts, _GalleryVectors(bench))

    def found(self, wishes: Sequence[Wish]) -> dict[int, WordMatches]:
        """What rare words of the wishes find."""
        return self._search.find(wishes, len(self._titles), self._bench.sample)

    def held(self, found: Mapping[int, WordMatches]) -> list[int]:
        """The places of pictures worth looking at for their words."""
        return [self._bench.gallery.places[id] for id in first_held(found)]

    def change(
        self,
        plan: Plan,
        wishes: Sequence[Wish],
        found: Mapping[int, WordMatches],
        places: np.ndarray,
        scores: FloatArray,
    ) -> FloatArray:
        """What titles add to the scores of some pictures.

        Args:
            plan: The plan of the request.
            wishes: All wishes.
            found: What rare words of them find.
            places: The pictures.
            scores: Their scores so far.
        """
        ids = [self._bench.gallery.ids[place] for place in places]
        order = np.argsort(-scores, kind="stable")[:_READ]
        read = [self._titles[ids[at]] for at in order]
        wanted = [wish for wish in wishes if wish.kind == "want" and wish.active and wish.weight > 0]
        made = np.zeros(len(ids), np.float32)
        if wanted:
            votes = np.mean([wish.weight * spoken_for(wish.text, read) for wish in wanted], axis=0)
            made[:] = min(float(self._weights.written * votes.min()), 0.0)
            made[order] = self._weights.written * votes
        wants = max(1, sum(part.kind == "want" for part in plan.parts))
        shares = [
            sum(one.shares.get(id, 0.0) / wants + _NAME * (id in (one.named or ())) for one in found.values())
            for id in ids
        ]
        return np.asarray(plan.unit * (made + self._weights.rare * np.array(shares, np.float32)), np.float32)
