"""The examples in the documentation of the code are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from drawing import draw
from memory_store import MemoryStore
from tiny_encoder import TinyEncoder

import visavis
import visavis.collections

MODULES = [
    module.name
    for module in pkgutil.walk_packages(visavis.collections.__path__, "visavis.collections.")
    if ".migrations" not in module.name
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    module = importlib.import_module(name)
    for colour in ("red", "green", "blue"):
        draw(tmp_path / "pictures" / f"{colour}.png", colour)
    monkeypatch.setattr("visavis.collections.collection._load_encoder", lambda _: TinyEncoder())
    monkeypatch.setattr("visavis.collections.collection.open_vectors", lambda *_: MemoryStore())
    known = {"home": tmp_path / "home", "pictures": tmp_path / "pictures"}
    result = doctest.testmod(module, extraglobs=known, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_the_modules_with_examples_are_found():
    finder = doctest.DocTestFinder()
    examples = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(examples) >= 3


def test_importing_visavis_is_light_and_offers_its_names():
    heavy = "{'sqlalchemy', 'numpy', 'PIL', 'onnxruntime', 'qdrant_edge'}"
    code = f"import sys, visavis; assert not {heavy} & set(sys.modules); assert visavis.open_collection"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert set(visavis.__all__) <= set(dir(visavis))
    with pytest.raises(AttributeError):
        _ = visavis.nonsense
