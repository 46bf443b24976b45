"""The details of each file, and pictures whose payload in the store is due."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns; rows of older versions have none of this and get it when they are indexed next."""
    op.add_column("pictures", sa.Column("embedded", sa.Text))
    op.add_column("pictures", sa.Column("payload_due", sa.DateTime(timezone=True)))
    op.create_index("ix_pictures_payload_due", "pictures", ["payload_due"])
    op.add_column("locations", sa.Column("described", sa.Text))


def downgrade() -> None:
    """Drop the columns."""
    op.drop_column("locations", "described")
    op.drop_index("ix_pictures_payload_due", "pictures")
    op.drop_column("pictures", "payload_due")
    op.drop_column("pictures", "embedded")
