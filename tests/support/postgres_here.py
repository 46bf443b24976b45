"""A PostgreSQL server for tests: the one that VISAVIS_TEST_POSTGRES_URL names, or one that pgserver starts."""

from __future__ import annotations

import atexit
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import pytest


def started(start: Callable[[], Any]) -> Any:
    """What ``start`` returns, called again where pgserver's ten seconds did not suffice on a busy machine."""
    for _ in range(11):
        with suppress(subprocess.TimeoutExpired):
            return start()
    return start()


def started_again(server: Any) -> None:
    """Start a server that was killed, until it answers: one that did not come up in time is killed with its starter."""
    import psycopg

    for last in (*[False] * 11, True):
        started(server.ensure_postgres_running)
        try:
            psycopg.connect(server.get_uri(), connect_timeout=10).close()
            return
        except psycopg.OperationalError:
            if last:
                raise
            time.sleep(1)


@cache
def postgres_url() -> str:
    """Return its URL; the test is skipped where there is none. One that is started ends with the process."""
    if named := os.environ.get("VISAVIS_TEST_POSTGRES_URL"):
        return named
    pgserver = pytest.importorskip("pgserver", reason="pgserver is not installed")
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    try:
        folder = tempfile.mkdtemp(prefix="visavis-pg-")
        server = started(lambda: pgserver.get_server(folder, cleanup_mode="delete"))
    except Exception as error:
        pytest.skip(f"PostgreSQL cannot be started here: {error}")
    atexit.register(server.cleanup)
    return str(server.get_uri())
