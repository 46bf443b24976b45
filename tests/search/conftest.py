from __future__ import annotations

from pathlib import Path

import pytest
from axis_world import World


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def world() -> World:
    """Every colour of every garment, sleeves and light, twice, with a price each."""
    world = World()
    price = 0
    for colour in ("red", "blue", "green"):
        for thing in ("dress", "shirt", "shoes"):
            for length in ("long sleeves", "short sleeves"):
                for light in ("dark", "bright"):
                    for extra in ("people", "men", "women"):
                        price += 1
                        world.add(f"{colour} {thing} {length} {light} {extra}", price=price, kind=thing)
    return world
