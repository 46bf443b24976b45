"""How bright and how colourful pictures are, measured on their thumbnails when somebody sorts by it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import numpy as np
from PIL import Image

from visavis.files import PRIVATE_FILE, replace_bytes

BRIGHTNESS, SATURATION = "brightness", "saturation"
#: What pictures can be sorted by though no attribute tells it.
MEASURED = (BRIGHTNESS, SATURATION)
#: Gives what pictures measure: the name of it and ids, to values by id.
Measures = Callable[[str, Sequence[str]], Mapping[str, float]]
#: The longer side that a picture is measured at.
_SIZE = 64


def measure(image: Image.Image) -> tuple[float, float]:
    """The brightness and the saturation of a picture, 0..100: the mean of its light, and how far it is from grey."""
    small = image.convert("RGB")
    small.thumbnail((_SIZE, _SIZE))
    light, blue, red = np.moveaxis(np.asarray(small.convert("YCbCr"), np.float32), 2, 0)
    tint = np.hypot(blue - 128, red - 128)
    return round(float(light.mean()) / 2.55, 2), round(min(100.0, float(tint.mean()) / 1.28), 2)


class Looks:
    """The looks of pictures, measured once: ids are hashes of the content, so what was measured holds for ever.

    Args:
        thumbnail: Gives the file of a picture's thumbnail.
        file: Where they are kept; it may not exist yet.
    """

    def __init__(self, thumbnail: Callable[[str], Path], file: Path) -> None:
        self._thumbnail, self._file = thumbnail, file
        self._known: dict[str, tuple[float, float]] | None = None
        self._lock = Lock()

    def __call__(self, name: str, ids: Sequence[str]) -> Mapping[str, float]:
        """The values of one of :data:`MEASURED`, by id; a picture whose thumbnail is lost has none."""
        with self._lock:
            known = self._known = self._read() if self._known is None else self._known
            new = [id for id in dict.fromkeys(ids) if id not in known]
            if new:
                with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:
                    found = zip(new, threads.map(self._measured, new), strict=True)
                    known |= {id: looks for id, looks in found if looks is not None}
                with contextlib.suppress(OSError):  # a folder that cannot be written: measured again next time
                    replace_bytes(self._file, json.dumps(known).encode(), parents=True, mode=PRIVATE_FILE)
            return {id: known[id][MEASURED.index(name)] for id in ids if id in known}

    def _read(self) -> dict[str, tuple[float, float]]:
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            kept = json.loads(self._file.read_bytes())
            return {str(id): (float(light), float(tint)) for id, (light, tint) in kept.items()}
        return {}

    def _measured(self, id: str) -> tuple[float, float] | None:
        with contextlib.suppress(OSError, ValueError), Image.open(self._thumbnail(id)) as image:
            return measure(image)
        return None
