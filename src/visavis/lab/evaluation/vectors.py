"""Encode many pictures and texts, with a cache on disk, so that an interrupted run can be resumed.

Vectors of a data set, the input of the protocol benchmarks, are a folder of arrays. Of the pictures: ``ids.npy``,
``whole.npy`` (``[n, d]``) and ``regions.npy`` (``[n, r, d]``). Of all captions in order: ``texts.npy`` (``[t, d]``) and
``text_pictures.npy`` (``[t]``), the index of each one's picture. The encoder and the number of finished pictures are in
``embeddings.json``.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from PIL import Image

from visavis.encoders.base import Encoder, FloatArray
from visavis.errors import BadInputError, StorageError
from visavis.files import replace_bytes, replacing
from visavis.home import ensure_folder
from visavis.lab.datasets.base import ProtocolPicture
from visavis.pictures import PictureError, open_scaled
from visavis.types import UNREADABLE

Item = TypeVar("Item")
Progress = Callable[[int], None]

#: Shorter side of decoded pictures, as in indexing.
READ_SIZE = 256
#: Items in one file of the cache: the most that an interrupted run loses.
_PART = 128
#: Pictures in memory at once.
_BATCH = 32
STATE = "embeddings.json"
#: Batches between two checkpoints.
_NOTED = 8


class Embedder:
    """Encodes files and texts with one encoder, and an optional cache."""

    def __init__(self, encoder: Encoder, cache: Path | None = None) -> None:
        """Set up the cache.

        Args:
            encoder: The encoder.
            cache: The cache folder; entries are valid as long as the encoder, the order of the items and
                the files themselves do not change.
        """
        self._encoder = encoder
        self._cache = ensure_folder(cache) if cache else None

    def pictures(self, paths: Sequence[Path], on_progress: Progress | None = None) -> FloatArray:
        """Return one vector a file, ``[n, d]``; a row of NaN for a file that cannot be read."""
        return self._all(paths, _file_state, self._encode_files, on_progress)

    def texts(self, texts: Sequence[str], on_progress: Progress | None = None) -> FloatArray:
        """Return one vector a text, ``[n, d]``."""
        return self._all(texts, str, self._encoder.encode_texts, on_progress)

    def _all(
        self,
        items: Sequence[Item],
        state: Callable[[Item], str],
        encode: Callable[[Sequence[Item]], FloatArray],
        on_progress: Progress | None,
    ) -> FloatArray:
        vectors = [np.zeros((0, self._encoder.dimension), np.float32)]
        for part in _parts(items, _PART):
            vectors.append(self._kept(part, state, encode))
            if on_progress:
                on_progress(len(part))
        return np.concatenate(vectors)

    def _kept(
        self, part: Sequence[Item], state: Callable[[Item], str], encode: Callable[[Sequence[Item]], FloatArray]
    ) -> FloatArray:
        if self._cache is None:
            return encode(part)
        key = "\0".join([self._encoder.fingerprint, encode.__name__, *map(state, part)])
        path = self._cache / f"{hashlib.blake2b(key.encode('utf-8', 'replace'), digest_size=16).hexdigest()}.npy"
        vectors = _read(path)
        if vectors is None or vectors.shape != (len(part), self._encoder.dimension):
            vectors = encode(part)
            _write(path, vectors)
        return vectors

    def _encode_files(self, paths: Sequence[Path]) -> FloatArray:
        vectors = np.full((len(paths), self._encoder.dimension), np.nan, np.float32)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for start in range(0, len(paths), _BATCH):
                opened = list(pool.map(open_small, paths[start : start + _BATCH]))
                readable = [place for place, image in enumerate(opened) if image is not None]
                images = [image for image in opened if image is not None]
                vectors[[start + place for place in readable]] = self._encoder.encode_images(images)
        return vectors


def _parts(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def open_small(path: Path) -> Image.Image | None:
    """A picture as indexing decodes it; None where it cannot be read."""
    try:
        return open_scaled(path, READ_SIZE).image
    except PictureError:
        return None


def _file_state(path: Path) -> str:
    """Return a string that changes with the file."""
    try:
        status = path.stat()
    except OSError:
        return f"{path}|missing"
    return f"{path.absolute()}|{status.st_size}|{status.st_mtime_ns}"


def _read(path: Path) -> FloatArray | None:
    try:
        return np.asarray(np.load(path, allow_pickle=False), np.float32)
    except UNREADABLE:  # missing, or truncated by a crash: encoded again
        return None


def _write(path: Path, vectors: FloatArray) -> None:
    """Write atomically."""
    try:
        with replacing(path) as file:
            np.save(file, vectors)
    except StorageError as error:
        raise StorageError(error.message, "Free some space, or leave the cache out with --no-cache.") from error


def embed(
    pictures: Sequence[ProtocolPicture],
    encoder: Encoder,
    out: Path,
    on_progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Write the vectors of pictures and of their captions; resumes an interrupted run, and does nothing when complete.

    Args:
        pictures: The pictures; one whose file cannot be read gets vectors of zeros.
        encoder: The encoder.
        out: The folder; recreated where it has the vectors of another encoder or of other pictures.
        on_progress: Called with the number of pictures done and their total.

    Returns:
        The content of ``embeddings.json``.
    """
    if not pictures:
        raise BadInputError("There are no pictures to make vectors of.")
    ensure_folder(out)
    state = _begun(pictures, encoder, out)
    whole, regions = (np.load(out / f"{name}.npy", mmap_mode="r+") for name in ("whole", "regions"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for start in range(state["done"], len(pictures), _BATCH):
            opened = list(pool.map(open_small, [picture.path for picture in pictures[start : start + _BATCH]]))
            readable = [start + place for place, image in enumerate(opened) if image is not None]
            encoded = encoder.encode_pictures([image for image in opened if image is not None])
            whole[readable], regions[readable] = encoded.whole, encoded.regions
            state["unreadable"] += len(opened) - len(readable)
            state["done"] = start + len(opened)
            if start // _BATCH % _NOTED == _NOTED - 1 or state["done"] == len(pictures):
                whole.flush()
                regions.flush()
                _note(out, state)
            if on_progress:
                on_progress(state["done"], len(pictures))
    if not (out / "texts.npy").is_file():
        told = [(place, text) for place, picture in enumerate(pictures) for text in picture.captions]
        np.save(out / "text_pictures.npy", np.array([place for place, _ in told], np.int64))
        np.save(out / "texts.npy", encoder.encode_texts([text for _, text in told]))
    return state


def _begun(pictures: Sequence[ProtocolPicture], encoder: Encoder, out: Path) -> dict[str, Any]:
    """Return the state of a run over the same pictures with the same encoder, or that of a new one."""
    key = "\0".join([encoder.fingerprint, *(f"{p.id}|{p.path}|{len(p.captions)}" for p in pictures)])
    digest = hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()
    try:
        state: dict[str, Any] = json.loads((out / STATE).read_text(encoding="utf-8"))
        if state["digest"] == digest:
            return state
    except (OSError, ValueError, KeyError, TypeError):
        pass
    for name in ("texts.npy", "text_pictures.npy", STATE):
        (out / name).unlink(missing_ok=True)
    each = encoder.encode_pictures([]).regions.shape[1:]
    np.save(out / "ids.npy", np.array([picture.id for picture in pictures]))
    for name, shape in (("whole", (encoder.dimension,)), ("regions", each)):
        np.lib.format.open_memmap(out / f"{name}.npy", "w+", np.float16, (len(pictures), *shape)).flush()
    state = {"encoder": encoder.fingerprint, "pictures": len(pictures), "done": 0, "unreadable": 0, "digest": digest}
    _note(out, state)
    return state


def _note(out: Path, state: dict[str, Any]) -> None:
    replace_bytes(out / STATE, f"{json.dumps(state, indent=2)}\n".encode())
