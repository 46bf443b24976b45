"""A PostgreSQL server for tests: the one that VISAVIS_TEST_POSTGRES_URL names, or one that pgserver starts."""

from __future__ import annotations

import atexit
import os
import tempfile
from functools import cache

import pytest


@cache
def postgres_url() -> str:
    """Return its URL; the test is skipped where there is none. One that is started ends with the process."""
    if named := os.environ.get("VISAVIS_TEST_POSTGRES_URL"):
        return named
    pgserver = pytest.importorskip("pgserver", reason="pgserver is not installed")
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    try:
        server = pgserver.get_server(tempfile.mkdtemp(prefix="visavis-pg-"), cleanup_mode="delete")
    except Exception as error:
        pytest.skip(f"PostgreSQL cannot be started here: {error}")
    atexit.register(server.cleanup)
    return str(server.get_uri())
