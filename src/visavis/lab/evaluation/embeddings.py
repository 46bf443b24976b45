"""Vectors of a data set in a folder of arrays, the input of the protocol benchmarks.

Of the pictures: ``ids.npy``, ``whole.npy`` (``[n, d]``) and ``regions.npy`` (``[n, r, d]``). Of all captions in order:
``texts.npy`` (``[t, d]``) and ``text_pictures.npy`` (``[t]``), the index of each one's picture. The encoder and
the number of finished pictures are in ``embeddings.json``, so that an interrupted run is resumed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from visavis.encoders.base import Encoder
from visavis.errors import BadInputError
from visavis.files import replace_bytes
from visavis.home import ensure_folder
from visavis.lab.datasets.protocol import ProtocolPicture
from visavis.lab.evaluation.vectors import open_small

STATE = "embeddings.json"
_BATCH = 32
#: Batches between two checkpoints.
_NOTED = 8

Progress = Callable[[int, int], None]


def embed(
    pictures: Sequence[ProtocolPicture], encoder: Encoder, out: Path, on_progress: Progress | None = None
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
