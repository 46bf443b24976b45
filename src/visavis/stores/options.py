"""Options of a new store and of a connection to a server."""

from __future__ import annotations

from dataclasses import dataclass, field

from visavis.errors import BadInputError
from visavis.stores.base import Precision


@dataclass(frozen=True)
class IndexOptions:
    """Options of the search index. The defaults are measured in docs/benchmarks-store.md.

    Attributes:
        links: Links a point in the graph; more improves recall and takes more memory.
        build_width: How many candidates are compared when a point is linked.
        search_width: How many candidates a query compares.
        oversampling: With quantisation, how many times more candidates are scored again with exact vectors.
    """

    links: int = 16
    build_width: int = 100
    search_width: int = 64
    oversampling: float = 2.0


@dataclass(frozen=True)
class StoreOptions:
    """Options of a new store; an existing one keeps its own.

    Attributes:
        precision: The number format of vectors. ``float16`` halves the space and changes a score by less than 0.001.
        quantised: Search over 8-bit vectors, rescore with the stored ones: less memory, same results.
        index: Options of the search index.
    """

    precision: Precision = "float16"
    quantised: bool = True
    index: IndexOptions = field(default_factory=IndexOptions)


@dataclass(frozen=True)
class ServerOptions:
    """Sharding and replication of a collection on a server, and the client's time-outs.

    Attributes:
        shards: Number of shards; None for one a node.
        replicas: Copies of each shard, on different nodes.
        write_consistency: Copies that must confirm a write.
        timeout: Seconds a request.
        attempts: Attempts of a request with transient failures.
        batch: Points a request.
    """

    shards: int | None = None
    replicas: int = 1
    write_consistency: int = 1
    timeout: float = 30.0
    attempts: int = 6
    batch: int = 128

    def __post_init__(self) -> None:
        for name in ("shards", "replicas", "write_consistency", "timeout", "attempts", "batch"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise BadInputError(f"The store's option {name} must be more than 0, not {value}.")
        if self.write_consistency > self.replicas:
            raise BadInputError(
                f"{self.write_consistency} copies cannot have a write when there are only {self.replicas}.",
                "Choose a write_consistency up to the number of replicas.",
            )
