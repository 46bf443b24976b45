"""What lists tell of collections."""

from __future__ import annotations

from datetime import UTC

from sqlalchemy import func, select

from visavis.apps.server.library.cards import shown
from visavis.apps.server.library.library import Library
from visavis.apps.server.library.opened import Opened
from visavis.apps.server.models.collections import CollectionModel
from visavis.collections.tables import EditRow, PictureRow
from visavis.errors import VisavisError

_COVER = 4


def look(opened: Opened, job: str | None = None) -> CollectionModel:
    """A collection at a glance; neither its vectors nor its encoder are opened for it."""
    catalogue = opened.catalogue
    with catalogue.transaction() as session:
        count, cover = shown(session, 0, _COVER)
        updated = session.scalar(select(func.max(PictureRow.added_at)))
        edits = session.scalar(select(EditRow.picture_id).limit(1)) is not None
    made_with = catalogue.meta("encoder")
    return CollectionModel(
        name=opened.name,
        pictures=count,
        encoder=made_with["name"] if made_with else None,
        has_edits=edits,
        updated_at=updated.replace(tzinfo=updated.tzinfo or UTC) if updated else None,
        cover=cover,
        job=job,
    )


def looks(library: Library) -> list[CollectionModel]:
    """Every collection; one that cannot be opened says why instead of hiding the others."""
    found = []
    for name in library.names():
        try:
            found.append(look(library.open(name)))
        except VisavisError as error:
            found.append(CollectionModel(name=name, pictures=0, error=str(error)))
    return found
