"""Whose conversations are whose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select, update

from visavis.apps.server.records.database import Records
from visavis.apps.server.records.tables import OwnedRow, ShareRow


@dataclass(frozen=True)
class Owned:
    """A conversation and its owner."""

    id: str
    owner: str
    collection: str
    name: str
    started_at: datetime


class Ownership:
    """Who owns which conversation."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def add(self, id: str, owner: str, collection: str, name: str = "") -> None:
        """Note a new conversation."""
        with self._records.transaction(writes=True) as session:
            session.add(OwnedRow(id=id, owner=owner, collection=collection, name=name))

    def find(self, id: str) -> Owned | None:
        """What is known of a conversation."""
        with self._records.transaction() as session:
            row = session.get(OwnedRow, id)
            return _owned(row) if row else None

    def of(self, owner: str) -> Sequence[Owned]:
        """Everything a user owns."""
        with self._records.transaction() as session:
            return [_owned(row) for row in session.scalars(select(OwnedRow).where(OwnedRow.owner == owner))]

    def all_ids(self) -> set[str]:
        """The ids of all conversations with an owner."""
        with self._records.transaction() as session:
            return set(session.scalars(select(OwnedRow.id)))

    def count(self, owner: str) -> int:
        """How many conversations a user has."""
        with self._records.transaction() as session:
            return session.scalar(select(func.count()).select_from(OwnedRow).where(OwnedRow.owner == owner)) or 0

    def rename(self, id: str, name: str) -> None:
        """Another name."""
        with self._records.transaction(writes=True) as session:
            session.execute(update(OwnedRow).where(OwnedRow.id == id).values(name=name))

    def remove(self, id: str) -> None:
        """Forget a conversation and every link to it."""
        with self._records.transaction(writes=True) as session:
            session.execute(delete(OwnedRow).where(OwnedRow.id == id))
            session.execute(delete(ShareRow).where(ShareRow.conversation_id == id))

    def remove_collection(self, collection: str) -> None:
        """Forget everything about a collection that is no more."""
        with self._records.transaction(writes=True) as session:
            session.execute(delete(OwnedRow).where(OwnedRow.collection == collection))
            session.execute(delete(ShareRow).where(ShareRow.collection == collection))


def _owned(row: OwnedRow) -> Owned:
    return Owned(row.id, row.owner, row.collection, row.name, row.started_at)
