"""The secret that sessions are signed with."""

from __future__ import annotations

import secrets

from sqlalchemy.exc import IntegrityError

from visavis.apps.server.records.database import Records
from visavis.apps.server.records.tables import SecretRow
from visavis.errors import StorageError


def session_secret(records: Records) -> str:
    """The same for all worker processes and after a restart; made when there is none."""
    try:
        return _kept_or_made(records)
    except StorageError as error:
        if not isinstance(error.__cause__, IntegrityError):
            raise
        return _kept_or_made(records)  # another worker made it in the same moment


def _kept_or_made(records: Records) -> str:
    with records.transaction(writes=True) as session:
        row = session.get(SecretRow, "sessions")
        if row is None:
            row = SecretRow(name="sessions", value=secrets.token_urlsafe(48))
            session.add(row)
            session.flush()
        return row.value
