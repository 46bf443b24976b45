"""How a Qdrant server spells conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from qdrant_client import models


class ServerDialect:
    """See :class:`visavis.stores.filter_translation.Dialect`."""

    def equals(self, key: str, value: str | bool) -> Any:
        """The field has this text or truth value."""
        return models.FieldCondition(key=key, match=models.MatchValue(value=value))

    def any_of(self, key: str, values: Sequence[str]) -> Any:
        """The field has one of these texts."""
        return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))

    def within(self, key: str, gt: float | None, gte: float | None, lt: float | None, lte: float | None) -> Any:
        """The field is a number within these bounds."""
        return models.FieldCondition(key=key, range=models.Range(gt=gt, gte=gte, lt=lt, lte=lte))

    def word(self, key: str, word: str) -> Any:
        """The field contains this word."""
        return models.FieldCondition(key=key, match=models.MatchText(text=word))

    def has_id(self, ids: Sequence[str]) -> Any:
        """The point is one of these."""
        return models.HasIdCondition(has_id=[str(UUID(hex=id)) for id in ids])

    def group(self, must: Sequence[Any] = (), should: Sequence[Any] = (), must_not: Sequence[Any] = ()) -> Any:
        """Conditions together."""
        return models.Filter(must=list(must) or None, should=list(should) or None, must_not=list(must_not) or None)
