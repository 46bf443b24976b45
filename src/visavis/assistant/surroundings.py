"""What is known of the collection during a conversation, looked up once and again only when it has changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from visavis.assistant.attributes import collection_attributes
from visavis.collections.fields import MOST_FIELDS
from visavis.collections.tables import AttributeRow, EditRow, MetaRow
from visavis.conversation.conversation import Conversation
from visavis.language.context import Attribute, Concept, Context
from visavis.pictures.picture import AttributeValue

if TYPE_CHECKING:
    from visavis.collections.collection import Collection


#: The number of the last indexing run and of edited pictures; asked in every turn.
_STATE = select(
    select(MetaRow.value).where(MetaRow.key == "run").scalar_subquery(),
    select(func.count()).select_from(EditRow).scalar_subquery(),
)


class Surroundings:
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

    def context(
        self, conversation: Conversation, state: str, columns: int, concepts: tuple[Concept, ...] = ()
    ) -> Context:
        """What a parser knows beside the message."""
        last = conversation.last
        return Context(
            turns=len(conversation),
            shown=len(last.results),
            columns=columns,
            picture=last.hand is not None,
            topic=last.brief.topic,
            question=last.question,
            attributes=self.attributes(state),
            edits=last.hand.commands if last.hand else (),
            concepts=concepts,
            recent=_made_by_last(conversation),
        )


def _made_by_last(conversation: Conversation) -> int:
    """How many edits of the picture in hand an undo would take back; 0 where it would change anything beside them."""
    hand = conversation.last.hand
    if hand is None or not hand.edits or conversation.last.stands_at == 0:
        return 0
    before = conversation.undone().hand
    kept = before.edits if before and before.source == hand.source else None
    return len(hand.edits) - len(kept) if kept is not None and hand.edits[: len(kept)] == kept else 0
