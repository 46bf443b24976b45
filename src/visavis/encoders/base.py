"""What every encoder does, pictures and words become vectors of one space; and what describes its weights."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from visavis.errors import NotFoundError, StorageError
from visavis.files import REINSTALL, is_intact, sha256_of
from visavis.types import FloatArray as FloatArray


@dataclass(frozen=True)
class Encoded:
    """Everything one pass over a batch of pictures gives.

    Attributes:
        whole: One vector a picture, ``[n, d]``.
        regions: Several vectors a picture, ``[n, r, d]``.
        boxes: Where each region lies, ``[r, 4]`` as left, top, right, bottom in 0..1 of the picture.
    """

    whole: FloatArray
    regions: FloatArray
    boxes: FloatArray


class Encoder(ABC):
    """Turns pictures and words into unit vectors of one space.

    Every vector that leaves an encoder has length one, so a dot product is a cosine. A batch gives the
    same vectors as its members one by one (within rounding), and an empty batch gives an empty array.
    """

    #: Stable name, stored with each collection; a collection is only searched with the encoder that built it.
    name: str
    #: Length of the vectors.
    dimension: int

    @property
    def fingerprint(self) -> str:
        """Changes when the weights do, even where the name stays; the key of cached vectors."""
        return self.name

    @abstractmethod
    def encode_pictures(self, images: Sequence[Image.Image]) -> Encoded:
        """Whole and region vectors in one pass: what indexing uses."""

    @abstractmethod
    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """One vector a text, ``[n, d]``; texts longer than the model reads are cut at its end."""

    @abstractmethod
    def encode_patches(self, images: Sequence[Image.Image]) -> FloatArray:
        """A fine grid of vectors ``[n, rows, columns, d]`` over each picture, for finding where a thing lies."""

    def encode_images(self, images: Sequence[Image.Image]) -> FloatArray:
        """One vector a picture, ``[n, d]``."""
        return self.encode_pictures(images).whole

    def damage(self) -> list[str]:
        """The names of this encoder's files that are missing or altered; reads them whole, so not for every start."""
        return []

    def calibration(self) -> dict[str, float]:
        """Numbers that turn a cosine of this encoder into a probability; empty when it was never calibrated."""
        return {}


DESCRIPTION = "encoder.json"
IMAGE_TOWER = "image.onnx"
TEXT_TOWER = "text.onnx"
TOKENIZER = "tokenizer.json"
WORDS = "words.npy"
#: The layout of the files; weights of a later one are refused rather than misread. Since 2 the word table is a file
#: of its own, the text tower reads its vectors and gives those of the tokens, too.
FORMAT = 2


@dataclass(frozen=True)
class Description:
    """What the run-time must know about exported weights.

    Attributes:
        folder: Where the files lie.
        name: The encoder's stable name.
        dimension: Length of its vectors.
        image_size: Side of the square that pictures are scaled to.
        grid: Patches along one side.
        max_tokens: How many tokens of a text are read, the two at its ends included.
        format: The layout of the files.
        calibration: Numbers that turn a cosine into a probability.
        sha256: Checksums of the other files.
        fingerprint: Changes whenever any of the files is made anew.
    """

    folder: Path
    name: str
    dimension: int
    image_size: int
    grid: int
    max_tokens: int
    format: int = FORMAT
    calibration: dict[str, float] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)
    fingerprint: str = ""

    def file(self, name: str) -> Path:
        """The path of one of the files, checked once in a process: damaged weights find the wrong pictures silently.

        Raises:
            NotFoundError: It is missing.
            StorageError: It is damaged.
        """
        path = self.folder / name
        if not path.is_file():
            raise NotFoundError(f"The encoder's file {path} is missing.", REINSTALL)
        expected = self.sha256.get(name)
        if expected and not is_intact(path, expected):
            raise StorageError(f"The encoder's file {path} is damaged.", REINSTALL)
        return path

    def damaged(self) -> list[str]:
        """The names of files that are missing or not what they were when they were made; reads all of them."""
        return [name for name, expected in self.sha256.items() if sha256_of(self.folder / name) != expected]


def read_description(folder: Path) -> Description:
    """Read and check ``encoder.json`` in a folder of exported weights.

    Raises:
        NotFoundError: There is none.
        StorageError: It cannot be used.
    """
    path = folder / DESCRIPTION
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFoundError(f"There are no encoder weights in {folder}.", REINSTALL) from error
    try:
        return _parse(folder, text, json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(f"The encoder's description {path} is damaged ({error!r}).", REINSTALL) from error


def _parse(folder: Path, text: str, values: dict[str, Any]) -> Description:
    if int(values["format"]) > FORMAT:
        raise StorageError(
            f"The weights in {folder} have format {values['format']}; this visavis reads up to {FORMAT}.",
            "Install a newer visavis.",
        )
    description = Description(
        folder=folder,
        name=str(values["name"]),
        dimension=int(values["dimension"]),
        image_size=int(values["image_size"]),
        grid=int(values["grid"]),
        max_tokens=int(values["max_tokens"]),
        format=int(values["format"]),
        calibration={str(k): float(v) for k, v in values.get("calibration", {}).items()},
        sha256={str(k): str(v) for k, v in values.get("sha256", {}).items()},
        fingerprint=f"{values['name']}-{hashlib.sha256(text.encode()).hexdigest()[:16]}",
    )
    if min(description.dimension, description.image_size, description.grid, description.max_tokens - 2) < 1:
        raise ValueError("a size is too small")
    return description
