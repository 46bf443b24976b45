"""Shared fixtures: a collection for conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

# How long an example takes says more about what else the machine does than about the code.
# The same examples each time: a test that fails by chance tells nothing about the change that it stands beside.
settings.register_profile("visavis", deadline=None, derandomize=True)
settings.load_profile("visavis")

if TYPE_CHECKING:  # rooms that do not talk should not wait for what talking needs
    from visavis.api import Collection
    from visavis.assistant import Assistant


@pytest.fixture(scope="session")
def colours_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the collection "colours", made once; tests write in copies of it."""
    from talking import make_home

    return make_home(tmp_path_factory.mktemp("colours"))


@pytest.fixture(scope="session")
def colours(colours_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    """Twenty-four pictures of twelve colours, with prices; for tests that do not change it."""
    from homes import copy_home
    from talking import open_colours

    with open_colours(copy_home(colours_template, tmp_path_factory.mktemp("talk") / "home")) as collection:
        yield collection


@pytest.fixture
def assistant(colours: Collection, tmp_path: Path) -> Assistant:
    """An assistant over the shared colours; conversations are independent."""
    from visavis.assistant import Assistant

    (tmp_path / "saved").mkdir()
    return Assistant(colours, folder=tmp_path / "saved")


@pytest.fixture
def own_home(colours_template: Path, tmp_path: Path) -> Path:
    from homes import copy_home

    return copy_home(colours_template, tmp_path / "own-home")


@pytest.fixture
def own_colours(own_home: Path) -> Iterator[Collection]:
    """The same collection for one test."""
    from talking import open_colours

    with open_colours(own_home) as collection:
        yield collection


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder with a picture of each colour."""
    from drawing import draw
    from tiny_encoder import COLOURS

    folder = tmp_path / "pictures"
    for name in COLOURS:
        draw(folder / f"{name}.png", name)
    return folder


@pytest.fixture(scope="session")
def postgres() -> str:
    """The URL of a PostgreSQL server for tests."""
    from postgres_here import postgres_url

    return postgres_url()
