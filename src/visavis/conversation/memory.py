"""Conversations in SQL: each turn is saved before it is shown, so that a killed process loses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, ForeignKey, String, Text, bindparam, delete, func, insert, literal, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from visavis.collections.catalogue import Catalogue
from visavis.collections.database import CatalogueBase
from visavis.conversation.conversation import Conversation, TurnLog
from visavis.conversation.turns import Turn
from visavis.database import CheckedJson, Moment, in_utc, now
from visavis.errors import BadInputError, BusyError, NotFoundError, StorageError

ID_LENGTH = 32


class ConversationRow(CatalogueBase):
    """One conversation. ``branch_of`` and ``branch_at`` say which conversation it left, and after which turn."""

    __tablename__ = "conversations"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    title: Mapped[str] = mapped_column(Text, default="")
    branch_of: Mapped[str | None] = mapped_column(String(ID_LENGTH))
    branch_at: Mapped[int | None]
    started_at: Mapped[datetime] = mapped_column(Moment, default=now)
    changed_at: Mapped[datetime] = mapped_column(Moment, default=now, index=True)


class TurnRow(CatalogueBase):
    """One turn, as JSON; never updated. The key makes sure that two processes cannot both write turn 7."""

    __tablename__ = "turns"

    conversation_id: Mapped[str] = mapped_column(
        String(ID_LENGTH), ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    body: Mapped[Any] = mapped_column(CheckedJson)


#: How much of the first message a list shows.
_TITLE = 120
_LONGEST_NAME = 200
#: Turns in memory while all of a conversation are gone through.
_READ_TURNS = 20
_ADD, _ADD_TURN = insert(ConversationRow), insert(TurnRow)
_REWRITE_TURN = update(TurnRow).where(TurnRow.conversation_id == bindparam("which"), TurnRow.number == bindparam("nth"))
_TOUCH = update(ConversationRow).where(ConversationRow.id == bindparam("which"))


@dataclass(frozen=True)
class Summary:
    """A conversation in a list."""

    id: str
    name: str
    title: str
    turns: int
    started_at: datetime
    changed_at: datetime
    branch_of: str | None = None

    def as_json(self) -> dict[str, object]:
        """Plain values, for scripts."""
        return {**vars(self), "started_at": self.started_at.isoformat(), "changed_at": self.changed_at.isoformat()}


@dataclass(frozen=True)
class Page:
    """A part of a conversation.

    Attributes:
        header: The conversation without its turns.
        title: The beginning of the first thing that was said.
        total: How many turns the conversation has.
        turns: The turns of this part, in order.
    """

    header: Conversation
    title: str
    total: int
    turns: Sequence[Turn]


class Memory:
    """The conversations about one collection; may be used from several threads and processes."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def start(self, name: str | None = None, id: str | None = None) -> Conversation:
        """A new conversation; it is saved with its first turn, so that an empty one is not stored."""
        id = id or uuid4().hex
        if name is not None:
            name = checked_name(name)
            if self._named(name):
                raise BadInputError(f"There is a conversation '{name}' already.", "Resume it, or choose another name.")
        return Conversation(id, name or id[:8], turns=self._log(id))

    def save(self, conversation: Conversation, turn: Turn, *, written: bool = False) -> None:
        """Write a turn, then add it to the conversation.

        Args:
            conversation: The conversation.
            turn: Its next turn.
            written: It was written before, by :meth:`write`, and has a question only now.

        Raises:
            BusyError: Another process continued this conversation.
            StorageError: The disk is full or cannot be written; the conversation is as it was.
        """
        stamp = self._write_again(conversation, turn) if written else self.write(conversation, turn)
        conversation.append(turn, stamp)

    def write(self, conversation: Conversation, turn: Turn) -> datetime:
        """Write a turn, and return when.

        One that is complete but for its question can be shown then; :meth:`save` follows where there is a question.

        Raises:
            BusyError: As :meth:`save`.
            StorageError: As :meth:`save`.
        """
        # Core statements: the unit of work of the ORM would take longer than the write.
        row = {"conversation_id": conversation.id, "number": turn.number, "body": turn.as_json()}
        with self._writing(conversation) as connection:
            if turn.number == 1:
                connection.execute(_ADD, _values(conversation, turn.message[:_TITLE]))
            connection.execute(_ADD_TURN, row)
            return _touch(connection, conversation)

    def _write_again(self, conversation: Conversation, turn: Turn) -> datetime:
        with self._writing(conversation) as connection:
            row = {"which": conversation.id, "nth": turn.number, "body": turn.as_json()}
            connection.execute(_REWRITE_TURN, row)
            return _touch(connection, conversation)

    def list(self) -> Sequence[Summary]:
        """Every conversation, the latest first."""
        with self._catalogue.transaction() as session:
            turns = (
                select(TurnRow.conversation_id, func.max(TurnRow.number).label("turns"))
                .group_by(TurnRow.conversation_id)
                .subquery()
            )
            rows = session.execute(
                select(ConversationRow, turns.c.turns)
                .outerjoin(turns, turns.c.conversation_id == ConversationRow.id)
                .order_by(ConversationRow.changed_at.desc(), ConversationRow.id)
            )
            return [
                Summary(row.id, row.name, row.title, many or 0, row.started_at, row.changed_at, row.branch_of)
                for row, many in rows
            ]

    def load(self, key: str) -> Conversation:
        """A conversation with its turns, by its name, its id or the first letters of its id."""
        id = self._find(key)
        if id is None:
            names = ", ".join(summary.name for summary in self.list()[:10]) or "none yet"
            raise NotFoundError(f"There is no conversation '{key}'.", f"There are: {names}.")
        with self._catalogue.transaction() as session:
            row = session.get_one(ConversationRow, id)
            changed_at = in_utc(row.changed_at)  # before the turns: one that is added meanwhile makes it out of date
            loaded = Conversation(row.id, row.name, row.branch_of, row.branch_at, changed_at, self._log(id))
        for turn in self.each_turn(id):
            loaded.append(turn)
        return loaded

    def _log(self, id: str) -> TurnLog:
        """The turns of a conversation, none yet; those that are not kept in memory are read again."""

        def read(first: int, last: int) -> Sequence[Turn]:
            return [Turn.from_json(body) for body in self._bodies_after(id, first - 1, last - first + 1)]

        return TurnLog(read)

    def page(self, id: str, before: int | None, limit: int) -> Page | None:
        """A part of a conversation, without reading the rest of it; None where there is no conversation of this id.

        Args:
            id: The conversation.
            before: The turn before which the part ends; None for the latest turns.
            limit: The number of turns.
        """
        with self._catalogue.transaction() as session:
            row = session.get(ConversationRow, id)
            if row is None:
                return None
            total = session.scalar(select(func.max(TurnRow.number)).where(TurnRow.conversation_id == id)) or 0
            first = select(TurnRow.body).where(TurnRow.conversation_id == id).order_by(TurnRow.number.desc())
            if before is not None:
                first = first.where(TurnRow.number < before)
            bodies = session.scalars(first.limit(limit)).all()
            header = Conversation(row.id, row.name, row.branch_of, row.branch_at, in_utc(row.changed_at))
            return Page(header, row.title, total, [Turn.from_json(body) for body in reversed(bodies)])

    def each_turn(self, id: str) -> Iterator[Turn]:
        """The turns of a conversation, a few of them in memory at a time."""
        at = 0
        while bodies := self._bodies_after(id, at):
            for body in bodies:
                turn = Turn.from_json(body)
                at = turn.number
                yield turn

    def _bodies_after(self, id: str, number: int, limit: int = _READ_TURNS) -> Sequence[Any]:
        some = select(TurnRow.body).where(TurnRow.conversation_id == id, TurnRow.number > number)
        with self._catalogue.transaction() as session:
            return session.scalars(some.order_by(TurnRow.number).limit(limit)).all()

    def rename(self, conversation: Conversation, name: str) -> None:
        """Give a conversation another name."""
        name = checked_name(name)
        if self._named(name) not in (None, conversation.id):
            raise BadInputError(f"There is a conversation '{name}' already.", "Choose another name.")
        with self._writing(conversation) as connection:
            connection.execute(update(ConversationRow).where(ConversationRow.id == conversation.id).values(name=name))
        conversation.name = name

    def delete(self, conversation: Conversation) -> None:
        """Delete a conversation; pictures that were made in it stay in the collection."""
        with self._catalogue.transaction(writes=True) as session:
            session.execute(delete(TurnRow).where(TurnRow.conversation_id == conversation.id))
            session.execute(delete(ConversationRow).where(ConversationRow.id == conversation.id))

    def branch(self, conversation: Conversation, at: int, name: str | None = None) -> Conversation:
        """A conversation of its own that has the first ``at`` turns in common with this one."""
        conversation.turn(at)
        if at < 1:
            raise BadInputError("A branch needs at least one turn.", "Start a new conversation instead.")
        made = self.start(name)
        made.branch_of, made.branch_at = conversation.id, at
        common = select(literal(made.id), TurnRow.number, TurnRow.body)
        common = common.where(TurnRow.conversation_id == conversation.id, TurnRow.number <= at)
        with self._writing(made) as connection:
            connection.execute(_ADD, _values(made, conversation.turn(1).message[:_TITLE]))
            # The database copies them: a long conversation does not fit in memory.
            connection.execute(insert(TurnRow).from_select(["conversation_id", "number", "body"], common))
        return self.load(made.id)

    def _named(self, name: str) -> str | None:
        with self._catalogue.transaction() as session:
            return session.scalar(select(ConversationRow.id).where(ConversationRow.name == name))

    def _find(self, key: str) -> str | None:
        """The conversation with this name, or the only one whose id begins with it."""
        if (named := self._named(key)) or not key:
            return named
        with self._catalogue.transaction() as session:
            begins = ConversationRow.id.startswith(key.lower(), autoescape=True)
            found = session.scalars(select(ConversationRow.id).where(begins).limit(2)).all()
        if len(found) > 1:
            raise BadInputError(f"Several conversations begin with '{key}'.", "Give more of its letters, or its name.")
        return found[0] if found else None

    @contextmanager
    def _writing(self, conversation: Conversation) -> Iterator[Connection]:
        try:
            with self._catalogue.writing() as connection:
                yield connection
        except StorageError as error:
            if isinstance(error.__cause__, IntegrityError):
                raise BusyError(
                    f"The conversation '{conversation.name}' was continued elsewhere, or its name was taken.",
                    f"Resume it: --resume {conversation.name}",
                ) from error
            raise


def _touch(connection: Connection, conversation: Conversation) -> datetime:
    stamp = now()
    connection.execute(_TOUCH, {"which": conversation.id, "changed_at": stamp})
    return in_utc(stamp)


def _values(conversation: Conversation, title: str) -> dict[str, Any]:
    return {
        "id": conversation.id,
        "name": conversation.name,
        "title": title,
        "branch_of": conversation.branch_of,
        "branch_at": conversation.branch_at,
    }


def checked_name(name: str) -> str:
    """The name of a conversation, with single spaces.

    Raises:
        BadInputError: It is empty, too long or contains control characters.
    """
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise BadInputError(f"'{name[:40]}' cannot be a name.", f"Use 1 to {_LONGEST_NAME} letters and digits.")
    return name
