"""The search of one collection: a text, pictures to resemble and what to avoid as a request for the retriever."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock

from visavis.collections.collection import StoredCollection
from visavis.collections.indexing.stages import DECODED_SIZE
from visavis.collections.words import WordIndex
from visavis.errors import BadInputError, StorageError
from visavis.home import expand_user
from visavis.language.commands import Sort, parse_command
from visavis.pictures.looks import MEASURED, Looks
from visavis.pictures.picture import Picture
from visavis.pictures.reader import open_scaled
from visavis.search.exclusion import Calibration, Exclusion, ProbedSample, probe_vectors
from visavis.search.learned.base import DialogueReader
from visavis.search.learned.registry import LearnedRetriever, make_reader
from visavis.search.request import RankedResults, SearchRequest
from visavis.search.results import NEAR_DUPLICATE, nothing_fits
from visavis.search.retriever import ComposedRetriever
from visavis.search.taken import TakenDays
from visavis.search.vectors import pictures_of
from visavis.stores.filters import Filter
from visavis.types import FloatArray, Reason, Result, Wish

#: A long-lived process checks this often whether others have changed the collection.
_CHECK_EVERY_SECONDS = 60.0
#: Pictures that are prepared at once.
_PREPARED = 256


@dataclass(frozen=True)
class FoundPicture:
    """One picture that was found.

    Attributes:
        picture: What is known of it.
        score: How well it fits; higher is better.
        folded: Ids of near-duplicates that are not shown.
        probability: How likely all that was asked for is true of it.
        match: Whether it belongs to the pictures that match; the others are the nearest.
        because: How it stands to the text and to what is avoided.
    """

    picture: Picture
    score: float
    folded: tuple[str, ...] = ()
    probability: float = 1.0
    match: bool = True
    because: tuple[Reason, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Plain values, for scripts."""
        picture = self.picture
        return {
            "id": picture.id,
            "path": picture.path,
            "score": round(self.score, 6),
            "caption": picture.caption or picture.title,
            "attributes": dict(picture.attributes),
            "paths": list(picture.paths),
            "folded": list(self.folded),
            "probability": self.probability,
            "match": self.match,
        }


@dataclass(frozen=True)
class SearchResults:
    """Everything that a search gives back.

    Attributes:
        results: What matches, best first; then what comes near.
        seconds: How long it took, the encoder's loading not counted.
        confidence: How sure it is that anything fits, 0 to 1; None where nothing was asked in words.
        message: What to tell the person when nothing matches.
        waiting: How many pictures were not looked at, because an upgrade of the collection has not come to them.
        matches: How many pictures of the collection match.
        about: Whether that is an estimate.
    """

    results: list[FoundPicture] = field(default_factory=list)
    seconds: float = 0.0
    confidence: float | None = None
    message: str = ""
    waiting: int = 0
    matches: int = 0
    about: bool = False

    def as_json(self) -> dict[str, object]:
        """Plain values, for scripts."""
        return {
            "results": [result.as_json() for result in self.results],
            "seconds": round(self.seconds, 4),
            "confidence": None if self.confidence is None else round(self.confidence, 4),
            "message": self.message,
            "waiting": self.waiting,
            "matches": self.matches,
            "about": self.about,
        }


