"""What is known of the collection and of the conversation when a message comes in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from visavis.collections.payload import MOST_FIELDS
from visavis.collections.tables import AttributeRow, EditRow, MetaRow
from visavis.language.commands.listing import TIMES
from visavis.language.context import Attribute, NumberRange
from visavis.language.whereabouts import PLACES
from visavis.pictures.picture import AttributeValue

if TYPE_CHECKING:
    from visavis.api import Collection


#: So many attributes, most frequent first, can be named in messages.
_MOST_ATTRIBUTES = 40
#: An attribute with more values than this is a text (a title, a web address), not a property.
_MOST_VALUES = 300
#: Places are names, which no other word means.
_MOST_PLACES = 20_000
#: So many pictures tell of what kind an attribute is, and between which numbers it lies; ids are hashes, so the first
#: ones in order are a fair sample.
_SAMPLE = 1000


def collection_attributes(collection: Collection) -> Mapping[str, Attribute]:
    """Every attribute that messages may name: its values, or the range of its numbers."""
    found: dict[str, Attribute] = {}
    for name, _count in collection.catalogue.attribute_names()[:_MOST_ATTRIBUTES]:
        if name == "currency":  # part of a price, and the same for all
            continue
        if name in TIMES:  # said in words, so that its values, nearly as many as pictures, are not listened for
            found[name] = ()
            continue
        sample = _sample(collection, name)
        if any(isinstance(value, bool) for value in sample):
            continue
        numbers = [float(value) for value in sample if isinstance(value, int | float)]
        if numbers and len(numbers) == len(sample):
            found[name] = NumberRange(min(numbers), max(numbers))
        elif values := _values(collection, name, _MOST_PLACES if name in PLACES else _MOST_VALUES):
            found[name] = values
    return found


def _sample(collection: Collection, name: str) -> list[Any]:
    with collection.catalogue.transaction() as session:
        query = select(AttributeRow.value).where(AttributeRow.name == name).limit(_SAMPLE)
        return list(session.scalars(query))


def _values(collection: Collection, name: str, most: int) -> tuple[str, ...]:
    values = collection.store.facets(name, limit=most + 1)
    return tuple(str(value) for value, _count in values) if len(values) <= most else ()


#: The number of the last indexing run and of edited pictures; asked in every turn.
_STATE = select(
    select(MetaRow.value).where(MetaRow.key == "run").scalar_subquery(),
    select(func.count()).select_from(EditRow).scalar_subquery(),
)


class CollectionView:
    """The collection as far as a conversation about it depends on it."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._attributes: tuple[str, Mapping[str, Attribute]] | None = None

    def state(self) -> str:
        """A text that changes when the collection does, so that an old ranking may not hold any more.

        Edited pictures do not count: they are made in the middle of conversations and searches leave them out.
        """
        with self._collection.catalogue.transaction() as session:
            run, edited = session.connection().execute(_STATE).one()
        return f"{run or 0}:{self._collection.store.count() - edited}"

    def attributes(self, state: str) -> Mapping[str, Attribute]:
        """The attributes that messages may name."""
        if self._attributes is None or self._attributes[0] != state:
            self._attributes = (state, collection_attributes(self._collection))
        return self._attributes[1]

    def has(self, attribute: str) -> bool:
        """Whether any picture has this attribute; only beyond the indexed ones does it take a look at the pictures."""
        indexed = self._collection.catalogue.meta("fields", {})
        if attribute in indexed or len(indexed) < MOST_FIELDS:
            return attribute in indexed
        with self._collection.catalogue.transaction() as session:
            return session.scalar(select(AttributeRow.name).where(AttributeRow.name == attribute).limit(1)) is not None

    def value_of(self, picture: str, attribute: str) -> AttributeValue | None:
        """The value of a picture's attribute."""
        found = self._collection.catalogue.picture(picture)
        return found.attributes.get(attribute) if found else None
