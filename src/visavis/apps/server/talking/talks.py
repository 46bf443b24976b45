"""Conversations of users: started, found, listed, renamed, forgotten. Nobody finds those of somebody else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from uuid import uuid4

from sqlalchemy import select

from visavis.apps.server.library.library import Library
from visavis.apps.server.library.opened import Opened
from visavis.apps.server.records.owned import Owned, Ownership
from visavis.apps.server.security.errors import StaleError, TooMuchError
from visavis.assistant.forgetting import forget
from visavis.conversation.conversation import Conversation
from visavis.conversation.memory import Memory, in_utc
from visavis.conversation.tables import ConversationRow
from visavis.errors import BadInputError, NotFoundError, VisavisError

#: Turns that are kept in memory, over all conversations; what is not is read again.
_REMEMBERED = 4000
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Talk:
    """A conversation and what it is about.

    Attributes:
        opened: The collection.
        conversation: The turns so far.
        name: What its owner calls it.
    """

    opened: Opened
    conversation: Conversation
    name: str

    def check_after(self, after: int | None) -> None:
        """Refuse to go on from a turn that is not the last one any more.

        Raises:
            StaleError: The conversation went on since.
        """
        if after is not None and after != len(self.conversation):
            raise StaleError(
                f"The conversation went on elsewhere: it has {len(self.conversation)} turns, not {after}.",
                "Load it again.",
            )


class Talks:
    """Finds the conversations of users.

    Args:
        library: The collections.
        ownership: Whose is whose.
        keys: Whether there are several users; else all conversations are the one user's.
        most: How many conversations one user may have.
    """

    def __init__(self, library: Library, ownership: Ownership, *, keys: bool, most: int) -> None:
        self._library = library
        self._ownership = ownership
        self._keys = keys
        self._most = most
        self._remembered: OrderedDict[str, Conversation] = OrderedDict()
        self._lock = Lock()

    def start(self, owner: str, collection: str, name: str = "") -> Talk:
        """A new conversation; it is the owner's from now on, though the catalogue learns of it with the first turn."""
        opened = self._library.open(collection)
        self.check_room(owner)
        id = uuid4().hex
        self._ownership.add(id, owner, collection, checked_name(name) if name else "")
        return Talk(opened, Conversation(id, id[:8]), name or id[:8])

    def find(self, owner: str, id: str) -> Talk:
        """A conversation of this user.

        Raises:
            NotFoundError: There is none, or it is somebody else's: which of both is not told.
        """
        owned = self._ownership.find(id)
        if owned is not None and owned.owner == owner:
            return self._talk(owned)
        if owned is None and not self._keys:
            return self._made_elsewhere(id)
        raise _unknown(id)

    def shared(self, id: str, collection: str) -> Talk:
        """A conversation that a link leads to.

        Raises:
            NotFoundError: It was forgotten since, on the command line.
        """
        owned = self._ownership.find(id)
        if owned is not None:
            return self._talk(owned)
        opened = self._library.open(collection)
        conversation = self._conversation(opened, id)
        if conversation is None:
            raise _unknown(id)
        return Talk(opened, conversation, conversation.name)

    def adopt(self, owner: str, talk: Talk, name: str = "") -> Talk:
        """Make a conversation that was just written the owner's: a branch."""
        id = talk.conversation.id
        self._ownership.add(id, owner, talk.opened.name, checked_name(name) if name else "")
        return Talk(talk.opened, talk.conversation, name or talk.conversation.name)

    def mine(self, owner: str) -> dict[str, Owned]:
        """What a user owns, by id."""
        return {owned.id: owned for owned in self._ownership.of(owner)}

    def is_mine(self, mine: dict[str, Owned], id: str, others: set[str]) -> bool:
        """Whether a listed conversation is the user's: owned, or, for the only user, owned by nobody."""
        return id in mine or (not self._keys and id not in others)

    def owned_by_others(self, owner: str) -> set[str]:
        """Conversations that are somebody else's; they stay hidden when a server changes to a single user."""
        return set() if self._keys else self._ownership.all_ids() - set(self.mine(owner))

    def rename(self, owner: str, id: str, name: str) -> Talk:
        """Another name."""
        talk = self.find(owner, id)
        name = checked_name(name)
        if self._ownership.find(id) is None:
            self._ownership.add(id, owner, talk.opened.name, name)
        else:
            self._ownership.rename(id, name)
        if not self._keys and len(talk.conversation):
            with suppress(BadInputError):  # the command line calls it so too, unless another has this name there
                Memory(talk.opened.catalogue).rename(talk.conversation, name)
        return Talk(talk.opened, talk.conversation, name)

    def delete(self, owner: str, id: str, *, edits: bool) -> Sequence[str]:
        """Forget a conversation; with ``edits`` also the pictures made in it, whose ids are returned."""
        talk = self.find(owner, id)
        removed: Sequence[str] = ()
        if len(talk.conversation):
            memory = Memory(talk.opened.catalogue)
            collection = talk.opened.collection if edits else talk.opened.bare
            removed = forget(collection, memory, talk.conversation, edits=edits)
        self._ownership.remove(id)
        with self._lock:
            self._remembered.pop(id, None)
        return removed

    def check_room(self, owner: str) -> None:
        """Refuse one more conversation than a user may have.

        Raises:
            TooMuchError: There are too many.
        """
        if self._ownership.count(owner) >= self._most:
            raise TooMuchError(f"You have {self._most} conversations.", "Delete some of them first.")

    # -- reading ---------------------------------------------------------------------------------------

    def _talk(self, owned: Owned) -> Talk:
        opened = self._library.open(owned.collection)
        conversation = self._conversation(opened, owned.id)
        if conversation is None:  # nothing was said yet
            conversation = self._remember(Conversation(owned.id, owned.id[:8]))
        return Talk(opened, conversation, owned.name or conversation.name)

    def _made_elsewhere(self, id: str) -> Talk:
        """A conversation that was begun on the command line."""
        for name in self._library.names():
            with suppress(VisavisError):  # one damaged collection must not hide the conversations about the others
                opened = self._library.open(name)
                conversation = self._conversation(opened, id)
                if conversation is not None:
                    return Talk(opened, conversation, conversation.name)
        raise _unknown(id)

    def _conversation(self, opened: Opened, id: str) -> Conversation | None:
        """The turns so far: from memory where it still holds, else from the catalogue."""
        with opened.catalogue.transaction() as session:
            changed_at = session.scalar(select(ConversationRow.changed_at).where(ConversationRow.id == id))
            with self._lock:
                kept = self._remembered.get(id)
            if kept is not None and kept.changed_at == (changed_at and in_utc(changed_at)):
                return kept
            if changed_at is None:
                return None
        return self._remember(Memory(opened.catalogue).load(id))

    def _remember(self, conversation: Conversation) -> Conversation:
        with self._lock:
            self._remembered[conversation.id] = conversation
            self._remembered.move_to_end(conversation.id)
            while len(self._remembered) > 1 and sum(map(_size, self._remembered.values())) > _REMEMBERED:
                self._remembered.popitem(last=False)
        return conversation


def _size(conversation: Conversation) -> int:
    """What it counts for in memory; one in which nothing was said yet counts too."""
    return max(1, len(conversation))


def checked_name(name: str) -> str:
    """A name fit to be shown.

    Raises:
        BadInputError: It is empty, endless or holds control characters.
    """
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise BadInputError(f"'{name[:40]}' cannot be a name.", f"Use 1 to {_LONGEST_NAME} letters and digits.")
    return name


def _unknown(id: str) -> NotFoundError:
    return NotFoundError(f"There is no conversation '{id}'.", "See your conversations.")
