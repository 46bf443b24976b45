"""Cutters by rembg: names and errors always, the package itself where it is installed with a model."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from visavis.editing.cutout import cutters
from visavis.editing.cutout.cutters import MODELS, RembgCutter, cutter
from visavis.errors import MissingExtraError, NotFoundError, VisavisError

installed = importlib.util.find_spec("rembg") is not None


@pytest.fixture
def half_white(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A fake package whose mask is always the left half; it records its calls."""
    asked: list[str] = []

    class Session:
        def predict(self, image: Image.Image) -> list[Image.Image]:
            mask = Image.new("L", image.size)
            mask.paste(255, (0, 0, image.width // 2, image.height))
            return [mask]

    def new_session(model: str, providers: list[str]) -> Session:
        asked.append(model)
        if model == "silueta":
            raise OSError("no route to host")
        return Session()

    package = ModuleType("rembg")
    package.new_session = new_session  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rembg", package)
    monkeypatch.setattr(RembgCutter, "missing", classmethod(lambda _: None))
    cutters._rembg_session.cache_clear()
    yield asked
    cutters._rembg_session.cache_clear()


@pytest.mark.skipif(installed, reason="rembg is installed")
def test_the_extra_is_named_where_it_is_missing():
    with pytest.raises(MissingExtraError) as error:
        cutter("rembg:u2net")
    assert "visavis[rembg]" in (error.value.remedy or "")


def test_a_model_that_there_is_not_names_those_there_are():
    with pytest.raises(NotFoundError, match="rembg:scissors") as error:
        cutter("rembg:scissors")
    assert all(name in (error.value.remedy or "") for name in MODELS)


def test_models_are_chosen_by_name_and_loaded_once(half_white: list[str]):
    tool = cutter("rembg:u2net")
    assert tool.name == "rembg:u2net"
    assert cutter("rembg").name == "rembg:isnet-general-use"
    picture = Image.new("RGB", (8, 4))
    for _ in range(3):
        mask = tool.mask(picture)
    assert half_white == ["u2net"]
    assert mask.dtype == np.float32
    assert mask.tolist() == [[1, 1, 1, 1, 0, 0, 0, 0]] * 4


def test_what_lies_outside_of_a_hint_is_dropped(half_white: list[str]):
    hint = np.asarray([[1, 1], [0, 0]], np.float32)
    mask = cutter("rembg:u2net").mask(Image.new("RGB", (8, 8)), hint)
    assert mask[0, 0] == 1
    assert mask[-1].max() == 0
    assert mask[:, 4:].max() == 0


def test_a_model_that_cannot_be_fetched_is_told(half_white: list[str]):
    with pytest.raises(VisavisError, match="could not get its model 'silueta'") as error:
        cutter("rembg:silueta").mask(Image.new("RGB", (8, 8)))
    assert "U2NET_HOME" in (error.value.remedy or "")


@pytest.mark.skipif(
    not installed or not Path(os.environ.get("U2NET_HOME", "~/.u2net"), "u2netp.onnx").expanduser().is_file(),
    reason="rembg is not installed, or has no u2netp",
)
def test_the_package_itself_finds_a_thing():
    picture = Image.new("RGB", (320, 320), (240, 240, 240))
    picture.paste((180, 20, 20), (110, 90, 210, 250))
    mask = cutter("rembg:u2netp").mask(picture)
    assert mask.shape == (320, 320)
    assert mask[120:220, 130:190].mean() > 0.8
    assert mask[:40].mean() < 0.1
