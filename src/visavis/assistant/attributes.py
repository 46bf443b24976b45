"""The collection's own attributes, as words in messages are grounded in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from visavis.collections.tables import AttributeRow
from visavis.language.context import Attribute, NumberRange

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: Attributes beyond these many, most frequent first, are not listened for.
_MOST_ATTRIBUTES = 40
#: An attribute with more values than this is a text (a title, a web address), not a property.
_MOST_VALUES = 300
#: So many pictures tell of what kind an attribute is, and between which numbers it lies; ids are hashes, so the first
#: ones in order are a fair sample.
_SAMPLE = 1000


def collection_attributes(collection: Collection) -> Mapping[str, Attribute]:
    """Every attribute that messages may name: its values, or the range of its numbers."""
    found: dict[str, Attribute] = {}
    for name, _count in collection.catalogue.attribute_names()[:_MOST_ATTRIBUTES]:
        sample = _sample(collection, name)
        if any(isinstance(value, bool) for value in sample):
            continue
        numbers = [float(value) for value in sample if isinstance(value, int | float)]
        if numbers and len(numbers) == len(sample):
            found[name] = NumberRange(min(numbers), max(numbers))
        elif values := _values(collection, name):
            found[name] = values
    return found


def _sample(collection: Collection, name: str) -> list[Any]:
    with collection.catalogue.transaction() as session:
        query = select(AttributeRow.value).where(AttributeRow.name == name).limit(_SAMPLE)
        return list(session.scalars(query))


def _values(collection: Collection, name: str) -> tuple[str, ...]:
    values = collection.store.facets(name, limit=_MOST_VALUES + 1)
    return tuple(str(value) for value, _count in values) if len(values) <= _MOST_VALUES else ()
