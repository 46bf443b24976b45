"""JSON logs and Prometheus metrics."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from functools import partial
from typing import Any, TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from visavis.server.services.workers import WorkerPool

LOGGER = "visavis.server"
#: Fields of a record that are written beside its message; nothing else of a request is ever logged.
_FIELDS = ("request_id", "user", "method", "route", "status", "ms", "job", "collection")
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class JsonLogFormatter(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"at": at, "level": record.levelname.lower(), "message": record.getMessage()}
        line |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = "".join(traceback.format_exception(record.exc_info[1]))[-4000:]
        return json.dumps(line, ensure_ascii=False, default=str)


def set_up_logs(level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Write the server's log, and errors of uvicorn, to standard error as JSON lines.

    Its warnings are about single requests that are not HTTP: anybody could fill the log with them.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLogFormatter())
    for name, least in ((LOGGER, level), ("uvicorn.error", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(least)


class Metrics:
    """The metrics of one application, in a registry of its own."""

    def __init__(self, work: WorkerPool, light: WorkerPool) -> None:
        self._registry = CollectorRegistry()
        self._requests = Histogram(
            "visavis_request_seconds",
            "How long requests took.",
            ("method", "route", "status"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._going_on = Gauge("visavis_requests_going_on", "Requests being answered.", registry=self._registry)
        self._turns = Counter("visavis_turns", "Turns that were made.", registry=self._registry)
        for name, pool in (("work", work), ("light", light)):
            gauge = Gauge(f"visavis_{name}_pending", "Work being done or waiting.", registry=self._registry)
            gauge.set_function(partial(_pending, pool))

    def begin(self) -> None:
        """Count a request that started."""
        self._going_on.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that ended."""
        self._going_on.dec()
        self._requests.labels(method, route, str(status)).observe(seconds)

    def turn(self) -> None:
        """Count a turn."""
        self._turns.inc()

    def text(self) -> bytes:
        """The metrics in the text format of Prometheus."""
        return generate_latest(self._registry)


def _pending(pool: WorkerPool) -> float:
    return float(pool.pending)
