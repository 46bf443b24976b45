"""What users use up in a day."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from visavis.apps.server.records.database import Records
from visavis.apps.server.records.tables import UsageRow
from visavis.apps.server.security.errors import TooMuchError

Kind = Literal["upload_bytes", "edits"]


class Usage:
    """Counts against quotas that begin anew each day (UTC)."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def take(self, user: str, kind: Kind, amount: int, most: int) -> None:
        """Count an amount, or refuse it.

        Raises:
            TooMuchError: It would be more than a day allows.
        """
        with self._records.transaction(writes=True) as session:
            total = _add(session, user, kind, amount)
            if total > most:  # which also takes back what was just counted
                raise _too_much(kind, total - amount, most)

    def check(self, user: str, kind: Kind, amount: int, most: int) -> None:
        """Refuse an amount that is more than a day allows, and count nothing.

        Raises:
            TooMuchError: It would be too much.
        """
        used = self.used(user, kind)
        if used + amount > most:
            raise _too_much(kind, used, most)

    def used(self, user: str, kind: Kind) -> int:
        """What a user has used up today."""
        with self._records.transaction() as session:
            row = session.get(UsageRow, (user, _today(), kind))
            return row.amount if row else 0

    def count(self, user: str, kind: Kind, amount: int) -> None:
        """Count what was used."""
        with self._records.transaction(writes=True) as session:
            _add(session, user, kind, amount)


def _add(session: Session, user: str, kind: Kind, amount: int) -> int:
    """Add to what was used, in one statement so that nothing is lost between processes; returns how much it is now."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    new = insert(UsageRow).values(user=user, day=_today(), kind=kind, amount=amount)
    added = new.on_conflict_do_update(
        index_elements=[UsageRow.user, UsageRow.day, UsageRow.kind], set_={"amount": UsageRow.amount + amount}
    )
    return session.execute(added.returning(UsageRow.amount)).scalar_one()


def _too_much(kind: Kind, used: int, most: int) -> TooMuchError:
    what = "uploads" if kind == "upload_bytes" else "edits"
    return TooMuchError(f"Today's {what} are used up ({used:,} of {most:,}).", "Go on tomorrow.", _to_midnight())


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _to_midnight() -> float:
    time = datetime.now(UTC)
    return 86400.0 - (time.hour * 3600 + time.minute * 60 + time.second)
