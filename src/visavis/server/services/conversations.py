"""Conversations of users: started, found, listed, renamed, deleted; only by their owner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from uuid import uuid4

from cachetools import LRUCache
from sqlalchemy import and_, func, select

from visavis.assistant.edits import delete_conversation
from visavis.collections.catalogue import Catalogue
from visavis.conversation.conversation import Conversation
from visavis.conversation.memory import ConversationRow, Memory, Page, TurnRow, checked_name
from visavis.conversation.turns import Turn
from visavis.database import as_utc, in_utc
from visavis.errors import BadInputError, NotFoundError, VisavisError
from visavis.server.errors import StaleError, TooMuchError
from visavis.server.models.conversations import ListedConversation
from visavis.server.services.accounts import Ownership
from visavis.server.services.collections import CollectionRegistry, OpenCollection

#: Turns in the cache, over all conversations.
_CACHED_TURNS = 4000
#: Shared conversations whose pictures are known.
_CACHED_SHARES = 32
#: Turns in a page of a conversation, unless more are asked for.
PAGE_TURNS = 20
_LONGEST_TITLE = 120
_THUMBS = 3


@dataclass(frozen=True)
class OpenConversation:
    """A conversation with its collection.

    Attributes:
        opened: The collection.
        conversation: The turns so far.
        name: The name that its owner gave it.
    """

    opened: OpenCollection
    conversation: Conversation
    name: str

    def check_after(self, after: int | None) -> None:
        """Refuse to continue from a turn that is not the last one.

        Raises:
            StaleError: The conversation has more turns, or fewer.
        """
        if after is not None and after != len(self.conversation):
            raise StaleError(
                f"The conversation went on elsewhere: it has {len(self.conversation)} turns, not {after}.",
                "Load it again.",
            )


@dataclass(frozen=True)
class ConversationPage:
    """A part of a conversation with its collection.

    Attributes:
        opened: The collection.
        name: The name that its owner gave it.
        page: The part.
    """

    opened: OpenCollection
    name: str
    page: Page


@dataclass(frozen=True)
class _Place:
    """Where a conversation is, and what its owner called it."""

    opened: OpenCollection
    id: str
    name: str = ""


class ConversationService:
    """The conversations of users; a user finds only their own.

    Args:
        collections: The collections.
        ownership: The owners of conversations.
        keys: Whether there are several users; else all conversations belong to the one user.
        most: How many conversations one user may have.
    """

    def __init__(self, collections: CollectionRegistry, ownership: Ownership, *, keys: bool, most: int) -> None:
        self._collections = collections
        self._ownership = ownership
        self._keys = keys
        self._most = most
        self._cache: LRUCache[str, Conversation] = LRUCache(_CACHED_TURNS, _size)
        self._lock = Lock()
        self._shown_pictures: LRUCache[tuple[str, datetime | None], frozenset[str]] = LRUCache(_CACHED_SHARES)
        self._shown_lock = Lock()

    def start(self, owner: str, collection: str, name: str = "") -> OpenConversation:
        """Start a conversation; the server's database has it at once, the catalogue from the first turn on."""
        opened = self._collections.open(collection)
        self.check_count(owner)
        id = uuid4().hex
        self._ownership.add(id, owner, collection, checked_name(name) if name else "")
        return OpenConversation(opened, Memory(opened.catalogue).start(id=id), name or id[:8])

    def find(self, owner: str, id: str) -> OpenConversation:
        """A conversation of this user.

        Raises:
            NotFoundError: There is none, or it belongs to another user; the error is the same.
        """
        return self._open(self._place(owner, id))

    def page(self, owner: str, id: str, before: int | None = None, limit: int = PAGE_TURNS) -> ConversationPage:
        """A part of a conversation of this user; the rest of it is not read.

        Raises:
            NotFoundError: As :meth:`find`.
        """
        return self._page(self._place(owner, id), before, limit)

    def shared_page(self, id: str, collection: str, before: int | None, limit: int) -> ConversationPage:
        """A part of the conversation of a share link.

        Raises:
            NotFoundError: It was deleted since, on the command line.
        """
        return self._page(self._shared_place(id, collection), before, limit)

    def shared_picture(self, id: str, collection: str, picture: str) -> OpenCollection | None:
        """The collection of a picture that a shared conversation shows; None for a picture that it does not show."""
        place = self._shared_place(id, collection)
        return place.opened if picture in self._shown(place) else None

    def each_turn(self, owner: str, id: str) -> tuple[ConversationPage, Iterator[Turn]]:
        """A conversation of this user without its turns, and its turns one after the other."""
        place = self._place(owner, id)
        return self._page(place, 0, 1), Memory(place.opened.catalogue).each_turn(id)

    def adopt(self, owner: str, found: OpenConversation, name: str = "") -> OpenConversation:
        """Give a conversation that was just saved, a branch, to an owner."""
        id = found.conversation.id
        self._ownership.add(id, owner, found.opened.name, checked_name(name) if name else "")
        return OpenConversation(found.opened, found.conversation, name or found.conversation.name)

    def list(self, owner: str, collection: str | None) -> list[ListedConversation]:
        """The user's conversations, the latest first."""
        mine = {owned.id: owned for owned in self._ownership.of(owner)}
        # Conversations of other users stay hidden when a server changes to a single user.
        others = set() if self._keys else self._ownership.all_ids() - set(mine)
        found: dict[str, ListedConversation] = {}
        for name in [collection] if collection else self._collections.names():
            try:
                catalogue = self._collections.open(name).catalogue
                summaries = [
                    one
                    for one in Memory(catalogue).list()
                    if one.id in mine or (not self._keys and one.id not in others)
                ]
                thumbs = _thumbs(catalogue, [one.id for one in summaries])
            except VisavisError:
                if collection:
                    raise
                continue  # one damaged collection must not hide the conversations about the others
            for one in summaries:
                found[one.id] = ListedConversation(
                    id=one.id,
                    name=(mine[one.id].name if one.id in mine else "") or one.name,
                    title=one.title,
                    collection=name,
                    turns=one.turns,
                    changed_at=as_utc(one.changed_at),
                    branch_of=one.branch_of,
                    thumbs=thumbs.get(one.id, []),
                )
        for owned in mine.values():  # those without a turn
            if owned.id not in found and collection in (None, owned.collection):
                found[owned.id] = ListedConversation(
                    id=owned.id,
                    name=owned.name or owned.id[:8],
                    title="",
                    collection=owned.collection,
                    turns=0,
                    changed_at=as_utc(owned.started_at),
                )
        return sorted(found.values(), key=lambda one: one.changed_at, reverse=True)

    def rename(self, owner: str, id: str, name: str) -> OpenConversation:
        """Rename a conversation."""
        found = self.find(owner, id)
        name = checked_name(name)
        if self._ownership.find(id) is None:
            self._ownership.add(id, owner, found.opened.name, name)
        else:
            self._ownership.rename(id, name)
        if not self._keys and len(found.conversation):
            with suppress(BadInputError):  # the command line calls it so too, unless another has this name there
                Memory(found.opened.catalogue).rename(found.conversation, name)
        return OpenConversation(found.opened, found.conversation, name)

    def delete(self, owner: str, id: str, *, edits: bool) -> Sequence[str]:
        """Delete a conversation; with ``edits`` also the pictures made in it, whose ids are returned."""
        found = self.find(owner, id)
        removed: Sequence[str] = ()
        if len(found.conversation):
            memory = Memory(found.opened.catalogue)
            collection = found.opened.collection if edits else found.opened.bare
            removed = delete_conversation(collection, memory, found.conversation, edits=edits)
        self._ownership.remove(id)
        with self._lock:
            self._cache.pop(id, None)
        return removed

    def check_count(self, owner: str) -> None:
        """Refuse one more conversation than a user may have.

        Raises:
            TooMuchError: There are too many.
        """
        if self._ownership.count(owner) >= self._most:
            raise TooMuchError(f"You have {self._most} conversations.", "Delete some of them first.")

    def _place(self, owner: str, id: str) -> _Place:
        """Where the conversation of a user is; the error for that of another user is the same as for none."""
        owned = self._ownership.find(id)
        if owned is not None and owned.owner == owner:
            return _Place(self._collections.open(owned.collection), id, owned.name)
        if owned is None and not self._keys:
            return self._command_line_place(id)
        raise _unknown(id)

    def _shared_place(self, id: str, collection: str) -> _Place:
        owned = self._ownership.find(id)
        if owned is not None:
            return _Place(self._collections.open(owned.collection), id, owned.name)
        place = _Place(self._collections.open(collection), id)
        if _changed_at(place) is None:
            raise _unknown(id)
        return place

    def _command_line_place(self, id: str) -> _Place:
        """Where a conversation is that was started on the command line."""
        for name in self._collections.names():
            with suppress(VisavisError):  # one damaged collection must not hide the conversations about the others
                place = _Place(self._collections.open(name), id)
                if _changed_at(place) is not None:
                    return place
        raise _unknown(id)

    def _open(self, place: _Place) -> OpenConversation:
        conversation = self._conversation(place.opened, place.id)
        if conversation is None:  # it has no turn yet
            conversation = self._cached(Memory(place.opened.catalogue).start(id=place.id))
        return OpenConversation(place.opened, conversation, place.name or conversation.name)

    def _page(self, place: _Place, before: int | None, limit: int) -> ConversationPage:
        found = Memory(place.opened.catalogue).page(place.id, before, limit)
        if found is None:  # it has no turn yet
            found = Page(Conversation(place.id, place.id[:8]), "", 0, ())
        return ConversationPage(place.opened, place.name or found.header.name, found)

    def _shown(self, place: _Place) -> frozenset[str]:
        """Every picture that a conversation shows."""
        key = (place.id, _changed_at(place))
        with self._shown_lock:  # one after the other: a long conversation is read only once, not by each thumbnail
            kept = self._shown_pictures.get(key)
            if kept is None:
                turns = Memory(place.opened.catalogue).each_turn(place.id)
                kept = frozenset(id for turn in turns for id in _pictures(turn))
                self._shown_pictures[key] = kept
            return kept

    def _conversation(self, opened: OpenCollection, id: str) -> Conversation | None:
        """The conversation: from the cache while it is current, else from the catalogue."""
        with opened.catalogue.transaction() as session:
            changed_at = session.scalar(select(ConversationRow.changed_at).where(ConversationRow.id == id))
            with self._lock:
                kept = self._cache.get(id)
            if kept is not None and kept.changed_at == (changed_at and in_utc(changed_at)):
                return self._cached(kept)  # again, because it may have grown
            if changed_at is None:
                return None
        return self._cached(Memory(opened.catalogue).load(id))

    def _cached(self, conversation: Conversation) -> Conversation:
        with self._lock:
            self._cache[conversation.id] = conversation
        return conversation


