"""Pictures with texts for the protocol benchmarks, of a folder with the file that lists them.

That is ``captions.jsonl`` or ``styles.csv``, or a file as it was published: Visual Genome's
``region_descriptions.json``, Fashion IQ's ``split.CATEGORY.SPLIT.json``, ``captions_shoes.json`` of Shoes.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.base import ProtocolPicture
from visavis.lab.datasets.folders import STYLES, is_held_out, read_json_lines, read_lines
from visavis.lab.datasets.multiturn import GALLERIES, SHOES, read_fashion_pictures, read_shoe_pictures

CAPTIONS = "captions.jsonl"
#: Every fourth target (by a hash of its id) was used for tuning or validation and is not measured.
_DEVELOPMENT = 4
#: Visual Genome's descriptions of regions.
REGIONS = "region_descriptions.json"
#: Pictures with fewer different ones are left out, as in Drill-down's paper.
FEWEST = 10
#: One picture of Visual Genome in so many is of the split ``val``; it has no splits of its own.
_HELD_REGIONS = 7


def is_development(target: str) -> bool:
    """Return whether a target was used for tuning or validation and must not be measured."""
    return hashlib.blake2b(target.encode()).digest()[0] % _DEVELOPMENT == 0


def read_protocol_data(data: Path, images: Path | None = None) -> list[ProtocolPicture]:
    """Read the pictures of a folder whose files exist.

    Args:
        data: Has ``captions.jsonl`` with ``{file, captions[, attributes, split]}`` or ``{image_id, captions, split}`` a
            line, or ``styles.csv``, of which a fixed twentieth has the split ``val``, or a published file (see above).
        images: The folder of the pictures; by default searched in and below ``data``.
    """
    named = read_rows(find_rows(data))
    folders = [images] if images else [data, *sorted(path for path in data.iterdir() if path.is_dir())]
    there = _Files(folders)
    placed = [replace(picture, path=path) for picture in named if (path := there.of(picture)) is not None]
    if not placed:
        raise NotFoundError(
            f"None of the {len(named)} pictures of {data} is there.", "Put them beside the file that names them."
        )
    return placed


class _Files:
    """The pictures in some folders, and by their names alone at any depth (Visual Genome has two folders)."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders = folders

    def of(self, picture: ProtocolPicture) -> Path | None:
        """Return its file."""
        for name in filter(None, (str(picture.path), picture.also)):
            for folder in self._folders:
                if (folder / name).is_file():
                    return folder / name
            if Path(name).name == name and name in self._below:
                return self._below[name]
        return None

    @cached_property
    def _below(self) -> Mapping[str, Path]:
        return {path.name: path for folder in reversed(self._folders) for path in sorted(folder.rglob("*"))}


def find_rows(data: Path) -> Path:
    """Return the file of a folder that lists its pictures; of Fashion IQ's galleries the first."""
    galleries = (file.name for file in sorted(data.glob(GALLERIES)))
    for name in (CAPTIONS, STYLES, REGIONS, SHOES, *galleries):
        if (data / name).is_file():
            return data / name
    raise NotFoundError(f"{data} has neither {CAPTIONS} nor {STYLES}.", "Name the folder of a data set with --data.")


def read_rows(file: Path) -> list[ProtocolPicture]:
    """Read the pictures that such a file lists, with paths as given."""
    if file.name == REGIONS:
        return _described(file)
    if file.name == SHOES:
        return read_shoe_pictures(file)
    if file.match(GALLERIES):
        return read_fashion_pictures(file.parent)
    return _products(file) if file.suffix == ".csv" else _captioned(file)


def read_region_descriptions(file: Path, fewest: int = FEWEST) -> dict[str, tuple[str, ...]]:
    """Read the different descriptions of each picture of Visual Genome, in their order.

    Args:
        file: ``[{"id": 1, "regions": [{"phrase": ..., "image_id": 1, "x": ..., ...}, ...]}, ...]``.
        fewest: Pictures with fewer are left out.
    """
    try:
        rows = json.loads(file.read_text("utf-8"))
        told = {str(row["id"]): _different(region["phrase"] for region in row["regions"]) for row in rows}
    except OSError as error:
        raise NotFoundError(f"The file {file} cannot be read: {error.strerror}.", "Check the path.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{file} has no region descriptions: {error!r}.", "It needs id and regions.") from error
    return {id: phrases for id, phrases in told.items() if len(phrases) >= fewest}


def _different(phrases: Iterable[object]) -> tuple[str, ...]:
    plain = (" ".join(str(phrase).lower().split()).rstrip(".") for phrase in phrases)
    return tuple(dict.fromkeys(filter(None, plain)))


def split_of_regions(id: str) -> str:
    """The split of a picture of Visual Genome, by a hash of its id."""
    return "val" if hashlib.blake2b(id.encode()).digest()[1] % _HELD_REGIONS == 0 else "train"


def _described(file: Path) -> list[ProtocolPicture]:
    """Pictures with as many descriptions as a conversation has turns."""
    return [
        ProtocolPicture(id, Path(f"{id}.jpg"), phrases[:FEWEST], split=split_of_regions(id))
        for id, phrases in read_region_descriptions(file).items()
    ]


def _captioned(path: Path) -> list[ProtocolPicture]:
    pictures = []
    for line, row in read_json_lines(path):
        try:
            texts, split = tuple(map(str, row.get("captions", ()))), str(row.get("split") or "")
            number = row.get("image_id")
            file = Path(str(row["file"]) if number is None or "file" in row else f"{int(number):012d}.jpg")
            id = file.stem if number is None else str(number)
            pictures.append(ProtocolPicture(id, file, texts, dict(row.get("attributes") or {}), split))
        except (KeyError, TypeError, ValueError) as error:
            raise BadInputError(f"{path}, line {line}: a 'file' and 'captions' are expected.") from error
    return pictures


def _products(path: Path) -> list[ProtocolPicture]:
    pictures = []
    for row in csv.DictReader(line for _, line in read_lines(path)):
        id = str(row.get("id") or "").strip()
        if id:
            attributes = {name: value for name, value in row.items() if isinstance(name, str)}
            title = str(row.get("productDisplayName") or "")
            split = "val" if is_held_out(id) else "train"
            pictures.append(ProtocolPicture(id, Path(f"{id}.jpg"), (title,) if title else (), attributes, split))
    return pictures
