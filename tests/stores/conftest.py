"""Fixtures for stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_openers import OPENERS, dispose
from store_support import DIMENSION

from visavis.stores.base import Store
from visavis.stores.edge import EdgeStore


@pytest.fixture(params=list(OPENERS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = OPENERS[request.param](tmp_path / "store")
    yield opened
    dispose(opened)


@pytest.fixture
def edge(tmp_path: Path) -> Iterator[EdgeStore]:
    with EdgeStore(tmp_path / "store", dimension=DIMENSION) as opened:
        yield opened
