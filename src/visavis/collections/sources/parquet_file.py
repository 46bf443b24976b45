"""Rows of a Parquet file, read in a child process with limits of memory and processor time.

A few kilobytes of Parquet can unpack to gigabytes. The header tells most of it, and may lie: what it does not tell ends
with the child.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, cast

from visavis.errors import BadInputError, MissingExtraError
from visavis.pictures.decoder_process import become_child, limit_time, read_frame, write_frame

#: Processor time of each batch of rows.
_SECONDS = 30.0
#: Memory of the child beyond what it has when it starts.
_MEMORY = 1_000_000_000
#: Rows in memory, their bytes, and rows of a file at most.
_BATCH_ROWS = 100
_BATCH_BYTES = 100_000_000
_MOST_ROWS = 50_000_000
#: A column of a row group above this size may be packed this many times at most.
_LARGE_COLUMN = 16_000_000
_MOST_PACKED = 200


def parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row with its number.

    Raises:
        MissingExtraError: The package that reads them is not installed.
        BadInputError: It cannot be read within the limits.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("Reading Parquet files", "parquet")
    # -P: no module of the present folder
    command = [sys.executable, "-P", "-m", __name__, str(path.absolute()), str(_SECONDS), str(_MEMORY)]
    number = 0
    with closing(_Child(path, command)) as child:
        for rows in child.batches():
            for row in rows:
                number += 1
                yield number, row


class _Child:
    """The process that reads one file."""

    def __init__(self, path: Path, command: list[str]) -> None:
        self._path = path
        try:
            self._process = subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise BadInputError(f"No process can be started to read {path} ({error.strerror}).") from error
        self._answers: IO[bytes] = cast("IO[bytes]", self._process.stdout)

    def batches(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows, some at a time; the child waits until they are taken."""
        while True:
            try:
                answer = read_frame(self._answers, 2 * _BATCH_BYTES)
            except ValueError:
                answer = None
            if answer is None:
                raise BadInputError(f"{self._path} {self._why_it_ended()}.", "Split it, and leave long columns out.")
            header, body = answer
            if "error" in header:
                raise BadInputError(str(header["error"]), header["remedy"])
            if header.get("end"):
                return
            yield json.loads(body)

    def close(self) -> None:
        """End it, if it has not ended."""
        self._process.kill()
        self._process.wait()
        self._answers.close()

    def _why_it_ended(self) -> str:
        self.close()
        if os.name == "posix" and self._process.returncode == -signal.SIGPROF:
            return f"takes longer than the {_SECONDS:g} s allowed for {_BATCH_ROWS} rows"
        return "takes too much memory to read, or its reader crashed"


# -- in the child ------------------------------------------------------------------------------------------


def main(path: Path, seconds: float, memory: int) -> None:
    """Read the file and send its rows."""
    from pyarrow import ArrowException, set_cpu_count, set_io_thread_count, set_memory_pool, system_memory_pool

    set_memory_pool(system_memory_pool())  # others reserve more addresses than the limit allows
    set_cpu_count(1)
    set_io_thread_count(1)
    answers = become_child(memory)
    try:
        limit_time(seconds)
        for rows in _batches(path):
            limit_time(0)
            write_frame(answers, {}, json.dumps(rows, ensure_ascii=False, default=_plain).encode())
            limit_time(seconds)
        write_frame(answers, {"end": True})
    except MemoryError:  # the parent tells it, as for a child that was ended
        os._exit(1)
    except BadInputError as error:
        write_frame(answers, {"error": error.message, "remedy": error.remedy})
    except (ArrowException, OSError) as error:
        told = f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}."
        write_frame(answers, {"error": told, "remedy": ""})


def _batches(path: Path) -> Iterator[list[dict[str, Any]]]:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        _check_sizes(path, file.metadata)
        for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
            if batch.nbytes > _BATCH_BYTES:
                raise BadInputError(f"{path} has rows of more than a megabyte.", "Leave long columns out of it.")
            yield batch.to_pylist()


def _check_sizes(path: Path, metadata: Any) -> None:
    """Refuse a file whose header claims more than its bytes can hold in earnest."""
    if metadata.num_rows > _MOST_ROWS:
        raise BadInputError(f"{path} claims {metadata.num_rows:,} rows, more than {_MOST_ROWS:,}.", "Split it.")
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for number in range(metadata.num_columns):
            column = row_group.column(number)
            size, packed = column.total_uncompressed_size, max(1, column.total_compressed_size)
            if size > _LARGE_COLUMN and size > _MOST_PACKED * packed:
                raise BadInputError(
                    f"{path}: the {packed:,} bytes of a column claim to hold {size / 1e6:,.0f} MB.", "Write it anew."
                )


def _plain(value: Any) -> str | None:
    """A value that JSON does not have: days and times as text; nothing is made of the others."""
    return value.isoformat() if isinstance(value, date) else None


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
