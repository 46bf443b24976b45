"""Everything that is known of one picture, as a model of the interface."""

from __future__ import annotations

from pathlib import Path

from visavis.collections.tables import PictureRow
from visavis.server.database import as_utc
from visavis.server.models.pictures import PictureModel
from visavis.server.services.collections import OpenCollection
from visavis.server.services.images import how_taken


def picture_model(opened: OpenCollection, id: str) -> PictureModel:
    """The model of a picture.

    Raises:
        NotFoundError: There is no such picture.
    """
    picture = opened.bare.picture(id)
    with opened.catalogue.transaction() as session:
        row = session.get(PictureRow, picture.id)
        added = row.added_at if row else None
    return PictureModel(
        id=picture.id,
        width=picture.width,
        height=picture.height,
        format=picture.format,
        bytes=picture.bytes,
        caption=picture.caption or picture.title,
        captions=list(picture.captions),
        attributes=dict(picture.attributes),
        path_name=Path(picture.path).name,
        shot=how_taken(picture),
        source_id=picture.origin.source_id if picture.origin else None,
        edits=list(picture.origin.commands) if picture.origin else [],
        added_at=as_utc(added) if added else None,
        missing=picture.missing,
    )
