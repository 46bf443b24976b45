"""The word table: the vector of each word piece before a tower reads it, one file for all who need it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis.errors import StorageError

#: The table that ships, which the text tower and the parser share.
WORD_TABLE = Path(__file__).parent / "weights" / "words.npy"
#: Each row ends with its scale, a float32.
_SCALE_BYTES = 4


@dataclass(frozen=True)
class WordTable:
    """Vectors of word pieces as bytes ``[n, width]``, with one scale a row, ``[n, 1]``."""

    bytes: NDArray[np.int8]
    scale: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.bytes)

    def vectors(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of pieces by their numbers, ``[..., width]``."""
        return self.bytes[ids].astype(np.float32) * self.scale[ids]


def read_word_table(path: Path = WORD_TABLE) -> WordTable:
    """Read a word table; its bytes stay in the file until they are used.

    Raises:
        StorageError: The file is missing or damaged.
    """
    try:
        rows = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(path, error) from error
    if rows.dtype != np.int8 or rows.ndim != 2 or rows.shape[1] <= _SCALE_BYTES:
        raise _damaged(path, f"{rows.dtype} {rows.shape}")
    width = rows.shape[1] - _SCALE_BYTES
    scale = np.ascontiguousarray(rows[:, width:]).view("<f4")
    return WordTable(rows[:, :width], np.asarray(scale, np.float32))


def _damaged(path: Path, why: object) -> StorageError:
    return StorageError(f"The word table {path} is damaged ({why}).", "Install visavis anew.")
