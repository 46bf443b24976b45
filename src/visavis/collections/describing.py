"""What there is to tell about a collection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visavis.collections.places import Place, names
from visavis.errors import VisavisError

if TYPE_CHECKING:
    from visavis.collections.collection import Collection


def describe(collection: Collection) -> dict[str, Any]:
    """Everything, vectors included; opens the store."""
    made_with = collection.catalogue.meta("encoder")
    return {
        "name": collection.name,
        "folder": str(collection.place.folder),
        **asdict(collection.catalogue.counts()),
        "encoder": made_with["name"] if made_with else None,
        "dimension": made_with["dimension"] if made_with else None,
        "attributes": dict(collection.catalogue.attribute_names()),
        "catalogue": _without_password(collection.settings.catalogue) or str(collection.place.catalogue_file),
        "store": asdict(collection.store.info()) if made_with else None,
        "thumbnail_bytes": folder_bytes(collection.place.thumbnails_folder),
        "disk_bytes": folder_bytes(collection.place.folder),
    }


def list_collections(home: Path | str | None = None) -> Iterator[dict[str, Any]]:
    """A line for each collection; one that cannot be opened says why instead of hiding the others."""
    from visavis.collections.catalogue import Catalogue
    from visavis.collections.database import schema_name

    for name in names(home):
        place = Place.of(name, home)
        try:
            settings = place.settings()
            catalogue = Catalogue(settings.catalogue or place.catalogue_file, schema_name(name))
            with closing(catalogue):
                made_with = catalogue.meta("encoder")
                told = {**asdict(catalogue.counts()), "encoder": made_with["name"] if made_with else None}
            yield {"name": name, **told}
        except VisavisError as error:
            yield {"name": name, "error": str(error)}


def folder_bytes(folder: Path) -> int:
    """What everything in a folder takes on the disk."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_blocks * 512  # not their lengths: logs are long and mostly holes
        except OSError:  # a file that another process has just replaced
            continue
    return total


def _without_password(url: str | None) -> str | None:
    if url is None:
        return None
    from sqlalchemy import make_url

    return make_url(url).render_as_string()
