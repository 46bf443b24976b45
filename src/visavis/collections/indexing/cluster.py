"""Indexing on many machines with Ray.

The driver walks the source and hands out batches of files; a worker reads, decodes and encodes a batch and writes it,
vectors first, to the one store and the one catalogue. A batch may be done twice without harm, because every write is
idempotent: so a batch whose worker died is simply done again by another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from visavis.collections import ledger
from visavis.collections.batches import batches
from visavis.collections.indexing.indexer import Options, count_outcome, mark_gone
from visavis.collections.indexing.lock import index_lock
from visavis.collections.indexing.runs import Source, find_source
from visavis.collections.indexing.sorting import Sorter
from visavis.collections.indexing.work import Outcome, Report, Work
from visavis.collections.indexing.worker import Done, Job, do_job
from visavis.errors import BadInputError, MissingExtraError, VisavisError
from visavis.pictures.thumbnails import save_thumbnail

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: Files in a batch: long enough that handing it out costs nothing, short enough that losing it costs little.
BATCH = 64
#: How often a batch is tried on another worker before its failure counts.
RETRIES = 5
#: Batches under way for each processor of the cluster, so that none waits for the driver.
_AHEAD = 2


def index_on_ray(
    collection: Collection,
    path: Path | str,
    address: str,
    *,
    ignore: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    allow_urls: bool = False,
    options: Options | None = None,
    on_progress: Callable[[Report], None] | None = None,
) -> Report:
    """Index a source with the workers of a Ray cluster.

    Args:
        collection: Its store and catalogue must be servers that every worker reaches, unless all are on one machine.
        path: A folder or file; the workers must see it under the same path.
        address: The cluster: ``auto``, ``local`` or ``ray://host:10001``.
        ignore: As in :meth:`Collection.index`.
        columns: Likewise.
        allow_urls: Likewise.
        options: Likewise.
        on_progress: Called after each batch.
    """
    with index_lock(collection.place.lock_file, collection.name), _Cluster(address) as cluster:
        cluster.check(collection)
        started = time.perf_counter()
        source = find_source(collection.catalogue, Path(path), ignore, columns, allow_urls)
        report = _run(collection, cluster, source, options or Options(), on_progress)
        collection.store.flush()
        collection.searcher.refresh()
        report.seconds = time.perf_counter() - started
    return report


def _run(
    collection: Collection,
    cluster: _Cluster,
    source: Source,
    options: Options,
    on_progress: Callable[[Report], None] | None,
) -> Report:
    report = Report(source.name)
    run = ledger.begin_run(collection.catalogue)

    def note(path: str, outcome: Outcome, *, encoded: bool = False, reason: str = "") -> None:
        count_outcome(report, path, outcome, encoded=encoded, reason=reason)

    sorter = Sorter(collection.catalogue, run, note, retry_failed=options.retry_failed)
    for done in cluster.spread(collection, run, sorter.sort(source.candidates)):
        for id, data in done.thumbnails.items():
            save_thumbnail(collection.place.thumbnails_folder, id, data)
        for path, outcome, encoded, reason in done.files:
            note(path, outcome, encoded=encoded, reason=reason)
        for stage, seconds in done.seconds.items():
            report.stages[stage] = round(report.stages.get(stage, 0.0) + seconds, 3)
        if on_progress:
            on_progress(report)
    if source.gone:
        report.missing = mark_gone(collection.catalogue, collection.store, source.gone(run))
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

    def check(self, collection: Collection) -> None:
        """Workers on other machines cannot reach files in this machine's home folder."""
        machines = {node["NodeManagerAddress"] for node in self.ray.nodes() if node["Alive"]}
        settings = collection.settings
        if len(machines) > 1 and not (settings.store and settings.catalogue):
            raise BadInputError(
                f"The collection '{collection.name}' lives on this machine, but the cluster has {len(machines)}.",
                "Create it with --store qdrant://... and --catalogue postgresql://...",
            )

    def spread(self, collection: Collection, run: int, works: Iterable[Work]) -> Iterator[Done]:
        """Hand out batches, a bounded number at a time, and yield what came of each."""
        task = self.ray.remote(max_retries=RETRIES, retry_exceptions=False)(do_job)
        cpus = int(self.ray.cluster_resources().get("CPU", 1))
        pending: set[Any] = set()
        for batch in batches(works, BATCH):
            if len(pending) >= _AHEAD * cpus:
                yield from self._finished(pending)
            pending.add(task.remote(Job.of(collection, run, batch)))
        while pending:
            yield from self._finished(pending)

    def _finished(self, pending: set[Any]) -> Iterator[Done]:
        ready, _ = self.ray.wait(list(pending), num_returns=1)
        for reference in ready:
            pending.discard(reference)
            try:
                done = self.ray.get(reference)
            except self.ray.exceptions.RayError as error:  # the work failed, or its machine did, time and again
                cause = getattr(error, "cause", None)
                if isinstance(cause, VisavisError):
                    raise cause from error
                raise BadInputError(f"A worker failed: {str(error).strip().splitlines()[-1]}") from error
            yield done
