"""What a text tower reads: token ids, and the word table with the vector of each word piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis.errors import BadInputError, StorageError
from visavis.files import check_installed

#: Longer texts are cut here before they are tokenised: far beyond what a tower reads, and a bound on time and memory.
LONGEST_TEXT = 10_000
#: Up to so many texts are read one after another.
_AT_ONCE = 16


class TextReader:
    """Tokenises texts for one tower: lower case, cut at the tower's length, never padded."""

    def __init__(self, path: Path, max_tokens: int) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare exceptions
            raise StorageError(f"The tokenizer {path} is damaged ({error}).", "Install visavis anew.") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def read(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """Token ids ``[1, length]`` of each text, the marks at both ends included."""
        cleaned = [clean(text) for text in strings(texts)]
        if len(cleaned) <= _AT_ONCE:  # threads for a handful of texts take longer to start than the texts to read
            encodings = [self._tokenizer.encode(text) for text in cleaned]
        else:
            encodings = self._tokenizer.encode_batch(cleaned)
        return [np.array([encoding.ids], np.int64) for encoding in encodings]


def clean(text: str) -> str:
    """One line of valid Unicode, of bounded length."""
    # Looking at more than this would only find white space and words that are cut off anyway.
    line = " ".join(text[: 10 * LONGEST_TEXT].split())[:LONGEST_TEXT]
    return line.encode("utf-8", "replace").decode("utf-8")


def strings(texts: Sequence[str]) -> Sequence[str]:
    """The texts themselves, once it is sure that they are texts; otherwise an error that says which is not."""
    if isinstance(texts, str):
        raise BadInputError("One text was given where several are expected.", "Put it into a list.")
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise BadInputError(f"Number {place} is a {type(text).__name__}, not a text.")
    return texts


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
    check_installed(path)
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
