"""Pictures with texts for the protocol benchmarks: a folder with ``captions.jsonl`` or ``styles.csv``."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.folders import STYLES, is_held_out, read_json_lines, read_lines

CAPTIONS = "captions.jsonl"
#: Every fourth target (by a hash of its id) was used for tuning or validation and is not measured.
_DEVELOPMENT = 4


@dataclass(frozen=True)
class ProtocolPicture:
    """A picture of a benchmark's gallery.

    Attributes:
        id: Its id in results: the name of its file, COCO's number or a product's.
        path: Its file.
        captions: Its captions.
        attributes: Its attributes in the catalogue.
        split: Its split; empty where the set has none.
    """

    id: str
    path: Path
    captions: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    split: str = ""

    def is_target(self, split: str) -> bool:
        """Return whether it may be a target: it is of this split, or of a set without splits."""
        return self.split in ("", split)


def is_development(target: str) -> bool:
    """Return whether a target was used for tuning or validation and must not be measured."""
    return hashlib.blake2b(target.encode()).digest()[0] % _DEVELOPMENT == 0


def read_protocol_data(data: Path, images: Path | None = None) -> list[ProtocolPicture]:
    """Read the pictures of a folder whose files exist.

    Args:
        data: Has ``captions.jsonl`` with ``{file, captions[, attributes, split]}`` or ``{image_id, captions, split}`` a
            line, or ``styles.csv``, of which a fixed twentieth has the split ``val``.
        images: The folder of the pictures; by default searched in and below ``data``.
    """
    named = read_rows(find_rows(data))
    folders = [images] if images else [data, *sorted(path for path in data.iterdir() if path.is_dir())]
    found = [folder for folder in folders if any((folder / picture.path).is_file() for picture in named)]
    if not found:
        raise NotFoundError(
            f"None of the {len(named)} pictures of {data} is there.", "Put them beside the file that names them."
        )
    placed = [ProtocolPicture(p.id, found[0] / p.path, p.captions, p.attributes, p.split) for p in named]
    return [picture for picture in placed if picture.path.is_file()]


def find_rows(data: Path) -> Path:
    """Return the file of a folder that lists its pictures."""
    for name in (CAPTIONS, STYLES):
        if (data / name).is_file():
            return data / name
    raise NotFoundError(f"{data} has neither {CAPTIONS} nor {STYLES}.", "Name the folder of a data set with --data.")


def read_rows(file: Path) -> list[ProtocolPicture]:
    """Read the pictures that such a file lists, with paths as given."""
    return _products(file) if file.suffix == ".csv" else _captioned(file)


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
