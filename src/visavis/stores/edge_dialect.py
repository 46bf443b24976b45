"""How the embedded engine spells conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import qdrant_edge as engine

from visavis.stores.edge_values import value_to_edge


class EdgeDialect:
    """See :class:`visavis.stores.filter_translation.Dialect`."""

    def equals(self, key: str, value: str | bool) -> Any:
        """The field has this text or truth value."""
        return engine.FieldCondition(key, match=engine.MatchValue(value_to_edge(value)))

    def any_of(self, key: str, values: Sequence[str]) -> Any:
        """The field has one of these texts."""
        return engine.FieldCondition(key, match=engine.MatchAny([value_to_edge(value) for value in values]))

    def within(self, key: str, gt: float | None, gte: float | None, lt: float | None, lte: float | None) -> Any:
        """The field is a number within these bounds."""
        return engine.FieldCondition(key, range=engine.RangeFloat(gt=gt, gte=gte, lt=lt, lte=lte))

    def word(self, key: str, word: str) -> Any:
        """The field contains this word."""
        return engine.FieldCondition(key, match=engine.MatchText(word))

    def has_id(self, ids: Sequence[str]) -> Any:
        """The point is one of these."""
        return engine.HasIdCondition({UUID(hex=id) for id in ids})

    def group(self, must: Sequence[Any] = (), should: Sequence[Any] = (), must_not: Sequence[Any] = ()) -> Any:
        """Conditions together."""
        return engine.Filter(must=list(must) or None, should=list(should) or None, must_not=list(must_not) or None)