def last_page(found: OpenConversation) -> ConversationPage:
    """The latest turns of a conversation that is open."""
    talk = found.conversation
    page = Page(talk, talk.title[:_LONGEST_TITLE], len(talk), talk.turns[-PAGE_TURNS:])
    return ConversationPage(found.opened, found.name, page)


def _changed_at(place: _Place) -> datetime | None:
    """When a conversation was changed; None where the catalogue does not have it."""
    with place.opened.catalogue.transaction() as session:
        return session.scalar(select(ConversationRow.changed_at).where(ConversationRow.id == place.id))


def _pictures(turn: Turn) -> Iterator[str]:
    """Every picture that a turn shows."""
    yield from (result.id for result in turn.results)
    yield from (wish.picture for wish in turn.brief if wish.picture)
    if turn.hand is not None:
        yield from (turn.hand.picture, turn.hand.source)


def _size(conversation: Conversation) -> int:
    """The size in the cache: the turns in memory, but at least 1."""
    return max(1, conversation.turns.in_memory)


def _unknown(id: str) -> NotFoundError:
    return NotFoundError(f"There is no conversation '{id}'.", "See your conversations.")


def _thumbs(catalogue: Catalogue, ids: list[str]) -> dict[str, list[str]]:
    """The first pictures that each conversation shows now."""
    last = (
        select(TurnRow.conversation_id, func.max(TurnRow.number).label("number"))
        .where(TurnRow.conversation_id.in_(ids[:500]))
        .group_by(TurnRow.conversation_id)
        .subquery()
    )
    query = select(TurnRow.conversation_id, TurnRow.body).join(
        last, and_(TurnRow.conversation_id == last.c.conversation_id, TurnRow.number == last.c.number)
    )
    with catalogue.transaction() as session:
        return {
            id: [result["id"] for result in body.get("results", ())[:_THUMBS]] for id, body in session.execute(query)
        }
