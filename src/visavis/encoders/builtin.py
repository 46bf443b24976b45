"""The encoder that ships with the package: two int8 ONNX towers, a tokenizer, nothing to download."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock

import numpy as np
from PIL import Image

from visavis.encoders.base import Encoded, Encoder, FloatArray
from visavis.encoders.description import IMAGE_TOWER, TEXT_TOWER, TOKENIZER, Description, read_description
from visavis.encoders.pixels import loaded, to_pixels
from visavis.encoders.regions import unit, window_boxes, window_weights
from visavis.encoders.tokens import TextReader
from visavis.encoders.tower import Crew, Tower

WEIGHTS = Path(__file__).parent / "weights"


class BuiltinEncoder(Encoder):
    """Reads exported weights, by default those of the package.

    Each tower is loaded when it is first used, so searching by words never loads the one for pictures. Safe to use
    from several threads; results do not depend on the batch nor on the number of threads.
    """

    def __init__(self, folder: Path | str = WEIGHTS, *, threads: int | None = None) -> None:
        """Open weights.

        Args:
            folder: Where ``encoder.json`` and the files it names lie.
            threads: How many inputs run beside each other; as many as there are cores unless told.
        """
        self.description: Description = read_description(Path(folder))
        self.name = self.description.name
        self.dimension = self.description.dimension
        self._images = Tower(self.description.file(IMAGE_TOWER))
        self._texts = Tower(self.description.file(TEXT_TOWER))
        self._crew = Crew(threads)
        self._lock = Lock()
        self._reader: TextReader | None = None

    @property
    def fingerprint(self) -> str:
        """The name and a hash of the description, which has the checksums of the weights."""
        return self.description.fingerprint

    def encode_pictures(self, images: Sequence[Image.Image]) -> Encoded:
        """Whole and region vectors in one pass."""
        grid = self.description.grid
        whole, patches = self._run_images(images)
        regions = unit(self._window_weights @ patches)
        return Encoded(whole, regions, window_boxes(grid))

    def encode_patches(self, images: Sequence[Image.Image]) -> FloatArray:
        """The tower's own patches, ``[n, grid, grid, d]``."""
        _, patches = self._run_images(images)
        return patches.reshape(len(patches), self.description.grid, self.description.grid, self.dimension)

    def encode_images(self, images: Sequence[Image.Image]) -> FloatArray:
        """One vector a picture."""
        return self._run_images(images)[0]

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """One vector a text, cut after ``max_tokens`` tokens."""
        vectors = self._crew.each(self._run_text, self._text_reader.read(texts))
        return np.array(vectors, np.float32).reshape(len(texts), self.dimension)

    def damage(self) -> list[str]:
        """Compares checksums."""
        return self.description.damaged()

    def calibration(self) -> dict[str, float]:
        """What the description says."""
        return dict(self.description.calibration)

    def __reduce__(self) -> tuple[Callable[..., BuiltinEncoder], tuple[Path]]:
        # Models do not travel between processes; the other side opens the same files.
        return BuiltinEncoder, (self.description.folder,)

    def _run_images(self, images: Sequence[Image.Image]) -> tuple[FloatArray, FloatArray]:
        outputs = self._crew.each(self._run_image, loaded(images))
        patches = self.description.grid**2
        return (
            np.array([whole for whole, _ in outputs], np.float32).reshape(len(images), self.dimension),
            np.array([fine for _, fine in outputs], np.float32).reshape(len(images), patches, self.dimension),
        )

    def _run_image(self, image: Image.Image) -> tuple[FloatArray, FloatArray]:
        whole, patches = self._images.run({"pixels": to_pixels(image, self.description.image_size)})
        return whole[0], patches[0]

    def _run_text(self, ids: np.typing.NDArray[np.int64]) -> FloatArray:
        (whole,) = self._texts.run({"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return np.asarray(whole[0], np.float32)

    @cached_property
    def _window_weights(self) -> FloatArray:
        return window_weights(self.description.grid)

    @property
    def _text_reader(self) -> TextReader:
        if self._reader is None:
            with self._lock:
                if self._reader is None:
                    self._reader = TextReader(self.description.file(TOKENIZER), self.description.max_tokens)
        return self._reader
