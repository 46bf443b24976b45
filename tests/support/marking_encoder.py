"""An encoder that writes its process's pid to a file, so that a test can kill it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tiny_encoder import TinyEncoder


class MarkingEncoder(TinyEncoder):
    """Slow enough to be killed half-way."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def encode_pictures(self, images):
        Path(self._folder, str(os.getpid())).touch()
        time.sleep(0.2)
        return super().encode_pictures(images)
