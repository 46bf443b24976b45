"""What can be chosen about a store when it is made, and how long to wait for one."""

from __future__ import annotations

from dataclasses import dataclass, field

from visavis.errors import BadInputError
from visavis.stores.base import Precision


@dataclass(frozen=True)
class IndexOptions:
    """How the neighbours are found. The defaults are the measured ones of docs/benchmarks-store.md.

    Attributes:
        links: Links a point in the graph; more finds better and takes more memory.
        build_width: How many candidates are looked at when a point is linked.
        search_width: How many candidates a query looks at.
        oversampling: With quantisation, how many times more candidates are scored again with exact vectors.
    """

    links: int = 16
    build_width: int = 100
    search_width: int = 64
    oversampling: float = 2.0


@dataclass(frozen=True)
class StoreOptions:
    """What a new store is made like; an existing one keeps what it was made with.

    Attributes:
        precision: How vectors are kept. ``float16`` halves the space and changes a score by less than 0.001.
        quantised: Search over 8-bit vectors, score again with the kept ones: less memory, same results.
        index: How the neighbours are found.
    """

    precision: Precision = "float16"
    quantised: bool = True
    index: IndexOptions = field(default_factory=IndexOptions)


@dataclass(frozen=True)
class ServerOptions:
    """How a collection on a server is spread, and how patient its client is.

    Attributes:
        shards: Pieces that the points are divided into; None for one a node.
        replicas: Copies of each piece, on different nodes.
        write_consistency: Copies that must have a write before it counts as done.
        timeout: Seconds that one request may take.
        attempts: How often a request that failed for a passing reason is made before giving up.
        batch: Points in one request.
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
