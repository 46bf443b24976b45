"""Indexing on many machines with Ray.

The driver scans the source and distributes batches of files; a worker reads, decodes and encodes a batch and writes it,
vectors first, to the shared store and catalogue. Every write is idempotent, so a batch whose worker died is simply
retried by another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from visavis.collections import ledger
from visavis.collections.indexing.indexer import Options, count_outcome, mark_missing_files
from visavis.collections.indexing.items import IndexItem, IndexReport, IndexSource, Outcome, find_source
from visavis.collections.indexing.stages import EncodeStage, Reader, Sorter, Writer, decode, sync_left
from visavis.collections.places import CollectionSettings, Place, index_lock
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, MissingExtraError, VisavisError
from visavis.pictures.thumbnails import save_thumbnail
from visavis.types import batches

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection


@dataclass(frozen=True)
class ClusterJob:
    """A batch, and the collection to write to.

    Attributes:
        place: The collection's folder; only used for an embedded store, on the same machine.
        settings: The addresses of its catalogue and store.
        encoder: The encoder, when it is not the one in the settings.
        run: The number of the indexing run.
        works: The files.
    """

    place: Place
    settings: CollectionSettings
    encoder: Encoder | None
    run: int
    items: list[IndexItem]

    @classmethod
    def of(cls, collection: StoredCollection, run: int, items: list[IndexItem]) -> ClusterJob:
        """Create a job for a collection."""
        return cls(collection.place, collection.settings, collection.own_encoder, run, items)


@dataclass
class ClusterResult:
    """The result of a batch.

    Attributes:
        files: Path, outcome, whether it was encoded, and the reason of a failure.
        thumbnails: By id; the driver writes them.
        seconds: Time in each stage.
    """

    files: list[tuple[str, Outcome, bool, str]] = field(default_factory=list)
    thumbnails: dict[str, bytes] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def run_job(job: ClusterJob) -> ClusterResult:
    """Read, decode, encode and write a batch; idempotent."""
    collection = _collection(job.place, job.settings, _EncoderKey(job.encoder))
    done = ClusterResult()
    stages: Sequence[tuple[str, Callable[[list[IndexItem]], list[IndexItem]]]] = (
        ("read", Reader(collection.catalogue).read),
        ("decode", decode),
        ("encode", EncodeStage(collection.encoder)),
    )
    items = job.items
    for name, stage in stages:
        started = time.perf_counter()
        items = stage(items)
        done.seconds[name] = time.perf_counter() - started
    started = time.perf_counter()
    writer = Writer(collection.catalogue, collection.store, done.thumbnails.__setitem__, job.run)
    done.files = [
        (work.candidate.path, outcome, work.whole is not None, work.reason) for work, outcome in writer.write(items)
    ]
    done.seconds["store"] = time.perf_counter() - started
    return done


class _EncoderKey:
    """A cache key by the encoder's name, so that a worker opens a collection once and not for every batch."""

    def __init__(self, encoder: Encoder | None) -> None:
        self.encoder = encoder

    def __hash__(self) -> int:
        return hash(self.encoder and self.encoder.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _EncoderKey) and hash(self) == hash(other)


@lru_cache(maxsize=4)
def _collection(place: Place, settings: CollectionSettings, key: _EncoderKey) -> StoredCollection:
    """Open a collection, cached in each worker process."""
    from visavis.collections.collection import StoredCollection

    return StoredCollection(place, settings, encoder=key.encoder)


#: Files in a batch: large enough to hide the scheduling cost, small enough to lose little in a failure.
BATCH = 64
#: How often a batch is retried on another worker before its failure counts.
RETRIES = 5
#: Batches in flight for each processor of the cluster, so that none idles.
_AHEAD = 2


def index_on_ray(
    collection: StoredCollection,
    path: Path | str,
    address: str,
    *,
    ignore: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    allow_urls: bool = False,
    options: Options | None = None,
    on_progress: Callable[[IndexReport], None] | None = None,
) -> IndexReport:
    """Index a source with the workers of a Ray cluster.

    Args:
        collection: Its store and catalogue must be servers that every worker can reach, unless all are on one machine.
        path: A folder or file; the workers need it under the same path.
        address: The cluster: ``auto``, ``local`` or ``ray://host:10001``.
        ignore: As in :meth:`StoredCollection.index`.
        columns: Likewise.
        allow_urls: Likewise.
        options: Likewise.
        on_progress: Called after each batch.
    """
    with index_lock(collection.place.lock_file, collection.name), _Cluster(address) as cluster:
        cluster.check(collection)
        started = time.perf_counter()
        options = options or Options()
        source = find_source(collection.catalogue, Path(path), ignore, columns, allow_urls, options.follow_links)
        report = _run(collection, cluster, source, options, on_progress)
        collection.store.flush()
        collection.refresh()
        report.seconds = time.perf_counter() - started
    return report


