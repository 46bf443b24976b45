"""The demo: draw a catalogue, index it, search it, check the results; and whether an earlier run did all that."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from sqlalchemy import not_, or_, select

from visavis.api import open_collection
from visavis.collections.database import LocationRow
from visavis.collections.descriptions import OWN
from visavis.collections.places import Place
from visavis.demo.catalogue import DRAWING_VERSION, draw_catalogue
from visavis.demo.sheet import SheetRow, contact_sheet
from visavis.errors import BadInputError
from visavis.files import replace_bytes
from visavis.home import ensure_folder, home_folder

if TYPE_CHECKING:
    from visavis.api import Collection, SearchResults
    from visavis.collections.indexing.items import IndexReport

COLLECTION = "demo"
_SHOWN = 6
#: A search succeeds when one of its first few results matches the description.
_FIRST = 3
_FILE = "ready.json"


@dataclass(frozen=True)
class ExpectedFind:
    """A search, and the attributes of the expected pictures."""

    text: str
    attributes: Mapping[str, str]
    avoid: str = ""
    filter: str = ""

    @property
    def heading(self) -> str:
        """The search in one line."""
        parts = [self.text, f"not: {self.avoid}" if self.avoid else "", f"only: {self.filter}" if self.filter else ""]
        return "   ".join(part for part in parts if part)


SEARCHES = (
    ExpectedFind("a red striped dress", {"category": "dress", "colour": "red", "pattern": "striped"}),
    ExpectedFind("a black leather handbag", {"category": "bag", "colour": "black"}),
    ExpectedFind("a yellow hat", {"category": "hat", "colour": "yellow"}),
    ExpectedFind("green trousers", {"category": "trousers", "colour": "green"}),
    ExpectedFind("a floral skirt", {"category": "skirt", "pattern": "floral"}, avoid="pink"),
    ExpectedFind("a T-shirt with a logo", {"category": "T-shirt", "pattern": "logo"}),
    ExpectedFind("a warm winter coat", {"category": "coat"}, filter="price < 120"),
)


@dataclass(frozen=True)
class SearchCheck:
    """The result of one search of the demo."""

    described: ExpectedFind
    results: SearchResults
    right: int | None

    @property
    def found(self) -> bool:
        """Whether an expected picture is among the first few."""
        return self.right is not None and self.right <= _FIRST

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        first = self.results.results[0].picture.title if self.results.results else None
        return {"search": self.described.heading, "found": self.found, "rank": self.right, "first": first}


def draw_pictures(home: Path | str | None, count: int, on_progress: Callable[[int, int], None] | None = None) -> Path:
    """Draw the missing pictures of the catalogue; returns its folder."""
    folder = ensure_folder(home_folder(home) / "demo" / "pictures")
    draw_catalogue(folder, count, on_progress=on_progress)
    return folder


def index_pictures(
    home: Path | str | None, folder: Path, on_progress: Callable[[IndexReport], None] | None = None
) -> Collection:
    """Index every picture of the folder into the demo's collection."""
    from visavis.api import open_collection

    collection = open_collection(COLLECTION, home, create=True)
    collection.index(folder, on_progress=on_progress)
    return collection


def ask(collection: Collection, searches: Sequence[ExpectedFind] = SEARCHES) -> list[SearchCheck]:
    """Run the searches whose items were drawn (a small catalogue lacks some)."""
    answers = []
    for described in filter(lambda one: _drawn(collection, one), searches):
        avoid = (described.avoid,) if described.avoid else ()
        results = collection.search(described.text, k=_SHOWN, avoid=avoid, filter=described.filter or None)
        fits = [_matches(result.picture.attributes, described.attributes) for result in results.results]
        answers.append(SearchCheck(described, results, fits.index(True) + 1 if any(fits) else None))
    return answers


def sheet(collection: Collection, answers: Sequence[SearchCheck]) -> Image.Image:
    """Render all results as one contact sheet."""
    rows = []
    for answer in answers:
        found = [result.picture for result in answer.results.results]
        pictures = [collection.open_image(picture.id) for picture in found]
        rows.append(SheetRow(answer.described.heading, pictures, [picture.title for picture in found]))
    return contact_sheet([row for row in rows if row.pictures], title="visavis: described, and found")


def _drawn(collection: Collection, described: ExpectedFind) -> bool:
    from visavis.stores.filters import All, Equals

    return collection.store.count(All(tuple(Equals(*pair) for pair in described.attributes.items()))) > 0


def _matches(attributes: Mapping[str, Any], expected: Mapping[str, str]) -> bool:
    return all(attributes.get(name) == value for name, value in expected.items())


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
