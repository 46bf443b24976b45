"""Reading files of lines, with errors that say which line is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file that are not blank, with their numbers."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {path}.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 text ({error}).") from error


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file, with their line numbers."""
    for number, line in read_lines(path):
        try:
            value = json.loads(line)
        except ValueError as error:
            raise BadInputError(f"{path}, line {number}: this is not JSON ({error}).") from error
        if not isinstance(value, dict):
            raise BadInputError(f"{path}, line {number}: an object is expected, not a {type(value).__name__}.")
        yield number, value
