"""The published files of Fashion IQ, of its dialogues MT-FashionIQ, and of Shoes: relative captions of pairs.

None of them has pictures inside: those lie in a folder as ``ID.jpg``, or are listed as ``ID URL`` lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.folders import read_lines
from visavis.search.learned.fashioniq import without_prefix

CATEGORIES = ("dress", "shirt", "toptee")
#: The groups of a product's attributes in MT-FashionIQ's files, in their order.
GROUPS = ("kind", "texture", "fabric", "shape", "part", "style")


@dataclass(frozen=True)
class RelativeCaption:
    """What a person said about how a product differs from another.

    Attributes:
        target: The product that is meant.
        reference: The product that was shown.
        captions: What annotators said, each on their own.
        category: ``dress``, ``shirt``, ``toptee`` or ``shoes``.
    """

    target: str
    reference: str
    captions: tuple[str, ...]
    category: str = ""


@dataclass(frozen=True)
class ReferenceChain:
    """A dialogue of MT-FashionIQ: one target, and the products that were shown on the way to it."""

    target: str
    turns: tuple[RelativeCaption, ...]


def read_captions(folder: Path, split: str, categories: Sequence[str] = CATEGORIES) -> list[RelativeCaption]:
    """The pairs of ``cap.CATEGORY.SPLIT.json``; pairs without a caption are left out."""
    made = []
    for category in categories:
        file = folder / f"cap.{category}.{split}.json"
        for row in _rows(file):
            try:
                said = tuple(without_prefix(str(text)) for text in row["captions"] if str(text).strip())
                pair = RelativeCaption(str(row["target"]), str(row["candidate"]), said, category)
            except (KeyError, TypeError) as error:
                raise BadInputError(f"{file} is no file of relative captions: {error!r}.") from error
            if said:
                made.append(pair)
    return made


def read_split(folder: Path, split: str, category: str) -> list[str]:
    """The products of ``split.CATEGORY.SPLIT.json``: the gallery of a category."""
    return [str(id) for id in _rows(folder / f"split.{category}.{split}.json")]


def read_chains(file: Path) -> list[ReferenceChain]:
    """The dialogues of MT-FashionIQ: ``target`` and ``reference``, each with its URL, captions and id."""
    made = []
    for row in _rows(file):
        try:
            target = str(row["target"][1])
            turns = tuple(
                RelativeCaption(target, str(id), tuple(without_prefix(str(text)) for text in said if str(text).strip()))
                for _, said, id in row["reference"]
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise BadInputError(f"{file} is no file of MT-FashionIQ: {error!r}.") from error
        made.append(ReferenceChain(target, turns))
    return made


def read_attributes(file: Path) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Attributes by product, in the order of :data:`GROUPS`; rows that repeat their groups are read once."""
    value = _json(file)
    if not isinstance(value, Mapping):
        raise BadInputError(f"{file} has no attributes by product.")
    return {
        str(id): tuple(tuple(str(name) for name in group if str(name).strip()) for group in groups[: len(GROUPS)])
        for id, groups in value.items()
    }


def read_shoes(folder: Path) -> tuple[list[RelativeCaption], dict[str, str]]:
    """Relative captions of shoes, and descriptions by picture, of the files of Guo et al. (2018)."""
    pairs, described = folder / "relative_captions_shoes.json", folder / "captions_shoes.json"
    try:
        said = [
            RelativeCaption(str(row["ImageName"]), str(row["ReferenceImageName"]), (row["RelativeCaption"],), "shoes")
            for row in _rows(pairs)
        ]
        told = {str(row["ImageName"]): str(row["Caption"]) for row in (_rows(described) if described.is_file() else [])}
    except (KeyError, TypeError) as error:
        raise BadInputError(f"{folder} has no captions of shoes: {error!r}.") from error
    return said, told


def read_urls(file: Path) -> dict[str, str]:
    """Where pictures were published: lines of an id and a URL, as in ``asin2url.CATEGORY.txt``."""
    pairs = (line.split() for _, line in read_lines(file))
    return {parts[0]: parts[1] for parts in pairs if len(parts) == 2}


def picture_files(folder: Path, ids: Sequence[str]) -> dict[str, Path]:
    """The files of products in a folder; those that are not there are left out."""
    found = {id: next((f for s in ("jpg", "png", "jpeg") if (f := folder / f"{id}.{s}").is_file()), None) for id in ids}
    return {id: file for id, file in found.items() if file is not None}


def _rows(file: Path) -> Sequence[Any]:
    value = _json(file)
    if not isinstance(value, list):
        raise BadInputError(f"{file} is no list.")
    return value


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadInputError(f"{file} is not JSON ({error}).") from error
