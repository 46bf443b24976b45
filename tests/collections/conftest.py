"""Fixtures for collections: catalogues on both engines, small pictures, a tiny encoder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawing import draw
from tiny_encoder import COLOURS, TinyEncoder

from visavis.collections.catalogue import Catalogue


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder with a picture of each colour."""
    folder = tmp_path / "pictures"
    for name in COLOURS:
        draw(folder / f"{name}.png", name)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(scope="session")
def encoder() -> TinyEncoder:
    return TinyEncoder()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a temporary PostgreSQL server."""
    pgserver = pytest.importorskip("pgserver", reason="pgserver is not installed")
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    try:
        server = pgserver.get_server(tempfile.mkdtemp(prefix="visavis-pg-"), cleanup_mode="delete")
    except Exception as error:
        pytest.skip(f"PostgreSQL cannot be started here: {error}")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(params=["sqlite", "postgres"])
def catalogue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalogue]:
    """An empty catalogue, once on each engine."""
    if request.param == "sqlite":
        opened = Catalogue(tmp_path / "catalogue.sqlite", "unused")
    else:
        opened = Catalogue(request.getfixturevalue("postgres"), f"visavis_{abs(hash(request.node.nodeid))}")
    yield opened
    opened.close()
