"""The file that describes a store: its format version, dimension, precision and indexed fields."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from visavis.errors import BadInputError, StorageError
from visavis.files import PRIVATE_FILE, replace_bytes
from visavis.stores.base import FieldKind, IndexOptions, StoreOptions

#: Increased with every incompatible change.
FORMAT_VERSION = 2
FILE_NAME = "store.json"


@dataclass(frozen=True)
class StoreFormat:
    """The dimension and options of a store, and its indexed fields.

    Attributes:
        dimension: The length of its vectors.
        options: The options at creation.
        fields: The indexed fields and their kinds.
        regions: Whether the engine keeps the regions (until format 1), or a file of their own.
    """

    dimension: int
    options: StoreOptions = field(default_factory=StoreOptions)
    fields: dict[str, FieldKind] = field(default_factory=dict)
    regions: Literal["engine", "file"] = "file"

    def with_field(self, name: str, kind: FieldKind) -> StoreFormat:
        """Return a copy with one more indexed field."""
        return replace(self, fields={**self.fields, name: kind})

    def check_dimension(self, wanted: int | None, where: object) -> None:
        """Check the length of vectors.

        Raises:
            BadInputError: The store's vectors have another length.
        """
        if wanted is not None and wanted != self.dimension:
            raise dimension_error(where, self.dimension, wanted)


def dimension_error(where: object, kept: int, wanted: int) -> BadInputError:
    """Return the error for vectors of another length."""
    return BadInputError(
        f"The store {where} keeps vectors of {kept} numbers, not of {wanted}.",
        "Use the encoder that it was made with, or make a new store.",
    )


def write_format(folder: Path, store_format: StoreFormat) -> None:
    """Write the file atomically and flush it to the disk: without it the vectors cannot be opened."""
    written = json.dumps({"format": FORMAT_VERSION, "engine": "qdrant-edge", **asdict(store_format)}, indent=2)
    replace_bytes(folder / FILE_NAME, f"{written}\n".encode(), durable=True, mode=PRIVATE_FILE)


def read_format(folder: Path) -> StoreFormat | None:
    """Read the format of the store in a folder, or None when there is none.

    Raises:
        StorageError: The file is damaged, or a newer visavis wrote it.
    """
    file = folder / FILE_NAME
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
        version = int(written["format"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(file, error) from error
    return parse_format({**written, "format": version}, file, FORMAT_VERSION)


def parse_format(written: dict[str, Any], where: object, newest: int) -> StoreFormat:
    """Return the format that a store's description states.

    Args:
        written: The description, with its version as ``format``.
        where: Names the store, or the file, in messages.
        newest: The newest version that is understood.

    Raises:
        StorageError: It is damaged, or a newer visavis wrote it.
    """
    if written["format"] > newest:
        raise StorageError(
            f"The store {where} has the format {written['format']}; this visavis reads up to {newest}.",
            "Use a newer visavis: pip install --upgrade visavis",
        )
    try:
        return _read(written)
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(where, error) from error


def _read(written: dict[str, Any]) -> StoreFormat:
    options = dict(written["options"])
    index = IndexOptions(**options.pop("index"))
    dimension = written["dimension"]
    if not isinstance(dimension, int) or dimension < 1:
        raise ValueError(f"dimension {dimension!r}")
    regions: Literal["engine", "file"] = "engine" if written.get("regions", "engine") == "engine" else "file"
    return StoreFormat(dimension, StoreOptions(index=index, **options), dict(written["fields"]), regions)


def _damaged(file: object, error: Exception) -> StorageError:
    return StorageError(
        f"{file} is damaged: {error}.", "Restore it from a backup, or remove its folder and index the pictures again."
    )
