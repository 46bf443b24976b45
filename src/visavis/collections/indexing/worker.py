"""What one worker of a cluster does with a batch of files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from visavis.collections.indexing.encoding import EncodeStage
from visavis.collections.indexing.reading import Reader, decode
from visavis.collections.indexing.work import Outcome, Work
from visavis.collections.indexing.writing import Writer
from visavis.collections.places import Place, Settings
from visavis.encoders.base import Encoder

if TYPE_CHECKING:
    from visavis.collections.collection import Collection


@dataclass(frozen=True)
class Job:
    """A batch, and where what comes of it is written.

    Attributes:
        place: The collection's folder; only used for an embedded store, on the same machine.
        settings: Where its rows and vectors are.
        encoder: The encoder, when it is not one that the settings name.
        run: The number of the indexing run.
        works: The files.
    """

    place: Place
    settings: Settings
    encoder: Encoder | None
    run: int
    works: list[Work]

    @classmethod
    def of(cls, collection: Collection, run: int, works: list[Work]) -> Job:
        """A job for a collection."""
        return cls(collection.place, collection.settings, collection.own_encoder, run, works)


@dataclass
class Done:
    """What came of a batch.

    Attributes:
        files: Path, outcome, whether it was encoded, and the reason of a failure.
        thumbnails: Small copies, by id; the driver keeps them.
        seconds: Work in each stage.
    """

    files: list[tuple[str, Outcome, bool, str]] = field(default_factory=list)
    thumbnails: dict[str, bytes] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def do_job(job: Job) -> Done:
    """Read, decode, encode and write a batch; doing it twice is the same as once."""
    collection = _collection(job.place, job.settings, _Same(job.encoder))
    done = Done()
    stages: Sequence[tuple[str, Callable[[list[Work]], list[Work]]]] = (
        ("read", Reader(collection.catalogue).read),
        ("decode", decode),
        ("encode", EncodeStage(collection.encoder)),
    )
    works = job.works
    for name, stage in stages:
        started = time.perf_counter()
        works = stage(works)
        done.seconds[name] = time.perf_counter() - started
    started = time.perf_counter()
    writer = Writer(collection.catalogue, collection.store, done.thumbnails.__setitem__, job.run)
    done.files = [
        (work.candidate.path, outcome, work.whole is not None, work.reason) for work, outcome in writer.write(works)
    ]
    done.seconds["store"] = time.perf_counter() - started
    return done


class _Same:
    """Encoders of one kind count as one, so that a worker opens a collection once and not for every batch."""

    def __init__(self, encoder: Encoder | None) -> None:
        self.encoder = encoder

    def __hash__(self) -> int:
        return hash(self.encoder and self.encoder.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and hash(self) == hash(other)


@lru_cache(maxsize=4)
def _collection(place: Place, settings: Settings, same: _Same) -> Collection:
    """Opened once in each worker process, and kept."""
    from visavis.collections.collection import Collection

    return Collection(place, settings, encoder=same.encoder)
