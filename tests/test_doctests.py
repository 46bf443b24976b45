"""The examples in the documentation of the code are true."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from drawing import draw
from memory_store import MemoryStore

from visavis.api import Collection

SOURCE = Path(__file__).parents[1] / "src"
#: Every module with an example; in the order of their names.
MODULES = sorted(
    ".".join(file.relative_to(SOURCE).with_suffix("").parts)
    for file in SOURCE.rglob("*.py")
    if ">>> " in file.read_text("utf-8")
)


@pytest.fixture
def known(colours: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, object]:
    """What examples need not make themselves."""
    for colour in ("red", "green", "blue"):
        draw(tmp_path / "pictures" / f"{colour}.png", colour)
    monkeypatch.setattr("visavis.collections.collection.open_vectors", lambda *_: MemoryStore())
    return {"home": tmp_path / "home", "pictures": tmp_path / "pictures", "Path": Path, "collection": colours}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, known: Mapping[str, object]):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    result = doctest.testmod(module, extraglobs=dict(known), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted
    assert not result.failed