def _run(
    collection: StoredCollection,
    cluster: _Cluster,
    source: IndexSource,
    options: Options,
    on_progress: Callable[[IndexReport], None] | None,
) -> IndexReport:
    report = IndexReport(source.name)
    run = ledger.begin_run(collection.catalogue)
    sync_left(collection.catalogue, collection.store)

    def note(path: str, outcome: Outcome, *, encoded: bool = False, reason: str = "") -> None:
        count_outcome(report, path, outcome, encoded=encoded, reason=reason)

    sorter = Sorter(collection.catalogue, run, note, retry_failed=options.retry_failed)
    for done in cluster.submit(collection, run, sorter.sort(source.candidates)):
        for id, data in done.thumbnails.items():
            save_thumbnail(collection.place.thumbnails_folder, id, data)
        for path, outcome, encoded, reason in done.files:
            note(path, outcome, encoded=encoded, reason=reason)
        for stage, seconds in done.seconds.items():
            report.stages[stage] = round(report.stages.get(stage, 0.0) + seconds, 3)
        if on_progress:
            on_progress(report)
    if source.find_missing:
        report.missing = mark_missing_files(collection.catalogue, collection.store, source.find_missing(run))
        ledger.drop_old_failures(collection.catalogue, source.name, run)
    return report


@dataclass
class _Cluster:
    """A connection to Ray that is closed again if it was opened here."""

    address: str
    ray: Any = None
    opened: bool = False

    def __enter__(self) -> Self:
        try:
            import ray
        except ImportError as error:
            raise MissingExtraError("Indexing on many machines", "ray") from error
        self.ray = ray
        if not ray.is_initialized():
            try:
                ray.init(address=self.address, log_to_driver=False, logging_level="ERROR")
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise BadInputError(
                    f"There is no Ray cluster at '{self.address}': {str(error).splitlines()[0]}",
                    "Start one with: ray start --head",
                ) from error
            self.opened = True
        return self

    def __exit__(self, *_: object) -> None:
        if self.opened:
            self.ray.shutdown()

    def check(self, collection: StoredCollection) -> None:
        """Check that workers on other machines do not need files in this machine's home folder."""
        machines = {node["NodeManagerAddress"] for node in self.ray.nodes() if node["Alive"]}
        settings = collection.settings
        if len(machines) > 1 and not (settings.store and settings.catalogue):
            raise BadInputError(
                f"The collection '{collection.name}' lives on this machine, but the cluster has {len(machines)}.",
                "Create it with --store qdrant://... and --catalogue postgresql://...",
            )

    def submit(self, collection: StoredCollection, run: int, items: Iterable[IndexItem]) -> Iterator[ClusterResult]:
        """Submit batches, a bounded number at a time, and yield their results."""
        task = self.ray.remote(max_retries=RETRIES, retry_exceptions=False)(run_job)
        cpus = int(self.ray.cluster_resources().get("CPU", 1))
        pending: set[Any] = set()
        for batch in batches(items, BATCH):
            if len(pending) >= _AHEAD * cpus:
                yield from self._finished(pending)
            pending.add(task.remote(ClusterJob.of(collection, run, batch)))
        while pending:
            yield from self._finished(pending)

    def _finished(self, pending: set[Any]) -> Iterator[ClusterResult]:
        ready, _ = self.ray.wait(list(pending), num_returns=1)
        for reference in ready:
            pending.discard(reference)
            try:
                done = self.ray.get(reference)
            except self.ray.exceptions.RayError as error:  # the job or its machine failed at every retry
                cause = getattr(error, "cause", None)
                if isinstance(cause, VisavisError):
                    raise cause from error
                raise BadInputError(f"A worker failed: {str(error).strip().splitlines()[-1]}") from error
            yield done
