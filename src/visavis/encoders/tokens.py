"""From words to the numbers a text tower reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis.errors import BadInputError, StorageError

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
