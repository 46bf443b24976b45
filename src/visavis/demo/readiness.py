"""Whether the demo's collection is there already, whole and made by the present drawings and the present encoder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlalchemy import not_, or_, select

from visavis.collections.adding import OWN
from visavis.collections.collection import open_collection
from visavis.collections.places import Place
from visavis.collections.tables import LocationRow
from visavis.demo.catalogue import DRAWING_VERSION
from visavis.demo.files import write_whole
from visavis.errors import BadInputError
from visavis.home import home_folder

_FILE = "ready.json"


def is_ready(home: Path | str | None, collection: str, count: int) -> bool:
    """Whether everything was drawn and indexed by an earlier run, so that nothing has to be looked at again."""
    try:
        noted = json.loads(_file(home).read_text())
    except (OSError, ValueError):
        return False
    return bool(noted == _note(count) and Place.of(collection, home).exists and not is_outdated(home, collection))


def is_outdated(home: Path | str | None, collection: str) -> bool:
    """Whether the collection was made with other encoder files than those that are installed now."""
    if not Place.of(collection, home).exists:
        return False
    with open_collection(collection, home) as opened:
        try:
            _ = opened.encoder
        except BadInputError:
            return True
    return False


def remove_outdated(home: Path | str | None, collection: str) -> bool:
    """Remove a collection whose vectors no longer fit, so that it is made anew; its pictures stay drawn.

    Raises:
        BadInputError: It is not the demo's, though it is called so.
    """
    check_own(home, collection)
    outdated = is_outdated(home, collection)
    if outdated:
        Place.of(collection, home).remove()
    return outdated


def check_own(home: Path | str | None, collection: str) -> None:
    """Refuse to touch a collection of this name that holds anything but drawn pictures and what was made of them.

    Raises:
        BadInputError: It does.
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
    """Note that everything is drawn and indexed."""
    write_whole(_file(home), lambda path: path.write_text(json.dumps(_note(count))))


def _note(count: int) -> dict[str, Any]:
    return {"count": count, "drawing": DRAWING_VERSION}


def _file(home: Path | str | None) -> Path:
    return home_folder(home) / "demo" / _FILE
