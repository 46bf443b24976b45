"""Metadata beside a picture: folder names, tables in the folders above it, and a sidecar file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from threading import Lock

from visavis.errors import NotFoundError
from visavis.logs import line_logger
from visavis.pictures.picture import Details
from visavis.pictures.reader import OutsideError, open_regular, real_root
from visavis.pictures.records import MetadataWarning, Warn, texts_in
from visavis.pictures.sidecars import SIDECAR_KINDS, Sidecar, details_in, sidecars_in

logger = line_logger(__name__)

#: A scan goes folder by folder, so a small cache does: the folders above the current one, and a few for other threads.
_FOLDERS_KEPT = 64
#: A picture's sidecar is small; a larger file only happens to have the same name.
_LARGEST_OWN = 1024 * 1024
_MOST_OWN_CAPTIONS = 20


class FolderMetadata:
    """Finds the captions and attributes beside the pictures of a folder. Thread-safe.

    From weak to strong: the names of the folders below the root (attribute ``folder``), tables (CSV, TSV, JSON lines)
    in the root and in each folder down to the picture's, and the picture's own ``photo.jpg.json``, ``photo.json`` or
    ``photo.txt``. A broken line is reported to ``warn`` and skipped.

    Args:
        root: The folder being scanned; nothing above it is read.
        tables: Further tables, anywhere; their paths are relative to the root.
        warn: Called with each problem; without it, a warning is logged.
        follow_links: Whether metadata files may be links out of the root; otherwise they are not read, with a warning.
    """

    def __init__(
        self,
        root: Path | str,
        tables: Iterable[Path | str] = (),
        warn: Warn | None = None,
        *,
        follow_links: bool = False,
    ) -> None:
        self.root = Path(root)
        self._warn = warn or _log
        self._lock = Lock()
        self._inside = None if follow_links else real_root(self.root)
        self._sidecars_in = lru_cache(_FOLDERS_KEPT)(
            lambda folder: tuple(sidecars_in(folder, self._warn, self._inside))
        )
        self._tables = tuple(Sidecar(_known_table(Path(table)), self._warn, base=self.root) for table in tables)

    def details_of(self, picture: Path) -> Details:
        """Return the metadata of a picture from every source."""
        details = self._from_folders(picture)
        for sidecar in self._tables:
            details = sidecar.details_of(picture).over(details)
        for folder in self._folders_down_to(picture):
            with self._lock:  # one thread reads a table, the others wait for it
                sidecars = self._sidecars_in(folder)
            for sidecar in sidecars:
                details = sidecar.details_of(picture).over(details)
        return _own_details(picture, self._warn, self._inside).over(details)

    def _from_folders(self, picture: Path) -> Details:
        if not picture.is_relative_to(self.root):
            return Details()
        names = list(picture.relative_to(self.root).parts[:-1])
        return Details(attributes={"folder": names} if names else {})

    def _folders_down_to(self, picture: Path) -> Iterator[Path]:
        if not picture.is_relative_to(self.root):
            yield picture.parent
            return
        folder = self.root
        yield folder
        for name in picture.relative_to(self.root).parts[:-1]:
            folder = folder / name
            yield folder


def _log(warning: MetadataWarning) -> None:
    logger.warning("%s", warning)


def _known_table(path: Path) -> Path:
    if path.suffix.lower() not in SIDECAR_KINDS or not path.is_file():
        raise NotFoundError(f"There is no table {path}.", f"Give a file that ends in {', '.join(SIDECAR_KINDS)}.")
    return path


def _own_details(picture: Path, warn: Warn, root: str | None) -> Details:
    """Return the metadata in the picture's own sidecar."""
    for path in (picture.with_name(f"{picture.name}.json"), picture.with_suffix(".json")):
        if text := _small_text(path, warn, root):
            try:
                values = json.loads(text)
            except (ValueError, RecursionError) as error:
                warn(MetadataWarning(path, 1, f"not JSON ({error})"))
                continue
            return details_in(values) if isinstance(values, dict) else Details()
    lines = _small_text(picture.with_suffix(".txt"), warn, root).splitlines()[:_MOST_OWN_CAPTIONS]
    return Details(tuple(dict.fromkeys(texts_in(lines))))


def _small_text(path: Path, warn: Warn, root: str | None) -> str:
    try:
        with open_regular(path, root) as file:
            data = file.read(_LARGEST_OWN + 1)
    except OutsideError as error:
        warn(MetadataWarning(path, 0, f"it is {error.strerror}"))
        return ""
    except (OSError, ValueError):
        return ""
    return data.decode("utf-8-sig", "replace") if len(data) <= _LARGEST_OWN else ""
