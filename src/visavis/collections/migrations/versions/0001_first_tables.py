"""The first tables of a catalogue."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _picture_key(*, primary: bool = True) -> sa.Column[str]:
    key = sa.ForeignKey("pictures.id", ondelete="CASCADE")
    return sa.Column("picture_id", sa.String(32), key, primary_key=primary, nullable=False, index=not primary)


def upgrade() -> None:
    """Create the tables."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "pictures",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("format", sa.String(16), nullable=False),
        sa.Column("added_at", moment, nullable=False),
        sa.Column("missing_since", moment, index=True),
    )
    op.create_table(
        "locations",
        sa.Column("path", sa.Text, primary_key=True),
        _picture_key(primary=False),
        sa.Column("source", sa.Text, nullable=False, index=True),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("mtime_ns", sa.BigInteger, nullable=False),
        sa.Column("details", sa.String(32), nullable=False),
        sa.Column("run", sa.Integer, nullable=False),
        sa.Column("missing_since", moment),
    )
    op.create_table(
        "attributes",
        _picture_key(),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_index("attributes_by_name", "attributes", ["name"])
    op.create_table(
        "captions",
        _picture_key(),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_table(
        "edits",
        _picture_key(),
        sa.Column("source_id", sa.String(32), nullable=False, index=True),
        sa.Column("commands", sa.Text, nullable=False),
        sa.Column("made_at", moment, nullable=False),
    )
    op.create_table(
        "failures",
        sa.Column("path", sa.Text, primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("mtime_ns", sa.BigInteger, nullable=False),
        sa.Column("run", sa.Integer, nullable=False),
        sa.Column("at", moment, nullable=False),
    )
    op.create_index("failures_by_source", "failures", ["source"])
    op.create_table(
        "meta", sa.Column("key", sa.String(64), primary_key=True), sa.Column("value", sa.Text, nullable=False)
    )


def downgrade() -> None:
    """Drop the tables."""
    for table in ("meta", "failures", "edits", "captions", "attributes", "locations", "pictures"):
        op.drop_table(table)