class SearchEngine:
    """Searches one collection; safe to use from several threads."""

    def __init__(self, collection: StoredCollection) -> None:
        self._collection = collection
        self._calibration: Calibration | None = None
        self._checked = 0.0
        self._ordinary: tuple[Calibration, ProbedSample | None] | None = None
        self._readers: dict[str, DialogueReader | None] = {}
        self._lock = Lock()
        self._days = TakenDays(collection, lambda: f"{collection.catalogue.meta('run', 0)}:{collection.store.count()}")

    @cached_property
    def retriever(self) -> ComposedRetriever:
        """Ranks the collection by wishes: those of a search, and those of a conversation's brief."""
        return ComposedRetriever(
            self._collection.encoder,
            self._collection.store,
            excluding=self.exclusion,
            probes=lambda: self.probes,
            words=WordIndex(self._collection.catalogue),
            fields=lambda: self._collection.catalogue.meta("fields", {}),
            looks=lambda name, ids: self.looks(name, ids),
        )

    @cached_property
    def looks(self) -> Looks:
        """How bright and how colourful pictures are."""
        return Looks(self._collection.thumbnail, self._collection.place.cache_folder / "looks.json")

    def retriever_named(self, name: str) -> ComposedRetriever:
        """The retriever of a conversation that chose one.

        Raises:
            BadInputError: There is no such retriever.
            NotFoundError: What it needs is not there.
        """
        reader = self._reader(name)
        return self.retriever if reader is None else LearnedRetriever(self.retriever, reader)

    def _reader(self, name: str) -> DialogueReader | None:
        with self._lock:
            if name not in self._readers:
                made = make_reader(name, self._collection.encoder)
                if made is not None:
                    made.use_captions(self._captions)
                    made.keep_in(self._collection.place.folder)
                self._readers[name] = made
            return self._readers[name]

    def prepare(self, name: str, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Compute what a retriever keeps of every picture; conversations do it for those that they come across.

        Args:
            name: The retriever.
            on_progress: Is told how many pictures are done, of how many.

        Returns:
            Of how many pictures something is kept; 0 for a retriever that keeps nothing.
        """
        reader, collection, done, seen = self._reader(name), self._collection, 0, 0
        vectors = pictures_of(collection.store, collection.encoder.dimension)
        for pictures in collection.catalogue.scroll(_PREPARED):
            whole, regions = vectors.both([picture.id for picture in pictures])
            there = [place for place, vector in enumerate(whole) if vector.any()]
            if reader is None or not reader.prepare([pictures[at].id for at in there], whole[there], regions[there]):
                return 0
            done, seen = done + len(there), seen + len(pictures)
            if on_progress:
                on_progress(seen, len(collection))
        return done

    def _captions(self, ids: Sequence[str]) -> list[str]:
        known = self._collection.catalogue.pictures(ids)
        return [known[id].caption or known[id].title if id in known else "" for id in ids]

    # -- what is ordinary here ---------------------------------------------------------------------

    @cached_property
    def probes(self) -> FloatArray:
        """The vectors of general descriptions."""
        return probe_vectors(self._collection.encoder, self._collection.place.cache_folder)

    @property
    def calibration(self) -> Calibration:
        """How scores spread here; measured when they were not yet, or when the collection has changed much."""
        if self._calibration is None or time.monotonic() - self._checked > _CHECK_EVERY_SECONDS:
            return self._calibrate()
        return self._calibration

    def refresh(self) -> None:
        """Measure what is ordinary if the collection has changed much, and take a new sample of it."""
        self._calibrate()
        self.retriever.refresh()
        for reader in list(self._readers.values()):
            if reader is not None:
                reader.refresh()

    def _calibrate(self) -> Calibration:
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
        """Tells which pictures of this collection show any of these."""
        calibration = self.calibration
        if self._ordinary is None or self._ordinary[0] is not calibration:
            self._ordinary = (calibration, ProbedSample.take(self._collection.store, self.probes))
        return Exclusion(avoided, self._collection.encoder, self.probes, calibration, self._ordinary[1])

    # -- searching ---------------------------------------------------------------------------------

    def search(
        self,
        text: str = "",
        k: int = 20,
        *,
        like: Sequence[str | Path] = (),
        avoid: Sequence[str] = (),
        filter: Filter | None = None,
        sort: str = "",
        with_edits: bool = False,
        fold: float | None = NEAR_DUPLICATE,
    ) -> SearchResults:
        """Search as the first message of a conversation would: every argument is a wish, ranked by the retriever.

        Args:
            text: What the picture shows.
            k: How many results at most.
            like: Pictures it resembles: ids, or paths of files that need not be in the collection.
            avoid: What it must not show.
            filter: Conditions on attributes.
            sort: The order of what matches: ``price asc``, ``brightness desc``; empty for what fits best first.
            with_edits: Whether edited pictures are shown too.
            fold: Results closer to an earlier one than this cosine are folded into it; None shows them all.
        """
        if not text and not like:
            raise BadInputError("There is nothing to search for.", "Give a text or a picture.")
        order = self._order(sort) if sort else ()
        passing = self._days.resolved(filter) if filter is not None else None
        models = dict(map(self._model, like))
        _ = self.retriever.judge, self.retriever.texts([text] if text else [])  # measured by the first search
        started = time.perf_counter()
        found, ranked = self._found(
            SearchRequest(
                wishes=(*_wishes(text, tuple(models), avoid), *order),
                k=k,
                without=frozenset(models) | self._collection.catalogue.kin(models) if models else frozenset(),
                conditions=self._conditions(passing, with_edits=with_edits),
                vectors=models,
                fold=fold,
            )
        )
        seconds = time.perf_counter() - started
        matches = ranked.matches or 0
        message = "" if matches else nothing_fits(text, filter, avoid, self._collection.catalogue.attribute_names)
        return SearchResults(found, seconds, ranked.confidence, message, matches=matches, about=ranked.about)

    def _order(self, sort: str) -> tuple[Wish, ...]:
        """The wish for an order.

        Raises:
            BadInputError: It is none, or pictures tell nothing of the kind.
        """
        command = parse_command(f"sort {sort}")
        assert isinstance(command, Sort)
        known = [*(name for name, _ in self._collection.catalogue.attribute_names()), *MEASURED]
        if command.field not in known:
            raise BadInputError(f"Pictures cannot be sorted by '{command.field}'.", f"Sort by {', '.join(known)}.")
        way = "descending" if command.order == "desc" else "ascending"
        return (Wish("1.0", "sort", way, 1, attribute=command.field),)

    def _found(self, request: SearchRequest) -> tuple[list[FoundPicture], RankedResults]:
        """The results that are in the catalogue; one that is not is replaced by the next."""
        while True:
            ranked = self.retriever.retrieve(request)
            pictures = self._collection.catalogue.pictures(ranked.ids)
            gone = {id for id in ranked.ids if id not in pictures or pictures[id].missing}
            if not gone:
                return [_found_picture(result, pictures[result.id]) for result in ranked.results], ranked
            request = replace(request, without=request.without | gone)

    def _model(self, reference: str | Path) -> tuple[str, FloatArray]:
        """The id and the vector of a picture to resemble, which may be a file outside the collection."""
        store = self._collection.store
        path = expand_user(reference)
        if path.is_file():
            opened = open_scaled(path, DECODED_SIZE)
            vector = store.vectors([opened.id]).get(opened.id)
            return opened.id, self._collection.encoder.encode_images([opened.image])[0] if vector is None else vector
        picture = self._collection.picture(str(reference))
        vectors = store.vectors([picture.id])
        if picture.id not in vectors:
            raise BadInputError(
                f"The vectors of the picture {picture.id} are missing.",
                f"Run: visavis collection verify {self._collection.name} --repair",
            )
        return picture.id, vectors[picture.id]

    def _conditions(self, filter: Filter | None, *, with_edits: bool) -> Filter | None:
        return self._collection.catalogue.visible(filter, with_edits=with_edits)


def _wishes(text: str, models: Sequence[str], avoid: Sequence[str]) -> tuple[Wish, ...]:
    """The wishes of a search, as if one message had said them all."""
    wants = [Wish("1.1", "want", text, 1)] if text else []
    likes = [Wish(f"1.{number}", "like", "", 1, picture=id) for number, id in enumerate(models, 2)]
    avoids = [Wish(f"1.{number}", "avoid", what, 1) for number, what in enumerate(avoid, 2 + len(models))]
    return (*wants, *likes, *avoids)


def _found_picture(result: Result, picture: Picture) -> FoundPicture:
    return FoundPicture(picture, result.score, result.folded, result.probability, result.match, result.because)
