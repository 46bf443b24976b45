"""The Fashion Product Images set: ``styles.csv`` with a title for each id, and a folder of ``ID.jpg``."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.base import CaptionedPicture, CaptionedSet, captioned_set
from visavis.lab.datasets.folders import read_lines

STYLES = "styles.csv"
SPLITS = ("train", "val")
_TITLE = "productDisplayName"
#: One product in so many is held out.
_HELD_OUT = 20


def is_held_out(product: str) -> bool:
    """Return whether a product belongs to the split ``val``: a fixed twentieth, chosen by a hash of the id."""
    return _part(product) == 0


def is_development(product: str) -> bool:
    """Return whether a product validates trainings on products: another fixed twentieth, never trained on by them."""
    return _part(product) == 1


def _part(product: str) -> int:
    digest = hashlib.blake2b(product.encode()).hexdigest()
    return int(digest[:8], 16) % _HELD_OUT


def read_products(styles: Path, images: Path | None = None, split: str | None = None) -> CaptionedSet:
    """Read the titles of products.

    Args:
        styles: The CSV file.
        images: The folder of pictures; by default searched beside the file.
        split: ``val`` for the held-out twentieth, ``train`` for the others, otherwise all.
    """
    if split not in (None, *SPLITS):
        raise BadInputError(f"Products have no split '{split}'.", f"Choose one of {', '.join(SPLITS)}.")
    rows = _titles(styles)
    folder = images or _find_images(styles.parent, [product for product, _ in rows])
    pictures = [
        CaptionedPicture(folder / f"{product}.jpg", (title,))
        for product, title in rows
        if split is None or is_held_out(product) == (split == "val")
    ]
    return captioned_set(f"products {split}" if split else "products", pictures, folder)


def _titles(path: Path) -> list[tuple[str, str]]:
    # The published file does not quote its last column, the title, so a comma there makes one column too many.
    reader = csv.reader(line for _, line in read_lines(path))
    header = next(reader, [])
    if header[:1] != ["id"] or header[-1:] != [_TITLE]:
        raise BadInputError(f"{path} does not begin with the columns id ... {_TITLE}.")
    last = len(header) - 1
    titles = ((row[0].strip(), ",".join(row[last:]).strip()) for row in reader if len(row) > last)
    return [(product, title) for product, title in titles if product and title]


def _find_images(folder: Path, products: list[str]) -> Path:
    places = [folder, folder / "images", *sorted(p for p in folder.iterdir() if p.is_dir())]
    for place in places:
        if any((place / f"{product}.jpg").is_file() for product in products):
            return place
    raise NotFoundError(f"There are no pictures of products in {folder}.", "Say where they are with --images.")
