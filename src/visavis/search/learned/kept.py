"""What a learned retriever computed of pictures, kept in a file beside the collection's other ones."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TypeVar

import numpy as np

from visavis.files import PRIVATE_FILE
from visavis.types import FloatArray

_TABLES = (
    "create table if not exists made_by (name text primary key) without rowid",
    "create table if not exists vectors (id text primary key, digest blob, vector blob) without rowid",
)
#: The names of such files, by that of the retriever.
_NAME = "kept-{}.sqlite"
#: Seconds to wait for another process that writes, and ids in one statement.
_PATIENCE, _AT_ONCE = 5.0, 500
_log = logging.getLogger(__name__)
T = TypeVar("T")


def rounded(vectors: FloatArray) -> FloatArray:
    """Vectors as they come back from the file, so that a ranking is the same before and after."""
    return vectors.astype(np.float16).astype(np.float32)


class KeptVectors:
    """A vector of each picture in two bytes a number, and a digest of it with the text that it was made with.

    Safe to use from several threads and processes. A file that cannot be read or written is done without: everything
    in it can be computed again.

    Args:
        folder: The collection's folder.
        retriever: The name of the retriever.
        made_by: What computes the vectors; those of anything else are forgotten.
    """

    def __init__(self, folder: Path, retriever: str, made_by: str) -> None:
        self._file, self._made_by = folder / _NAME.format(retriever), made_by
        self._lock = Lock()

    def read(self, texts: Mapping[str, str]) -> dict[str, FloatArray]:
        """The vectors of pictures that were made with these texts, by the ids of the pictures."""

        def read(database: sqlite3.Connection) -> dict[str, FloatArray]:
            rows = [row for part in _parts(list(texts)) for row in _selected(database, part)]
            return {id: _vector(kept) for id, digest, kept in rows if digest == _digest(texts[id], kept)}

        return self._done(read, {}) if self._file.is_file() else {}

    def write(self, vectors: Mapping[str, FloatArray], texts: Mapping[str, str]) -> None:
        """Keep the vectors of pictures, made with these texts."""
        kept = {id: vector.astype("<f2").tobytes() for id, vector in vectors.items()}
        rows = [(id, _digest(texts[id], vector), vector) for id, vector in kept.items()]
        if rows:
            self._done(lambda database: database.executemany("replace into vectors values (?, ?, ?)", rows), None)

    def _done(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        try:
            with self._lock:
                os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
                with closing(sqlite3.connect(self._file, timeout=_PATIENCE)) as database, database:
                    for table in _TABLES:
                        database.execute(table)
                    if database.execute("select name from made_by").fetchall() != [(self._made_by,)]:
                        database.execute("delete from made_by")
                        database.execute("delete from vectors")
                        database.execute("insert into made_by values (?)", (self._made_by,))
                    return work(database)
        except (OSError, sqlite3.Error) as error:
            _log.warning("%s is not used: %s", self._file, error)
            return otherwise


def forget(folder: Path, ids: Sequence[str]) -> None:
    """Forget pictures in every such file of a collection's folder."""
    for file in sorted(folder.glob(_NAME.format("*"))):
        try:
            with closing(sqlite3.connect(file, timeout=_PATIENCE)) as database, database:
                database.executemany("delete from vectors where id = ?", [(id,) for id in ids])
        except sqlite3.Error as error:
            _log.warning("%s is made anew: %s", file, error)
            file.unlink(missing_ok=True)


def kept_bytes(folder: Path) -> int:
    """How much such files of a collection's folder take on the disk."""
    return sum(file.stat().st_size for file in folder.glob(_NAME.format("*")))


def _parts(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE)]


def _selected(database: sqlite3.Connection, ids: list[str]) -> list[tuple[str, bytes, bytes]]:
    marks = ",".join("?" * len(ids))
    return database.execute(f"select id, digest, vector from vectors where id in ({marks})", ids).fetchall()  # noqa: S608


def _digest(text: str, vector: bytes) -> bytes:
    return blake2b(text.encode("utf-8", "replace") + b"\0" + vector, digest_size=8).digest()


def _vector(kept: bytes) -> FloatArray:
    return np.frombuffer(kept, "<f2").astype(np.float32)
