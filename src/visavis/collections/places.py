"""The folders and names of collections below the home folder, and the lock of an indexing run."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from visavis.errors import BadInputError, BusyError, NotFoundError, StorageError
from visavis.files import PRIVATE_FILE, replacing
from visavis.home import ensure_folder, home_folder

#: The version of the files in a collection's folder; a higher number means a newer visavis wrote them.
FORMAT = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SETTINGS = "settings.json"
#: Seconds between attempts to delete a folder that somebody writes into.
_PAUSES = (0.02, 0.1, 0.5)


@dataclass(frozen=True)
class CollectionSettings:
    """The addresses of a collection's catalogue and store; None is its own folder."""

    store: str | None = None
    catalogue: str | None = None
    encoder: str = "builtin"
    format: int = FORMAT


@dataclass(frozen=True)
class Place:
    """The folder of one collection."""

    name: str
    folder: Path

    @classmethod
    def of(cls, name: str, home: Path | str | None = None) -> Place:
        """Return the place of a collection, existing or not."""
        if not _NAME.fullmatch(name):
            raise BadInputError(
                f"'{name}' cannot name a collection.", "Use letters, digits, '.', '_' and '-', 64 at most."
            )
        return cls(name, collections_folder(home) / name)

    @property
    def exists(self) -> bool:
        """Whether a collection was created here."""
        return (self.folder / _SETTINGS).is_file()

    @property
    def catalogue_file(self) -> Path:
        """The SQLite file."""
        return self.folder / "catalogue.sqlite"

    @property
    def store_folder(self) -> Path:
        """The embedded store's files."""
        return self.folder / "store"

    @property
    def thumbnails_folder(self) -> Path:
        """The thumbnails."""
        return self.folder / "thumbnails"

    @property
    def edits_folder(self) -> Path:
        """Edited and uploaded pictures."""
        return self.folder / "edits"

    @property
    def cache_folder(self) -> Path:
        """The cache that all collections share."""
        return self.folder.parent.parent / "cache"

    @property
    def address_file(self) -> Path:
        """The address of the process that hosts the store."""
        return self.folder / "store.host"

    @property
    def lock_file(self) -> Path:
        """The indexing lock."""
        return self.folder / "index.lock"

    def settings(self) -> CollectionSettings:
        """Read the settings of the collection."""
        try:
            content = json.loads((self.folder / _SETTINGS).read_text())
            if content.get("format", FORMAT) > FORMAT:
                raise self._newer()  # it may have settings that are unknown here, which is no damage
            settings = CollectionSettings(**content)
        except FileNotFoundError as error:
            known = ", ".join(names(self.folder.parent.parent)) or "none yet"
            remedy = f"Create it with: visavis index FOLDER --collection {self.name} (there are: {known})."
            raise NotFoundError(f"There is no collection '{self.name}'.", remedy) from error
        except (ValueError, TypeError, AttributeError) as error:
            remedy = "Remove this file, and index again with the same options."
            raise StorageError(f"{self.folder / _SETTINGS} is damaged: {error}.", remedy) from error
        return settings

    def _newer(self) -> StorageError:
        return StorageError(
            f"The collection '{self.name}' was written by a newer visavis; nothing was changed.",
            "Update this one: pip install --upgrade visavis",
        )

    def create(self, settings: CollectionSettings) -> None:
        """Create the folder and write the settings atomically."""
        ensure_folder(self.folder, private=True)
        # A URL may contain a password, so only the owner can read the file.
        with replacing(self.folder / _SETTINGS, durable=True, mode=0o600) as stream:
            stream.write(json.dumps(asdict(settings)).encode())

    def remove(self) -> None:
        """Delete the folder; the settings first, so that a half-removed collection does not count as one."""
        try:
            (self.folder / _SETTINGS).unlink(missing_ok=True)
            _remove_tree(self.folder)
        except OSError as error:
            raise StorageError(
                f"{self.folder} cannot be removed: {error.strerror or error}.", "Check its rights."
            ) from error


def _remove_tree(folder: Path) -> None:
    """Delete a folder, also where a reader that was on its way puts a thumbnail into it meanwhile."""
    for pause in _PAUSES:
        try:
            shutil.rmtree(folder)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
            time.sleep(pause)
        else:
            return
    shutil.rmtree(folder)


def collections_folder(home: Path | str | None = None) -> Path:
    """Return the folder of all collections."""
    return home_folder(home) / "collections"


def names(home: Path | str | None = None) -> list[str]:
    """Return the names of all collections, in order."""
    folder = collections_folder(home)
    if not folder.is_dir():
        return []
    return sorted(entry.name for entry in folder.iterdir() if (entry / _SETTINGS).is_file())


@contextmanager
def index_lock(
    file: Path, name: str, *, wait: float = 0.0, on_wait: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Hold the indexing lock; the system releases it when the process ends.

    Args:
        file: The lock file.
        name: The collection's name, for messages.
        wait: Seconds to wait for another indexer; negative for no limit.
        on_wait: Called once with a message, before waiting.

    Raises:
        BusyError: Another process indexes this collection.
    """
    lock = FileLock(file, mode=PRIVATE_FILE)
    try:
        _acquire(lock, file, name, wait, on_wait)
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(
            f"{file} cannot be written: {error.strerror or error}.", "Check the rights of the home folder."
        ) from error
    holder = _holder_file(file)
    try:
        with contextlib.suppress(OSError):  # only for messages
            holder.touch(mode=PRIVATE_FILE)
            holder.write_text(str(os.getpid()))
        yield
    finally:
        with contextlib.suppress(OSError):
            holder.unlink()
        lock.release()


def _acquire(lock: FileLock, file: Path, name: str, wait: float, on_wait: Callable[[str], None] | None) -> None:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        message = f"Process {_holder(file)} is indexing the collection '{name}'."
        if on_wait and wait:
            on_wait(f"{message} Waiting for it.")
        try:
            lock.acquire(timeout=wait, poll_interval=0.2)
        except Timeout:
            raise BusyError(message, "Try again when it is done, or use --wait.") from None


def _holder_file(file: Path) -> Path:
    return file.with_suffix(".holder")


def _holder(file: Path) -> str:
    try:
        return _holder_file(file).read_text().strip() or "another"
    except OSError:
        return "another"
