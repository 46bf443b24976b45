"""Fixtures for collections: catalogues on both engines, small pictures, a tiny encoder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_encoder import TinyEncoder

from visavis.collections.catalogue import Catalogue


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(scope="session")
def encoder() -> TinyEncoder:
    return TinyEncoder()


@pytest.fixture(params=["sqlite", "postgres"])
def catalogue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalogue]:
    """An empty catalogue, once on each engine."""
    if request.param == "sqlite":
        opened = Catalogue(tmp_path / "catalogue.sqlite", "unused")
    else:
        opened = Catalogue(request.getfixturevalue("postgres"), f"visavis_{abs(hash(request.node.nodeid))}")
    yield opened
    opened.close()
