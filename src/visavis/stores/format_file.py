"""The small file beside the engine's own that says what a store is: which format, dimension, precision, fields."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, StorageError
from visavis.stores.base import FieldKind
from visavis.stores.options import IndexOptions, StoreOptions

#: Raised when a store of today could not be read by the visavis of yesterday.
FORMAT_VERSION = 1
FILE_NAME = "store.json"


@dataclass(frozen=True)
class StoreFormat:
    """What a store was made with, and which of its fields have an index."""

    dimension: int
    options: StoreOptions = field(default_factory=StoreOptions)
    fields: dict[str, FieldKind] = field(default_factory=dict)

    def with_field(self, name: str, kind: FieldKind) -> StoreFormat:
        """The same with one more indexed field."""
        return replace(self, fields={**self.fields, name: kind})

    def check_dimension(self, wanted: int | None, where: object) -> None:
        """Refuse vectors of another length.

        Raises:
            BadInputError: The store keeps others.
        """
        if wanted is not None and wanted != self.dimension:
            raise dimension_error(where, self.dimension, wanted)


def dimension_error(where: object, kept: int, wanted: int) -> BadInputError:
    """The store keeps vectors of another length."""
    return BadInputError(
        f"The store {where} keeps vectors of {kept} numbers, not of {wanted}.",
        "Use the encoder that it was made with, or make a new store.",
    )


def write_format(folder: Path, made_like: StoreFormat) -> None:
    """Write the file at once or not at all: a reader never sees half of it."""
    written = json.dumps({"format": FORMAT_VERSION, "engine": "qdrant-edge", **asdict(made_like)}, indent=2)
    draft = folder / f".{FILE_NAME}.{os.getpid()}"
    with draft.open("w", encoding="utf-8") as file:
        file.write(written + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / FILE_NAME)


def read_format(folder: Path) -> StoreFormat | None:
    """What the store in a folder is, or None when there is none.

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
    if version > FORMAT_VERSION:
        raise StorageError(
            f"The store in {folder} has the format {version}; this visavis reads up to {FORMAT_VERSION}.",
            "Use a newer visavis: pip install --upgrade visavis",
        )
    try:
        return _read(written)
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(file, error) from error


def _read(written: dict[str, Any]) -> StoreFormat:
    options = dict(written["options"])
    index = IndexOptions(**options.pop("index"))
    dimension = written["dimension"]
    if not isinstance(dimension, int) or dimension < 1:
        raise ValueError(f"dimension {dimension!r}")
    return StoreFormat(dimension, StoreOptions(index=index, **options), dict(written["fields"]))


def _damaged(file: Path, error: Exception) -> StorageError:
    return StorageError(
        f"{file} is damaged: {error}.", "Restore it from a backup, or remove its folder and index the pictures again."
    )
