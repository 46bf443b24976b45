"""The files of the built web app, read and compressed once."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

INDEX = "index.html"
#: Files of these kinds become much smaller; pictures are small already.
_TEXT = ("text/", "application/javascript", "application/json", "image/svg+xml")
_COMPRESSION = 9


@dataclass(frozen=True)
class Asset:
    """A file.

    Attributes:
        data: Its bytes.
        packed: The same, compressed; nothing where that does not help.
        media: What it is.
        tag: Names its content.
    """

    data: bytes
    packed: bytes
    media: str
    tag: str


class Assets:
    """Files below one folder; one that changes while the server runs is read again.

    Args:
        folder: The built app.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._read: dict[Path, tuple[int, Asset]] = {}

    def get(self, path: str) -> Asset | None:
        """The file at a path, and nothing outside the folder however the path is written."""
        if not path or "\0" in path:
            return None
        try:
            file = (self._folder / path).resolve()
            if not file.is_relative_to(self._folder) or not file.is_file():
                return None
            changed = file.stat().st_mtime_ns
            kept = self._read.get(file)
            if kept is None or kept[0] != changed:
                self._read[file] = kept = (changed, _asset(file))
        except (OSError, ValueError):
            return None
        return kept[1]


def _asset(file: Path) -> Asset:
    data = file.read_bytes()
    media = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    packed = gzip.compress(data, _COMPRESSION, mtime=0) if media.startswith(_TEXT) else b""
    return Asset(data, packed if len(packed) < len(data) else b"", media, sha256(data).hexdigest()[:20])
