"""What the towers read: token ids of texts, the word table, and pixels of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError, StorageError
from visavis.files import check_installed
from visavis.pictures.decoder import flatten, to_plain_mode

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
        rows = np.asarray(np.load(path, mmap_mode="r"))  # a plain array, since each slice of a memmap is an object more
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(path, error) from error
    if rows.dtype != np.int8 or rows.ndim != 2 or rows.shape[1] <= _SCALE_BYTES:
        raise _damaged(path, f"{rows.dtype} {rows.shape}")
    width = rows.shape[1] - _SCALE_BYTES
    scale = np.ascontiguousarray(rows[:, width:]).view("<f4")
    return WordTable(rows[:, :width], np.asarray(scale, np.float32))


def _damaged(path: Path, why: object) -> StorageError:
    return StorageError(f"The word table {path} is damaged ({why}).", "Install visavis anew.")


#: Mean and deviation of ImageNet's colours, which the tower was trained with.
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
_SCALE = 1 / (255 * DEVIATION)
_SHIFT = MEAN / DEVIATION
#: Large pictures are first averaged over whole blocks down to this many times the size wanted: faster, looks the same.
_REDUCING_GAP = 2.0
#: Windows along each side; nine in all, each about half the picture's side, so that neighbours overlap by half.
WINDOWS = 3


def loaded(images: Sequence[Image.Image]) -> list[Image.Image]:
    """The same pictures with their pixels in memory, so that threads may share them.

    Raises:
        BadInputError: One of them is no picture, is empty, or cannot be read; it says which.
    """
    if isinstance(images, Image.Image):
        raise BadInputError("One picture was given where several are expected.", "Put it into a list.")
    for place, image in enumerate(images):
        if not isinstance(image, Image.Image):
            raise BadInputError(
                f"Number {place} is a {type(image).__name__}, not a picture.", "Open files with visavis.pictures."
            )
        if not (image.width and image.height):
            raise BadInputError(f"Picture {place} has no pixels ({image.width} x {image.height}).")
        try:
            image.load()
        except (OSError, SyntaxError, ValueError) as error:  # what Pillow raises for damaged files
            raise BadInputError(f"Picture {place} cannot be read ({error}).") from error
    return list(images)


def plain(image: Image.Image) -> Image.Image:
    """The picture as RGB, laid on white where it is transparent."""
    return image if image.mode == "RGB" else flatten(to_plain_mode(image)).convert("RGB")


def to_pixels(image: Image.Image, size: int) -> NDArray[np.float32]:
    """One picture as ``[1, 3, size, size]``, squeezed into the square as in training; transparency becomes white."""
    image = plain(image)
    if image.size != (size, size):
        image = image.resize((size, size), Image.Resampling.BICUBIC, reducing_gap=_REDUCING_GAP)
    pixels = np.asarray(image, np.float32) * _SCALE - _SHIFT
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[np.newaxis])


def window_slices(grid: int) -> list[tuple[slice, slice]]:
    """The rows and columns of the windows over a square grid, row by row."""
    side = -(-grid // 2)
    starts = [round(place * (grid - side) / (WINDOWS - 1)) for place in range(WINDOWS)]
    return [(slice(top, top + side), slice(left, left + side)) for top in starts for left in starts]


def window_boxes(grid: int) -> FloatArray:
    """Where the windows lie, ``[9, 4]`` as left, top, right, bottom in 0..1."""
    edges = [(across.start, down.start, across.stop, down.stop) for down, across in window_slices(grid)]
    return np.array(edges, np.float32) / np.float32(grid)


def window_weights(grid: int) -> FloatArray:
    """A matrix ``[9, grid * grid]`` that takes the mean of each window's patches."""
    weights = np.zeros((WINDOWS**2, grid, grid), np.float32)
    for window, (down, across) in zip(weights, window_slices(grid), strict=True):
        window[down, across] = 1 / window[down, across].size
    return weights.reshape(len(weights), -1)


def square_boxes(grid: int) -> FloatArray:
    """Where squares of two by two patches lie, row by row, ``[grid * grid / 4, 4]`` as left, top, right, bottom."""
    starts = range(0, grid - 1, 2)
    edges = [(left, top, left + 2, top + 2) for top in starts for left in starts]
    return np.array(edges, np.float32) / np.float32(grid)


def unit(vectors: FloatArray) -> FloatArray:
    """The vectors scaled to length one; a vector of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.finfo(np.float32).tiny), np.float32)
