"""What users use up in a day."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

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
        self.check(user, kind, amount, most)
        self.count(user, kind, amount)

    def check(self, user: str, kind: Kind, amount: int, most: int) -> None:
        """Refuse an amount that is more than a day allows, and count nothing.

        Raises:
            TooMuchError: It would be too much.
        """
        used = self.used(user, kind)
        if used + amount > most:
            what = "uploads" if kind == "upload_bytes" else "edits"
            raise TooMuchError(f"Today's {what} are used up ({used:,} of {most:,}).", "Go on tomorrow.", _to_midnight())

    def used(self, user: str, kind: Kind) -> int:
        """What a user has used up today."""
        with self._records.transaction() as session:
            row = session.get(UsageRow, (user, _today(), kind))
            return row.amount if row else 0

    def count(self, user: str, kind: Kind, amount: int) -> None:
        """Count what was used."""
        with self._records.transaction(writes=True) as session:
            row = session.get(UsageRow, (user, _today(), kind))
            if row is None:
                session.add(UsageRow(user=user, day=_today(), kind=kind, amount=amount))
            else:
                row.amount += amount


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _to_midnight() -> float:
    time = datetime.now(UTC)
    return 86400.0 - (time.hour * 3600 + time.minute * 60 + time.second)
