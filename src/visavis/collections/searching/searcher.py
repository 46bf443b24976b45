"""One search, from words to results."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np

from visavis.collections.indexing.reading import DECODED_SIZE
from visavis.collections.payload import EDITED, MISSING, visible
from visavis.collections.searching.calibration import Calibration
from visavis.collections.searching.composing import REGION_WEIGHT, Composed, compose
from visavis.collections.searching.exclusion import Exclusion
from visavis.collections.searching.folding import fold
from visavis.collections.searching.mentions import written
from visavis.collections.searching.names import unknown_fields
from visavis.collections.searching.ordinary import Ordinary
from visavis.collections.searching.probes import probe_vectors
from visavis.collections.searching.relevance import LOOKED_AT, Confidence, confidence
from visavis.collections.searching.request import Result, Search, SearchResults
from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError, StorageError
from visavis.home import in_full
from visavis.pictures.opening import open_scaled
from visavis.pictures.picture import Picture
from visavis.stores.base import Hit, Query
from visavis.stores.filters import All, Filter, HasId, Not

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: Hits fetched for each result asked for, because some will be left out or folded; more when something is avoided.
_SPARE, _SPARE_AVOIDING = 2, 5
#: A long-lived process looks this often whether others have changed the collection.
_CHECK_EVERY_SECONDS = 60.0
#: How much of what was searched for an answer repeats.
_TOLD = 200
#: The second stage looks at this many at least.
_PREFETCH = 200


class Searcher:
    """Searches one collection; may be used from several threads."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._calibration: Calibration | None = None
        self._checked = 0.0
        self._ordinary: tuple[Calibration, Ordinary | None] | None = None

    # -- what is ordinary here ---------------------------------------------------------------------

    @cached_property
    def probes(self) -> FloatArray:
        """The vectors of general descriptions."""
        return probe_vectors(self._collection.encoder, self._collection.place.cache_folder)

    @property
    def calibration(self) -> Calibration:
        """What is ordinary here; measured when it was not yet, or when the collection has changed much."""
        if self._calibration is None or time.monotonic() - self._checked > _CHECK_EVERY_SECONDS:
            return self.refresh()
        return self._calibration

    def refresh(self) -> Calibration:
        """Measure what is ordinary if the collection has changed much; indexing calls it at its end."""
        catalogue, encoder = self._collection.catalogue, self._collection.encoder.fingerprint
        count = len(self._collection)
        kept = Calibration.from_json(catalogue.meta("calibration"))
        if kept is None or kept.is_stale(count, encoder):
            kept = Calibration.measure(self._collection.store, self.probes, count, encoder)
            with contextlib.suppress(StorageError):  # a catalogue that cannot be written: measured again next time
                catalogue.set_meta("calibration", kept.as_json())
        self._calibration, self._checked = kept, time.monotonic()
        return kept

    def exclusion(self, avoided: Sequence[str]) -> Exclusion:
        """What tells which pictures of this collection show any of these."""
        calibration = self.calibration
        if self._ordinary is None or self._ordinary[0] is not calibration:
            self._ordinary = (calibration, Ordinary.take(self._collection.store, self.probes))
        return Exclusion(avoided, self._collection.encoder, self.probes, calibration, self._ordinary[1])

    # -- searching ---------------------------------------------------------------------------------

    def search(self, wanted: Search) -> SearchResults:
        """Do one search."""
        text = self._collection.encoder.encode_texts([wanted.text])[0] if wanted.text.strip() else None
        likes, own = self._likes(wanted)
        if text is None and not len(likes):
            raise BadInputError("There is nothing to search for.", "Give a text or a picture.")
        calibration = self.calibration
        exclusion = self.exclusion(wanted.avoid) if wanted.avoid else None
        started = time.perf_counter()
        composed = compose(text, likes, calibration)
        conditions = self._conditions(wanted, own)
        sure = None
        if wanted.cutoff and text is not None and not len(likes):
            sure = self._confidence(text, conditions)
        results = [] if sure and sure.rejects else self._collect(wanted, composed, conditions, exclusion)
        return SearchResults(
            results,
            time.perf_counter() - started,
            sure.probability if sure else None,
            "" if results else self._nothing(wanted),
        )

    def _nothing(self, wanted: Search) -> str:
        """What to tell the person; a condition that no picture can meet is most often a name spelt otherwise."""
        names = [name for name, _ in self._collection.catalogue.attribute_names()] if wanted.filter else []
        if wanted.filter and (strange := unknown_fields(wanted.filter, names)):
            return strange
        what = f"'{shorten(wanted.text, _TOLD, placeholder=' …')}'" if wanted.text else "this"
        under = " under these conditions" if wanted.filter or wanted.avoid else ""
        return f"Nothing in this collection fits {what} well{under}."

    def _likes(self, wanted: Search) -> tuple[FloatArray, tuple[str, ...]]:
        """The vectors of the pictures to resemble, and the ids of those that are in the collection."""
        vectors, own = [], []
        for reference in wanted.like:
            vector, id = self._like(reference)
            vectors.append(vector)
            own.append(id)
        empty = np.zeros((0, self._collection.encoder.dimension), np.float32)
        return (np.stack(vectors) if vectors else empty), tuple(own)

    def _like(self, reference: str | Path) -> tuple[FloatArray, str]:
        path = in_full(reference)
        if path.is_file():
            opened = open_scaled(path, DECODED_SIZE)
            known = self._collection.store.vectors([opened.id])
            vector = known.get(opened.id)
            return (self._collection.encoder.encode_images([opened.image])[0] if vector is None else vector), opened.id
        picture = self._collection.picture(str(reference))
        vectors = self._collection.store.vectors([picture.id])
        if picture.id not in vectors:
            raise BadInputError(
                f"The vectors of the picture {picture.id} are missing.",
                f"Run: visavis collection verify {self._collection.name} --repair",
            )
        return vectors[picture.id], picture.id

    def _conditions(self, wanted: Search, own: tuple[str, ...]) -> Filter | None:
        missing, edited = self._collection.catalogue.has_hidden()
        hide = [state for state, there in ((MISSING, missing), (EDITED, edited and not wanted.with_edits)) if there]
        filter = visible(wanted.filter, hide=hide)
        if own:
            other = Not(HasId(tuple(sorted({*own, *self._collection.catalogue.kin(own)}))))
            filter = All((filter, other)) if filter else other
        return filter

    def _confidence(self, text: FloatArray, conditions: Filter | None) -> Confidence | None:
        store = self._collection.store
        hits = store.query(Query(text[None], filter=conditions, limit=LOOKED_AT))
        best = store.vectors([hit.id for hit in hits])
        if not best:
            return None
        calibration = self.calibration
        count = calibration.count if conditions is None else store.count(conditions)
        return confidence(text, np.stack(list(best.values())), self.probes, calibration, count)

    def _collect(
        self, wanted: Search, composed: Composed, conditions: Filter | None, exclusion: Exclusion | None
    ) -> list[Result]:
        """Fetch until there are enough results that may be shown, or no more pictures."""
        limit = wanted.k * (_SPARE_AVOIDING if exclusion else _SPARE) + 10
        while True:
            hits = self._collection.store.query(
                Query(
                    composed.vectors,
                    composed.weights,
                    composed.regions,
                    REGION_WEIGHT,
                    conditions,
                    limit,
                    max(_PREFETCH, limit),
                )
            )
            results = self._presentable(hits, wanted, exclusion)
            if len(results) >= wanted.k or len(hits) < limit:
                return results[: wanted.k]
            limit *= 4

    def _presentable(self, hits: list[Hit], wanted: Search, exclusion: Exclusion | None) -> list[Result]:
        """The hits without what is avoided, what is gone, and what looks the same as a better one."""
        store = self._collection.store
        whole = store.vectors([hit.id for hit in hits]) if exclusion or wanted.fold is not None else {}
        if exclusion:
            hits = self._allowed([hit for hit in hits if hit.id in whole], whole, exclusion)
        pictures = self._collection.catalogue.pictures([hit.id for hit in hits])
        hits = [hit for hit in hits if hit.id in pictures and not pictures[hit.id].missing]
        folded = fold(hits, whole, wanted.fold) if wanted.fold is not None else [(hit, ()) for hit in hits]
        return [Result(pictures[hit.id], hit.score, ids) for hit, ids in folded]

    def _allowed(self, hits: list[Hit], whole: dict[str, FloatArray], exclusion: Exclusion) -> list[Hit]:
        """The hits that do not show what is avoided."""
        if not hits:
            return hits
        regions = self._collection.store.vectors([hit.id for hit in hits], "regions")
        pictures = self._collection.catalogue.pictures([hit.id for hit in hits])
        words = [_words(pictures.get(hit.id)) for hit in hits]
        vectors = np.stack([whole[hit.id] for hit in hits]), np.stack([regions[hit.id] for hit in hits])
        shown = exclusion.shown(*vectors, words)
        return [hit for hit, show in zip(hits, shown, strict=True) if not show]


def _words(picture: Picture | None) -> str:
    return written(picture.captions, picture.attributes) if picture else ""
