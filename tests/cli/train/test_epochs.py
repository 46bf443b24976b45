"""``visavis train``: the options that trainings by epochs share."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> None:
    """The training of attributes returns its settings instead of learning."""

    def settings(data: Any, **more: Any) -> dict[str, Any]:
        return {"data": data, **more}

    def run(settings: dict[str, Any], report: Any) -> dict[str, Any]:
        report("an epoch")
        return settings

    module = ModuleType("attributes")
    module.AttributeSettings, module.run = settings, run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "visavis.lab.training.attributes", module)


def test_shared_options_have_the_defaults_of_their_training(visavis, training):
    ended = visavis(
        "train", "attributes", "--data", "a", "--vectors", "b", "--out", "c", "--least", 3, "--batch", 8, "--json"
    )
    assert json.loads(ended.stdout) == {
        "data": "a", "vectors": "b", "out": "c", "epochs": 60, "batch": 8, "rate": 1e-3, "patience": 6, "seconds": 1e9,
        "seed": 0, "device": "auto", "limit": None, "inner": 256, "least": 3,
    }  # fmt: skip
    assert "an epoch" not in ended.stderr


def test_without_json_a_person_is_told_where_it_was_written(visavis, training):
    told = visavis("train", "attributes", "--data", "a", "--vectors", "b", "--out", "c").stderr
    assert "an epoch" in told
    assert "written to c" in told


def test_required_options_are_missed(visavis, training):
    assert "--vectors" in visavis("train", "attributes", "--data", "a", ok=False).stderr
