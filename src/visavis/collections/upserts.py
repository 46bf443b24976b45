"""Upsert for SQLite and PostgreSQL, which SQLAlchemy keeps in separate dialects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Table, inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from visavis.collections.tables import CatalogueBase


def upsert(
    session: Session,
    table: type[CatalogueBase],
    rows: Sequence[dict[str, Any]],
    *,
    keep: tuple[str, ...] = (),
    key: str = "",
) -> None:
    """Insert rows; where the key exists, update them.

    Args:
        session: The transaction.
        table: The ORM class.
        rows: Column values, all with the same columns.
        keep: Columns that an existing row keeps.
        key: The unique column that tells whether a row exists; the primary key when not given.
    """
    if not rows:
        return
    mapped = inspect(table).local_table
    assert isinstance(mapped, Table)
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    statement = insert(table)
    keys = [key] if key else [column.name for column in mapped.primary_key]
    changed = {name: statement.excluded[name] for name in rows[0] if name not in (*keys, *keep)}
    if changed:
        session.execute(statement.on_conflict_do_update(index_elements=keys, set_=changed), list(rows))
    else:
        session.execute(statement.on_conflict_do_nothing(index_elements=keys), list(rows))
