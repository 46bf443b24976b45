"""Albums: selections of pictures that a user saved. Favourites are the album that everybody has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from visavis.errors import BadInputError, NotFoundError
from visavis.server.database import AlbumPictureRow, AlbumRow, ServerDatabase

_COVER = 4
#: Albums of one user in one collection.
_MOST_ALBUMS = 500
#: Pictures in one album, and in all albums of one user.
MOST_PICTURES = 10_000
_MOST_IN_ALL = 100_000


@dataclass(frozen=True)
class Album:
    """An album in a list.

    Attributes:
        id: 32 hexadecimal digits.
        collection: Whose pictures it holds.
        name: What it is called; empty for the favourites.
        pictures: How many it holds.
        cover: The first of them.
    """

    id: str
    collection: str
    name: str
    pictures: int
    cover: tuple[str, ...]


class Albums:
    """The albums of users; a user sees only their own."""

    def __init__(self, database: ServerDatabase) -> None:
        self._database = database

    def all(self, owner: str, collection: str) -> list[Album]:
        """The albums of a user in a collection, the newest first; the favourites are not among them."""
        mine = AlbumRow.owner == owner, AlbumRow.collection == collection, AlbumRow.name != ""
        with self._database.transaction() as session:
            rows = session.scalars(select(AlbumRow).where(*mine).order_by(AlbumRow.made_at.desc(), AlbumRow.id)).all()
            return [_album(session, row) for row in rows]

    def pictures(self, owner: str, id: str) -> list[str]:
        """The pictures of an album, in the order in which they were added."""
        with self._database.transaction() as session:
            return _pictures(session, self._row(session, owner, id).id)

    def favourites(self, owner: str, collection: str) -> list[str]:
        """The favourites of a user in a collection."""
        with self._database.transaction() as session:
            row = _favourites(session, owner, collection)
            return _pictures(session, row.id) if row is not None else []

    def make(self, owner: str, collection: str, name: str, pictures: Sequence[str]) -> Album:
        """Save a selection of pictures under a name."""
        with self._database.transaction(writes=True) as session:
            mine = AlbumRow.owner == owner, AlbumRow.collection == collection
            if (session.scalar(select(func.count()).select_from(AlbumRow).where(*mine)) or 0) >= _MOST_ALBUMS:
                raise BadInputError(f"There are {_MOST_ALBUMS} albums already.", "Delete one first.")
            row = AlbumRow(id=uuid4().hex, owner=owner, collection=collection, name=name)
            session.add(row)
            session.flush()
            _change(session, row.id, pictures, ())
            return _album(session, row)

    def change(
        self, owner: str, id: str, name: str | None = None, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> Album:
        """Rename an album, or add and remove pictures."""
        with self._database.transaction(writes=True) as session:
            row = self._row(session, owner, id)
            row.name = name or row.name
            _change(session, row.id, add, remove)
            session.flush()
            return _album(session, row)

    def change_favourites(self, owner: str, collection: str, add: Sequence[str], remove: Sequence[str]) -> list[str]:
        """Add favourites and remove others; returns all of them."""
        with self._database.transaction(writes=True) as session:
            row = _favourites(session, owner, collection)
            if row is None:
                row = AlbumRow(id=uuid4().hex, owner=owner, collection=collection, name="")
                session.add(row)
                session.flush()
            _change(session, row.id, add, remove)
            session.flush()
            return _pictures(session, row.id)

    def remove(self, owner: str, id: str) -> None:
        """Delete an album; its pictures stay."""
        with self._database.transaction(writes=True) as session:
            session.delete(self._row(session, owner, id))
            session.execute(delete(AlbumPictureRow).where(AlbumPictureRow.album_id == id))

    def remove_collection(self, collection: str) -> None:
        """Delete the albums of a collection that was removed."""
        with self._database.transaction(writes=True) as session:
            ids = select(AlbumRow.id).where(AlbumRow.collection == collection)
            session.execute(delete(AlbumPictureRow).where(AlbumPictureRow.album_id.in_(ids)))
            session.execute(delete(AlbumRow).where(AlbumRow.collection == collection))

    def _row(self, session: Session, owner: str, id: str) -> AlbumRow:
        row = session.get(AlbumRow, id)
        if row is None or row.owner != owner or not row.name:
            raise NotFoundError("There is no such album.", "List them first.")
        return row


def _favourites(session: Session, owner: str, collection: str) -> AlbumRow | None:
    mine = AlbumRow.owner == owner, AlbumRow.collection == collection, AlbumRow.name == ""
    return session.scalars(select(AlbumRow).where(*mine).order_by(AlbumRow.made_at)).first()


def _pictures(session: Session, album: str, limit: int = MOST_PICTURES) -> list[str]:
    rows = select(AlbumPictureRow.picture_id).where(AlbumPictureRow.album_id == album)
    return list(session.scalars(rows.order_by(AlbumPictureRow.place, AlbumPictureRow.picture_id).limit(limit)))


def _change(session: Session, album: str, add: Sequence[str], remove: Sequence[str]) -> None:
    if remove:
        gone = AlbumPictureRow.album_id == album, AlbumPictureRow.picture_id.in_(list(remove))
        session.execute(delete(AlbumPictureRow).where(*gone))
    known = set(_pictures(session, album))
    new = [id for id in dict.fromkeys(add) if id not in known]
    if len(known) + len(new) > MOST_PICTURES:
        raise BadInputError(f"An album holds {MOST_PICTURES:,} pictures at most.", "Make another one.")
    if new and _in_all(session, album) + len(new) > _MOST_IN_ALL:
        raise BadInputError(f"Your albums hold {_MOST_IN_ALL:,} pictures at most.", "Delete one first.")
    last = select(func.max(AlbumPictureRow.place)).where(AlbumPictureRow.album_id == album)
    start = (session.scalar(last) or 0) + 1
    session.add_all(AlbumPictureRow(album_id=album, picture_id=id, place=start + at) for at, id in enumerate(new))


def _in_all(session: Session, album: str) -> int:
    """How many pictures there are in the albums of an album's owner."""
    owner = select(AlbumRow.owner).where(AlbumRow.id == album).scalar_subquery()
    ids = select(AlbumRow.id).where(AlbumRow.owner == owner)
    counted = select(func.count()).select_from(AlbumPictureRow).where(AlbumPictureRow.album_id.in_(ids))
    return session.scalar(counted) or 0


def _album(session: Session, row: AlbumRow) -> Album:
    number = select(func.count()).select_from(AlbumPictureRow).where(AlbumPictureRow.album_id == row.id)
    count = session.scalar(number) or 0
    return Album(row.id, row.collection, row.name, count, tuple(_pictures(session, row.id, _COVER)))
