"""The list of a user's conversations, each with a few thumbnails of what it shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import and_, func, select

from visavis.apps.server.library.library import Library
from visavis.apps.server.talking.talks import Talks
from visavis.collections.catalogue import Catalogue
from visavis.conversation.memory import Memory
from visavis.conversation.tables import TurnRow
from visavis.errors import VisavisError

_THUMBS = 3


@dataclass(frozen=True)
class Listed:
    """A conversation in a list."""

    id: str
    name: str
    title: str
    collection: str
    turns: int
    changed_at: datetime
    branch_of: str | None
    thumbs: tuple[str, ...]


def list_conversations(library: Library, talks: Talks, owner: str, collection: str | None) -> list[Listed]:
    """The user's conversations, the latest first."""
    mine, others = talks.mine(owner), talks.owned_by_others(owner)
    found: dict[str, Listed] = {}
    for name in [collection] if collection else library.names():
        try:
            catalogue = library.open(name).catalogue
            summaries = [one for one in Memory(catalogue).list() if talks.is_mine(mine, one.id, others)]
            thumbs = _thumbs(catalogue, [one.id for one in summaries])
        except VisavisError:
            if collection:
                raise
            continue  # one damaged collection must not hide the conversations about the others
        for one in summaries:
            called = mine[one.id].name if one.id in mine else ""
            shown = thumbs.get(one.id, ())
            found[one.id] = Listed(
                one.id, called or one.name, one.title, name, one.turns, _utc(one.changed_at), one.branch_of, shown
            )
    for owned in mine.values():  # those in which nothing was said yet
        if owned.id not in found and collection in (None, owned.collection):
            called = owned.name or owned.id[:8]
            found[owned.id] = Listed(owned.id, called, "", owned.collection, 0, _utc(owned.started_at), None, ())
    return sorted(found.values(), key=lambda one: one.changed_at, reverse=True)


def _thumbs(catalogue: Catalogue, ids: list[str]) -> dict[str, tuple[str, ...]]:
    """The first pictures that each conversation shows now."""
    last = (
        select(TurnRow.conversation_id, func.max(TurnRow.number).label("number"))
        .where(TurnRow.conversation_id.in_(ids[:500]))
        .group_by(TurnRow.conversation_id)
        .subquery()
    )
    query = select(TurnRow.conversation_id, TurnRow.body).join(
        last, and_(TurnRow.conversation_id == last.c.conversation_id, TurnRow.number == last.c.number)
    )
    with catalogue.transaction() as session:
        return {
            id: tuple(result["id"] for result in body.get("results", ())[:_THUMBS])
            for id, body in session.execute(query)
        }


def _utc(time: datetime) -> datetime:
    """SQLite forgets the zone; everything is written in UTC."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)
