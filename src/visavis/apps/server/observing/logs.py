"""Logs as one JSON object a line, without anything that is secret or private."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any, TextIO

LOGGER = "visavis.server"
#: Fields of a record that are written beside its message; nothing else of a request is ever logged.
_FIELDS = ("request_id", "user", "method", "route", "status", "ms", "job", "collection")


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"at": at, "level": record.levelname.lower(), "message": record.getMessage()}
        line |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = "".join(traceback.format_exception(record.exc_info[1]))[-4000:]
        return json.dumps(line, ensure_ascii=False, default=str)


def set_up_logs(level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Send the server's log, and warnings of the machinery below it, to standard error as JSON lines."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    for name, least in ((LOGGER, level), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(least)
