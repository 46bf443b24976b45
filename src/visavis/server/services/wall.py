"""What lists show of pictures: cards, and the whole collection in an order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import Session

from visavis.collections.catalogue import CHUNK, Catalogue
from visavis.collections.database import AttributeRow, CaptionRow, EditRow, PictureRow
from visavis.errors import BadInputError
from visavis.pictures.looks import MEASURED
from visavis.server.models.collections import Wall, WallPicture
from visavis.server.services.collections import OpenCollection
from visavis.types import batches

#: Letters of a caption in a list, where each turn of a conversation repeats it; a picture by itself tells all of it.
_LONGEST_CAPTION = 500
#: Attributes that a picture in a list is shown with.
_SHOWN = ("title", "price", "currency", "taken")
#: One statement, built once: lists of pictures are what is asked for most.
_CARDS = (
    select(PictureRow.id, PictureRow.width, PictureRow.height, CaptionRow.text, EditRow.commands)
    .outerjoin(CaptionRow, and_(CaptionRow.picture_id == PictureRow.id, CaptionRow.position == 0))
    .outerjoin(EditRow, EditRow.picture_id == PictureRow.id)
    .where(PictureRow.id.in_(bindparam("ids", expanding=True)))
)
_DETAILS = select(AttributeRow.picture_id, AttributeRow.name, AttributeRow.value).where(
    AttributeRow.picture_id.in_(bindparam("ids", expanding=True)), AttributeRow.name.in_(_SHOWN)
)
#: What the wall leaves out, which is little: so the rest is counted and walked through without looking at every row.
_HIDDEN = select(PictureRow.id).where(PictureRow.missing_since.is_not(None)).union(select(EditRow.picture_id))
_ALL = select(func.count()).select_from(PictureRow)
_NOT_SHOWN = select(func.count()).select_from(_HIDDEN.subquery())
_IN_ORDER = select(PictureRow.id).where(PictureRow.id.not_in(_HIDDEN)).order_by(PictureRow.id)
#: The time of a photo; a collection whose pictures have it is shown as a timeline.
_TAKEN = "taken"
#: Attributes by which a shop sorts what it has; with a title they make a catalogue of products, also without prices.
_OF_SHOPS = frozenset(("articletype", "brand", "category", "mastercategory", "producttype", "sku", "subcategory"))
#: Places on a map; more cannot be told apart.
_MOST_PLACES = 20_000


@dataclass(frozen=True)
class Card:
    """A picture in a list.

    Attributes:
        id: Its id.
        width: In pixels, upright; 0 where it is no longer known.
        height: Likewise.
        caption: Its first caption, or its title, or nothing.
        edited: Whether it was made here by editing.
        title: What a shop calls it.
        price: What it costs there.
        currency: The code of the price's currency, where the catalogue has one.
        taken: When it was taken.
    """

    id: str
    width: int = 0
    height: int = 0
    caption: str = ""
    edited: bool = False
    title: str = ""
    price: float | None = None
    currency: str = ""
    taken: str = ""


def cards(catalogue: Catalogue, ids: Iterable[str]) -> dict[str, Card]:
    """The cards of pictures; a picture that is gone has an empty one."""
    found: dict[str, Card] = {}
    wanted = list(dict.fromkeys(ids))
    for chunk in batches(wanted, CHUNK):
        found |= _some(catalogue, chunk)
    return {id: found.get(id) or Card(id) for id in wanted}


def _some(catalogue: Catalogue, ids: list[str]) -> dict[str, Card]:
    known: dict[str, dict[str, Any]] = {}
    with catalogue.transaction() as session:
        for id, name, value in session.execute(_DETAILS, {"ids": ids}):
            known.setdefault(id, {})[name] = value
        rows = session.execute(_CARDS, {"ids": ids}).all()
    return {id: _card(id, size, caption, bool(edits), known.get(id, {})) for id, *size, caption, edits in rows}


def _card(id: str, size: Sequence[int], caption: str | None, edited: bool, known: dict[str, Any]) -> Card:
    title, price = str(known.get("title", "")), known.get("price")
    is_price = isinstance(price, int | float) and not isinstance(price, bool)
    return Card(
        id,
        size[0],
        size[1],
        _short(caption or title),
        edited,
        _short(title),
        float(price) if is_price and price is not None else None,
        str(known.get("currency", ""))[:8],
        str(known.get(_TAKEN, ""))[:40],
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_CAPTION else f"{text[:_LONGEST_CAPTION]}…"


def visible_ids(session: Session, offset: int, limit: int) -> tuple[int, list[str]]:
    """The number of visible pictures, and the ids of one page of them."""
    return _visible_count(session), list(session.scalars(_IN_ORDER.offset(offset).limit(limit)))


def _visible_count(session: Session) -> int:
    return (session.scalar(_ALL) or 0) - (session.scalar(_NOT_SHOWN) or 0)


def is_shop(fields: Collection[str]) -> bool:
    """Whether a collection with these attributes is a shop's, whose pictures hang with titles and in no order of time.

    >>> is_shop(["title", "articleType", "taken"]), is_shop(["title", "taken", "camera"])
    (True, False)
    """
    known = {name.lower().replace("_", "") for name in fields}
    return "price" in known or ("title" in known and not known.isdisjoint(_OF_SHOPS))


def wall(opened: OpenCollection, offset: int, limit: int, sort: str = "") -> Wall:
    """One page of all visible pictures.

    Args:
        opened: The collection.
        offset: How many come before it.
        limit: How many it has at most.
        sort: ``price asc``, ``taken desc``; ``none`` for the order of ids, which is stable and as good as shuffled.
            Photos come newest first and all others by id where nothing is asked for.
    """
    fields = opened.catalogue.meta("fields", {})
    order = sort or (f"{_TAKEN} desc" if _TAKEN in fields and not is_shop(fields) else "none")
    if order == "none":
        with opened.catalogue.transaction() as session:
            total, ids = visible_ids(session, offset, limit)
    else:
        every = _sorted_ids(opened, order)
        total, ids = len(every), every[offset : offset + limit]
    return Wall(total=total, sort=order, pictures=wall_pictures(opened, ids))


def wall_pictures(opened: OpenCollection, ids: Sequence[str]) -> list[WallPicture]:
    """Pictures as the wall shows them, in this order."""
    return [WallPicture(**vars(card)) for card in cards(opened.catalogue, ids).values()]


def _sorted_ids(opened: OpenCollection, order: str) -> list[str]:
    """All visible pictures by an attribute; those without it come last. Kept for each state of the collection."""
    field, _, way = order.rpartition(" ")
    if not field or way not in ("asc", "desc"):
        raise BadInputError(f"“{order}” is no order.", "Use an attribute and asc or desc, such as: price asc")
    with opened.catalogue.transaction() as session:
        key = (_visible_count(session), opened.catalogue.meta("run", 0), field, way)
        with opened.facets_lock:
            kept = opened.orders.get(key)
        if kept is not None:
            return kept
        values = select(PictureRow.id, AttributeRow.value).outerjoin(
            AttributeRow, and_(AttributeRow.picture_id == PictureRow.id, AttributeRow.name == field)
        )
        rows = session.execute(values.where(PictureRow.id.not_in(_HIDDEN)).order_by(PictureRow.id)).all()
    told: dict[str, Any] = {id: value for id, value in rows}  # noqa: C416  # rows are no pairs to a type checker
    if field in MEASURED and not any(value is not None for value in told.values()):
        told |= opened.bare.engine.looks(field, list(told))
    numbers = all(isinstance(value, int | float) for value in told.values() if value is not None)
    with_value = [(value if numbers else str(value), id) for id, value in told.items() if value is not None]
    with_value.sort(key=lambda pair: pair[0], reverse=way == "desc")
    found = [id for _, id in with_value] + [id for id, value in told.items() if value is None]
    with opened.facets_lock:
        opened.orders[key] = found
    return found


def places(catalogue: Catalogue) -> list[tuple[str, float, float]]:
    """Where pictures were taken: id, latitude and longitude."""
    names = ("latitude", "longitude")
    with catalogue.transaction() as session:
        query = select(AttributeRow.picture_id, AttributeRow.name, AttributeRow.value)
        shown = AttributeRow.name.in_(names), AttributeRow.picture_id.not_in(_HIDDEN)
        rows = session.execute(query.where(*shown).order_by(AttributeRow.picture_id).limit(2 * _MOST_PLACES)).all()
    known: dict[str, dict[str, float]] = {}
    for id, name, value in rows:
        if isinstance(value, int | float):
            known.setdefault(id, {})[name] = float(value)
    return [(id, at["latitude"], at["longitude"]) for id, at in known.items() if len(at) == 2]
