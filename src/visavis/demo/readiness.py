"""Check whether the demo's collection is complete and up to date with the drawings and the encoder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlalchemy import not_, or_, select

from visavis.api import open_collection
from visavis.collections.descriptions import OWN
from visavis.collections.places import Place
from visavis.collections.tables import LocationRow
from visavis.demo.catalogue import DRAWING_VERSION
from visavis.errors import BadInputError
from visavis.files import replace_bytes
from visavis.home import home_folder

_FILE = "ready.json"


def is_ready(home: Path | str | None, collection: str, count: int) -> bool:
    """Return whether an earlier run drew and indexed everything, so that nothing has to be checked again."""
    try:
        noted = json.loads(_file(home).read_text())
    except (OSError, ValueError):
        return False
    return bool(noted == _marker(count) and Place.of(collection, home).exists and not is_outdated(home, collection))


def is_outdated(home: Path | str | None, collection: str) -> bool:
    """Return whether the collection was made with another version of the encoder's files."""
    if not Place.of(collection, home).exists:
        return False
    with open_collection(collection, home) as opened:
        try:
            _ = opened.encoder
        except BadInputError:
            return True
    return False


def remove_outdated(home: Path | str | None, collection: str) -> bool:
    """Remove a collection with outdated vectors, so that it is indexed again; its pictures stay.

    Raises:
        BadInputError: A collection of this name exists that is not the demo's.
    """
    check_own(home, collection)
    outdated = is_outdated(home, collection)
    if outdated:
        Place.of(collection, home).remove()
    return outdated


def check_own(home: Path | str | None, collection: str) -> None:
    """Check that a collection of this name contains only drawn pictures and their edits.

    Raises:
        BadInputError: It contains others.
    """
    if not Place.of(collection, home).exists:
        return
    drawn = or_(LocationRow.source == OWN, LocationRow.path.contains("/demo/pictures/demo-"))
    with open_collection(collection, home) as opened, opened.catalogue.transaction() as session:
        foreign = session.scalar(select(LocationRow.path).where(not_(drawn)).limit(1))
    if foreign is not None:
        raise BadInputError(
            f"The collection '{collection}' holds pictures of your own ({foreign}).",
            "Give the demo a home of its own: --home FOLDER",
        )


def note_ready(home: Path | str | None, count: int) -> None:
    """Record that everything is drawn and indexed."""
    replace_bytes(_file(home), json.dumps(_marker(count)).encode())


def _marker(count: int) -> dict[str, Any]:
    return {"count": count, "drawing": DRAWING_VERSION}


def _file(home: Path | str | None) -> Path:
    return home_folder(home) / "demo" / _FILE
