"""What is shown of pictures in lists: sizes, captions, whether they were edited. A few columns, read fast."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import Session

from visavis.collections.batches import batches
from visavis.collections.catalogue import CHUNK, Catalogue
from visavis.collections.tables import AttributeRow, CaptionRow, EditRow, PictureRow

#: Letters of a caption in a list, where each turn of a conversation repeats it; a picture by itself tells all of it.
_LONGEST_CAPTION = 500


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


#: One statement, built once: lists of pictures are what is asked for most.
_CARDS = (
    select(PictureRow.id, PictureRow.width, PictureRow.height, CaptionRow.text, AttributeRow.value, EditRow.commands)
    .outerjoin(CaptionRow, and_(CaptionRow.picture_id == PictureRow.id, CaptionRow.position == 0))
    .outerjoin(AttributeRow, and_(AttributeRow.picture_id == PictureRow.id, AttributeRow.name == "title"))
    .outerjoin(EditRow, EditRow.picture_id == PictureRow.id)
    .where(PictureRow.id.in_(bindparam("ids", expanding=True)))
)


def cards(catalogue: Catalogue, ids: Iterable[str]) -> dict[str, Card]:
    """The cards of pictures; a picture that is gone has an empty one."""
    found: dict[str, Card] = {}
    wanted = list(dict.fromkeys(ids))
    for chunk in batches(wanted, CHUNK):
        found |= _some(catalogue, chunk)
    return {id: found.get(id) or Card(id) for id in wanted}


def _some(catalogue: Catalogue, ids: list[str]) -> dict[str, Card]:
    with catalogue.transaction() as session:
        return {
            id: Card(id, width, height, _short(caption or (str(title) if title is not None else "")), bool(commands))
            for id, width, height, caption, title, commands in session.execute(_CARDS, {"ids": ids})
        }


def _short(caption: str) -> str:
    return caption if len(caption) <= _LONGEST_CAPTION else f"{caption[:_LONGEST_CAPTION]}…"


#: What the wall leaves out, which is little: so the rest is counted and walked through without looking at every row.
_HIDDEN = select(PictureRow.id).where(PictureRow.missing_since.is_not(None)).union(select(EditRow.picture_id))
_ALL = select(func.count()).select_from(PictureRow)
_NOT_SHOWN = select(func.count()).select_from(_HIDDEN.subquery())
_IN_ORDER = select(PictureRow.id).where(PictureRow.id.not_in(_HIDDEN)).order_by(PictureRow.id)


def shown(session: Session, offset: int, limit: int) -> tuple[int, list[str]]:
    """How many pictures there are to look at, and the ids of some of them."""
    total = (session.scalar(_ALL) or 0) - (session.scalar(_NOT_SHOWN) or 0)
    return total, list(session.scalars(_IN_ORDER.offset(offset).limit(limit)))


def wall(catalogue: Catalogue, offset: int, limit: int) -> tuple[int, list[Card]]:
    """How many pictures there are, and some of them in an order that stays: by id, which is as good as shuffled."""
    with catalogue.transaction() as session:
        total, ids = shown(session, offset, limit)
    found = cards(catalogue, ids)
    return total, [found[id] for id in ids]
