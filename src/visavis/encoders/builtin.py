"""The encoder that ships with the package: two int8 ONNX towers, a tokenizer, nothing to download."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.encoders.base import (
    IMAGE_TOWER,
    TEXT_TOWER,
    TOKENIZER,
    WORDS,
    Description,
    Encoded,
    Encoder,
    FloatArray,
    read_description,
)
from visavis.encoders.inputs import (
    TextReader,
    WordTable,
    loaded,
    read_word_table,
    square_boxes,
    to_pixels,
    unit,
    window_boxes,
    window_weights,
)
from visavis.errors import BadInputError, StorageError
from visavis.files import check_installed

WEIGHTS = Path(__file__).parent / "weights"
#: Tokens are counted up to here.
_COUNTED = 4096
#: From so many texts on other threads help. A few take 30 % more processor time on two cores, and hardly less time.
_MANY_TEXTS = 4


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
        self._pool = ThreadPool(threads)
        self._lock = Lock()
        self._reader: TextReader | None = None
        self._long_readers: dict[int, TextReader] = {}

    @property
    def fingerprint(self) -> str:
        """The name and a hash of the description, which has the checksums of the weights."""
        return self.description.fingerprint

    def encode_pictures(self, images: Sequence[Image.Image]) -> Encoded:
        """Whole and region vectors in one pass."""
        grid, outputs = self.description.grid, self._run_images(images)
        if self.description.format == 1:
            return Encoded(outputs[0], unit(self._window_weights @ outputs[1]), window_boxes(grid))
        return Encoded(outputs[0], outputs[2], square_boxes(grid))

    def encode_patches(self, images: Sequence[Image.Image]) -> FloatArray:
        """The tower's own patches, ``[n, grid, grid, d]``."""
        patches = self._run_images(images)[1]
        return patches.reshape(len(images), self.description.grid, self.description.grid, self.dimension)

    def encode_images(self, images: Sequence[Image.Image]) -> FloatArray:
        """One vector a picture."""
        return self._run_images(images)[0]

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """One vector a text, cut after ``max_tokens`` tokens."""
        outputs = self._pool.each(self._run_text, self._text_reader.read(texts), _MANY_TEXTS)
        return np.array([whole for whole, *_ in outputs], np.float32).reshape(len(texts), self.dimension)

    def encode_tokens(self, texts: Sequence[str]) -> list[FloatArray]:
        """The vectors of each text's tokens in their sentence, ``[length, width]``, the marks at both ends included."""
        if self.description.format == 1:
            raise BadInputError(f"The weights of '{self.name}' give no vectors of tokens.", "Use the built-in encoder.")
        return [tokens for _, tokens in self._pool.each(self._run_text, self._text_reader.read(texts))]

    def encode_long(self, text: str, most: int) -> tuple[FloatArray, FloatArray]:
        """The vector of a text and those of its tokens, cut after ``most`` tokens; ``[SEP]`` in it is a mark."""
        if self.description.format == 1:
            raise BadInputError(f"The weights of '{self.name}' give no vectors of tokens.", "Use the built-in encoder.")
        whole, tokens = self._run_text(self._long_reader(most).read([text])[0])
        return whole, tokens

    def count_tokens(self, text: str) -> int:
        """How many tokens a text has, the marks at both ends included."""
        return int(self._long_reader(_COUNTED).read([text])[0].shape[1])

    def damage(self) -> list[str]:
        """Compares checksums."""
        return self.description.damaged()

    def calibration(self) -> dict[str, float]:
        """What the description says."""
        return dict(self.description.calibration)

    def __reduce__(self) -> tuple[Callable[..., BuiltinEncoder], tuple[Path]]:
        # Models are not pickled; the other process opens the same files.
        return BuiltinEncoder, (self.description.folder,)

    def _run_images(self, images: Sequence[Image.Image]) -> list[FloatArray]:
        """Whole ``[n, d]``, patches ``[n, grid * grid, d]``, and since format 2 regions ``[n, r, d]``."""
        outputs = self._pool.each(self._run_image, loaded(images))
        grid = self.description.grid
        shapes = [(self.dimension,), (grid**2, self.dimension), ((grid // 2) ** 2, self.dimension)]
        return [
            np.array([output[place] for output in outputs], np.float32).reshape(len(images), *shape)
            for place, shape in enumerate(shapes[: self.description.format + 1])
        ]

    def _run_image(self, image: Image.Image) -> list[FloatArray]:
        return [output[0] for output in self._images.run({"pixels": to_pixels(image, self.description.image_size)})]

    def _run_text(self, ids: np.typing.NDArray[np.int64]) -> list[FloatArray]:
        mask = np.ones_like(ids)
        if self.description.format == 1:
            feeds: dict[str, np.typing.NDArray[Any]] = {"input_ids": ids, "attention_mask": mask}
        else:
            feeds = {"vectors": self._words.vectors(ids), "attention_mask": mask}
        return [np.asarray(output[0], np.float32) for output in self._texts.run(feeds)]

    @cached_property
    def _words(self) -> WordTable:
        return read_word_table(self.description.file(WORDS))

    @cached_property
    def _window_weights(self) -> FloatArray:
        return window_weights(self.description.grid)

    def _long_reader(self, most: int) -> TextReader:
        with self._lock:
            if most not in self._long_readers:
                self._long_readers[most] = TextReader(self.description.file(TOKENIZER), most)
            return self._long_readers[most]

    @property
    def _text_reader(self) -> TextReader:
        if self._reader is None:
            with self._lock:
                if self._reader is None:
                    self._reader = TextReader(self.description.file(TOKENIZER), self.description.max_tokens)
        return self._reader


Input = TypeVar("Input")
Output = TypeVar("Output")


class Tower:
    """A lazily loaded ONNX model; safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._session: Any = None

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory yet."""
        return self._session is not None

    def run(self, feeds: dict[str, Any]) -> list[Any]:
        """Run the model on one input."""
        return list(self.session.run(None, feeds))

    @property
    def session(self) -> Any:
        """The model in memory."""
        if self._session is None:
            with self._lock:
                if self._session is None:
                    self._session = open_model(self.path)
        return self._session


def open_model(
    path: Path,
    remedy: str = "Install visavis anew.",
    *,
    threads: int = 1,
    outside: Mapping[str, NDArray[Any]] | None = None,
) -> Any:
    """A model in memory that runs in one thread, unless told otherwise.

    Args:
        path: The ONNX file.
        remedy: What to do where it cannot be loaded.
        threads: How many threads one run uses.
        outside: Constants of the model that its file only names; the caller keeps the arrays as long as the model.

    Raises:
        StorageError: It is missing or damaged.
    """
    import onnxruntime

    check_installed(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if outside:
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in outside.values()]
        options.add_external_initializers(list(outside), values)
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own errors share no base class
        raise StorageError(f"The model {path} cannot be loaded ({error}).", remedy) from error


class ThreadPool:
    """A thread pool that maps a function over a list and keeps its order; the calling thread works, too."""

    def __init__(self, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise BadInputError(f"{threads} threads cannot do anything.", "Give at least one.")
        self.threads = threads or available_cores()

    def each(self, work: Callable[[Input], Output], inputs: Sequence[Input], many: int = 2) -> list[Output]:
        """The result of ``work`` for each input; fewer than ``many`` are done by the calling thread alone."""
        if self.threads == 1 or len(inputs) < many:
            return [work(one) for one in inputs]
        # The caller begins at the front and the pool at the end; what the pool has not begun, the caller does. On a
        # busy machine a few short texts would otherwise wait longer for a thread than they take.
        begun = [self._pool.submit(work, one) for one in reversed(inputs[1:])]
        try:
            made = [work(inputs[0])]
            for one, future in zip(inputs[1:], reversed(begun), strict=True):
                made.append(work(one) if future.cancel() else future.result())
            return made
        finally:
            for future in begun:
                future.cancel()

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads - 1, thread_name_prefix="visavis-encoder")


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def token_encoder(encoder: Encoder, reader: str) -> BuiltinEncoder:
    """The encoder, where it gives the token vectors that a retriever reads.

    Raises:
        BadInputError: It is another one.
    """
    if not isinstance(encoder, BuiltinEncoder):
        raise BadInputError(f"The retriever '{reader}' reads token vectors.", "Use the built-in encoder.")
    return encoder
