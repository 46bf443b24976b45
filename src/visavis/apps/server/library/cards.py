"""What is shown of pictures in lists: sizes, captions, whether they were edited. A few columns, read fast."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import func, select

from visavis.collections.batches import batches
from visavis.collections.catalogue import CHUNK, Catalogue
from visavis.collections.tables import AttributeRow, CaptionRow, EditRow, PictureRow


@dataclass(frozen=True)
class Card:
    """A picture in a list.

    Attributes:
        id: Its id.
        width: In pixels, upright; 0 where it is no longer known.
        height: Likewise.
        caption: Its first caption, or its title, or nothing.
        edited: Whether it was made here by editing.
    """

    id: str
    width: int = 0
    height: int = 0
    caption: str = ""
    edited: bool = False


def cards(catalogue: Catalogue, ids: Iterable[str]) -> dict[str, Card]:
    """The cards of pictures; a picture that is gone has an empty one."""
    found: dict[str, Card] = {}
    wanted = list(dict.fromkeys(ids))
    for chunk in batches(wanted, CHUNK):
        found |= _some(catalogue, chunk)
    return {id: found.get(id) or Card(id) for id in wanted}


def _some(catalogue: Catalogue, ids: list[str]) -> dict[str, Card]:
    with catalogue.transaction() as session:
        first = select(CaptionRow.picture_id, CaptionRow.text).where(
            CaptionRow.picture_id.in_(ids), CaptionRow.position == 0
        )
        captions: dict[str, str] = {id: str(text) for id, text in session.execute(first)}
        title = select(AttributeRow.picture_id, AttributeRow.value).where(
            AttributeRow.picture_id.in_(ids), AttributeRow.name == "title"
        )
        titles: dict[str, str] = {id: str(value) for id, value in session.execute(title)}
        edited = {
            id
            for id, commands in session.execute(
                select(EditRow.picture_id, EditRow.commands).where(EditRow.picture_id.in_(ids))
            )
            if commands
        }
        rows = session.execute(select(PictureRow.id, PictureRow.width, PictureRow.height).where(PictureRow.id.in_(ids)))
        return {
            id: Card(id, width, height, captions.get(id) or titles.get(id, ""), id in edited)
            for id, width, height in rows
        }


def wall(catalogue: Catalogue, offset: int, limit: int) -> tuple[int, list[Card]]:
    """How many pictures there are, and some of them in an order that stays: by id, which is as good as shuffled."""
    there = (PictureRow.missing_since.is_(None), PictureRow.id.not_in(select(EditRow.picture_id)))
    with catalogue.transaction() as session:
        total = session.scalar(select(func.count()).select_from(PictureRow).where(*there)) or 0
        query = select(PictureRow.id).where(*there).order_by(PictureRow.id).offset(offset).limit(limit)
        ids = list(session.scalars(query))
    found = cards(catalogue, ids)
    return total, [found[id] for id in ids]
