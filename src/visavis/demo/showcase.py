"""The demo: draw a catalogue, index it, search it, and say whether what was described was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from visavis.demo.catalogue import draw_catalogue
from visavis.demo.sheet import SheetRow, contact_sheet
from visavis.home import ensure_folder, home_folder

if TYPE_CHECKING:
    from visavis.collections.collection import Collection
    from visavis.collections.indexing.work import Report
    from visavis.collections.searching.request import SearchResults

COLLECTION = "demo"
_SHOWN = 6
#: A search counts as a success when one of its first few results is exactly what was described.
_FIRST = 3


@dataclass(frozen=True)
class Described:
    """A search, and the attributes of the pictures that it describes."""

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
    Described("a red striped dress", {"category": "dress", "colour": "red", "pattern": "striped"}),
    Described("a black leather handbag", {"category": "bag", "colour": "black"}),
    Described("a yellow hat", {"category": "hat", "colour": "yellow"}),
    Described("green trousers", {"category": "trousers", "colour": "green"}),
    Described("a floral skirt", {"category": "skirt", "pattern": "floral"}, avoid="pink"),
    Described("a T-shirt with a logo", {"category": "T-shirt", "pattern": "logo"}),
    Described("a warm winter coat", {"category": "coat"}, filter="price < 120"),
)


@dataclass(frozen=True)
class Answer:
    """What one search of the demo gave."""

    described: Described
    results: SearchResults
    right: int | None

    @property
    def found(self) -> bool:
        """Whether what was described is among the first few."""
        return self.right is not None and self.right <= _FIRST

    def as_json(self) -> dict[str, Any]:
        """The answer for scripts."""
        first = self.results.results[0].picture.title if self.results.results else None
        return {"search": self.described.heading, "found": self.found, "rank": self.right, "first": first}


def draw_pictures(home: Path | str | None, count: int, on_progress: Callable[[int, int], None] | None = None) -> Path:
    """Draw the catalogue, as far as that is not done already; returns its folder."""
    folder = ensure_folder(home_folder(home) / "demo" / "pictures")
    draw_catalogue(folder, count, on_progress=on_progress)
    return folder


def index_pictures(
    home: Path | str | None, folder: Path, on_progress: Callable[[Report], None] | None = None
) -> Collection:
    """The demo's collection, with every picture of the folder in it."""
    from visavis.collections.collection import open_collection

    collection = open_collection(COLLECTION, home, create=True)
    collection.index(folder, on_progress=on_progress)
    return collection


def ask(collection: Collection, searches: Sequence[Described] = SEARCHES) -> list[Answer]:
    """Play the searches whose things were drawn at all (a small catalogue lacks some)."""
    answers = []
    for described in filter(lambda one: _drawn(collection, one), searches):
        avoid = (described.avoid,) if described.avoid else ()
        results = collection.search(described.text, k=_SHOWN, avoid=avoid, filter=described.filter or None)
        fits = [_fits(result.picture.attributes, described.attributes) for result in results.results]
        answers.append(Answer(described, results, fits.index(True) + 1 if any(fits) else None))
    return answers


def sheet(collection: Collection, answers: Sequence[Answer]) -> Image.Image:
    """All answers as one picture."""
    rows = []
    for answer in answers:
        found = [result.picture for result in answer.results.results]
        pictures = [collection.open_image(picture.id) for picture in found]
        rows.append(SheetRow(answer.described.heading, pictures, [picture.title for picture in found]))
    return contact_sheet([row for row in rows if row.pictures], title="visavis: described, and found")


def _drawn(collection: Collection, described: Described) -> bool:
    from visavis.stores.filters import All, Equals

    return collection.store.count(All(tuple(Equals(*pair) for pair in described.attributes.items()))) > 0


def _fits(attributes: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    return all(attributes.get(name) == value for name, value in wanted.items())
