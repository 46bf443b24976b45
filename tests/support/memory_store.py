"""A store in plain numpy: exact, in memory, easy to read. What other stores are compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visavis.stores.base import Hit, Query, Store, StoredPoint, StoreInfo
from visavis.stores.filters import All, AnyOf, Equals, Filter, HasId, Not, Range, Text
from visavis.stores.filters import Any as AnyOne
from visavis.types import Payload


def passes(point: StoredPoint, condition: Filter | None) -> bool:
    value = point.payload.get(getattr(condition, "field", ""))
    values = value if isinstance(value, list) else [value]
    match condition:
        case None:
            return True
        case Equals(value=wanted):
            return wanted in values
        case AnyOf(values=wanted):
            return any(one in values for one in wanted)
        case Range(above=above, at_least=least, below=below, at_most=most):
            return any(
                isinstance(one, int | float)
                and (above is None or one > above)
                and (least is None or one >= least)
                and (below is None or one < below)
                and (most is None or one <= most)
                for one in values
            )
        case Text(words=words):
            return all(word in str(value).lower().split() for word in words.lower().split())
        case HasId(ids=ids):
            return point.id in ids
        case Not(condition=inner):
            return not passes(point, inner)
        case All(conditions=inner):
            return all(passes(point, one) for one in inner)
        case AnyOne(conditions=inner):
            return any(passes(point, one) for one in inner)
    raise TypeError(condition)


class MemoryStore(Store):
    def __init__(self) -> None:
        self.points: dict[str, StoredPoint] = {}
        self.indexed: dict[str, str] = {}
        self.calls: Counter[str] = Counter()
        self.closed = False

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        self.calls["upsert"] += 1
        self.points |= {point.id: point for point in points}

    def set_payload(self, id: str, payload: Payload) -> None:
        if id in self.points:
            self.points[id] = replace(self.points[id], payload=dict(payload))

    def delete(self, ids: Sequence[str]) -> None:
        for id in ids:
            self.points.pop(id, None)

    def query(self, query: Query) -> list[Hit]:
        weights = query.weights or [1.0] * len(query.vectors)
        hits = []
        for point in self.points.values():
            if passes(point, query.filter):
                score = float(np.dot(weights, query.vectors @ point.whole))
                hits.append(Hit(point.id, score))
        hits.sort(key=lambda hit: (-hit.score, hit.id))
        if query.regions is not None:
            hits = [self._second(hit, query) for hit in hits[: query.prefetch]]
            hits.sort(key=lambda hit: (-hit.score, hit.id))
        return hits[: query.limit]

    def _second(self, hit: Hit, query: Query) -> Hit:
        best = float((query.regions @ self.points[hit.id].regions.T).max(axis=1).mean())
        return Hit(hit.id, (1 - query.region_weight) * hit.score + query.region_weight * best)

    def count(self, filter: Filter | None = None) -> int:
        return sum(passes(point, filter) for point in self.points.values())

    def facets(self, field, filter=None, limit=50) -> list[tuple[str, int]]:
        counts = Counter(str(p.payload[field]) for p in self.points.values() if field in p.payload)
        return counts.most_common(limit)

    def vectors(self, ids, name="whole") -> dict[str, Any]:
        return {id: getattr(self.points[id], name) for id in ids if id in self.points}

    def payloads(self, ids) -> dict[str, dict[str, Any]]:
        return {id: dict(self.points[id].payload) for id in ids if id in self.points}

    def scroll(self, batch: int = 1000) -> Iterator[list[StoredPoint]]:
        ids = sorted(self.points)
        for start in range(0, len(ids), batch):
            yield [self.points[id] for id in ids[start : start + batch] if id in self.points]

    def index_field(self, field, kind) -> None:
        self.indexed[field] = kind

    def fields(self) -> dict[str, Any]:
        return dict(self.indexed)

    def optimize(self) -> None:
        self.calls["optimize"] += 1

    def flush(self) -> None:
        self.calls["flush"] += 1

    def info(self) -> StoreInfo:
        return StoreInfo("memory", "here", 0, len(self.points), 0)

    def close(self) -> None:
        self.closed = True
