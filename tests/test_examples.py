"""The Python in the documents runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from drawing import draw
from PIL import Image
from tiny_encoder import COLOURS, TinyEncoder

import visavis

ROOT = Path(__file__).parents[1]
EXAMPLES = [
    pytest.param(code, id=f"{document.name}-{number}")
    for document in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")))
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", document.read_text("utf-8"), re.DOTALL), 1)
]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the examples take for granted: pictures in the person's folder, a collection of them, a list of words."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("VISAVIS_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("visavis.collections.collection._load_encoder", lambda _: TinyEncoder())
    monkeypatch.setattr(Image.Image, "show", lambda _: None)
    monkeypatch.chdir(tmp_path)
    for name in COLOURS:
        draw(tmp_path / "Pictures" / f"{name}.png", name)
    (tmp_path / "words.txt").write_text("[things]\na belt, a hat\n", "utf-8")
    with visavis.open_collection("photos", create=True) as photos:
        photos.index(tmp_path / "Pictures")


@pytest.mark.parametrize("code", EXAMPLES)
@pytest.mark.usefixtures("desk")
def test_an_example_runs(code: str):
    known = {"image": Image.new("RGB", (40, 30), "red"), "other": Image.new("RGB", (30, 20), "blue")}
    exec(re.sub(r"count=\d+", "count=2", code), known)
    assert known["image"].size == (40, 30), "an example changed the picture that it was given"
