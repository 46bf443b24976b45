"""Links to conversations."""

from __future__ import annotations

import secrets

from sqlalchemy import delete

from visavis.apps.server.records.database import Records
from visavis.apps.server.records.tables import ShareRow
from visavis.apps.server.records.users import hash_of


class Shares:
    """Making, finding and taking back links. Only hashes of their tokens are kept."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def make(self, conversation: str, collection: str) -> str:
        """A new link's token."""
        token = secrets.token_urlsafe(24)
        with self._records.transaction(writes=True) as session:
            session.add(ShareRow(token_hash=hash_of(token), conversation_id=conversation, collection=collection))
        return token

    def find(self, token: str) -> tuple[str, str] | None:
        """The conversation and the collection that a token opens."""
        with self._records.transaction() as session:
            row = session.get(ShareRow, hash_of(token))
            return (row.conversation_id, row.collection) if row else None

    def revoke(self, conversation: str) -> None:
        """Take back every link to a conversation."""
        with self._records.transaction(writes=True) as session:
            session.execute(delete(ShareRow).where(ShareRow.conversation_id == conversation))
