"""The tables of conversations; they lie beside the catalogue of the collection that is talked about."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import DateTime, ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from visavis.collections.tables import Base, Json, now

ID_LENGTH = 32


class ConversationRow(Base):
    """One conversation. ``branch_of`` and ``branch_at`` say which conversation it left, and after which turn."""

    __tablename__ = "conversations"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    title: Mapped[str] = mapped_column(Text, default="")
    branch_of: Mapped[str | None] = mapped_column(String(ID_LENGTH))
    branch_at: Mapped[int | None]
    started_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)
    changed_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now, index=True)


class TurnRow(Base):
    """One turn, as JSON; never updated. The key makes sure that two processes cannot both write turn 7."""

    __tablename__ = "turns"

    conversation_id: Mapped[str] = mapped_column(
        String(ID_LENGTH), ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    body: Mapped[Any] = mapped_column(Json)
