"""The secret that sessions are signed with."""

from __future__ import annotations

import secrets

from visavis.apps.server.records.database import Records
from visavis.apps.server.records.tables import SecretRow


def session_secret(records: Records) -> str:
    """The same for all worker processes and after a restart; made when there is none."""
    with records.transaction(writes=True) as session:
        row = session.get(SecretRow, "sessions")
        if row is None:
            row = SecretRow(name="sessions", value=secrets.token_urlsafe(48))
            session.add(row)
        return row.value
