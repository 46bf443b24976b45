"""``visavis bench scenes`` and ``products``: learned retrievers on the same conversations as the others."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from visavis.encoders.builtin import BuiltinEncoder
from visavis.errors import BadInputError
from visavis.search.learned.registry import available


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Twenty-four pictures whose vectors are those of what they show."""
    folder = tmp_path_factory.mktemp("scenes")
    things, colours = "dog cat bus boat tree kite".split(), "red blue green white".split()
    rows = []
    for number in range(24):
        colour, thing = colours[number % 4], things[number // 4]
        texts = [f"a {colour} {thing}", f"{thing} in {colour}", f"one {thing}", f"some {colour}", f"the {thing}"]
        attributes = {
            "articleType": thing, "baseColour": colour, "gender": "", "usage": "", "season": "",
            "productDisplayName": f"brand{number} {colour} {thing}",
        }  # fmt: skip
        rows.append({"image_id": number, "split": "val", "captions": texts, "attributes": attributes})
    (folder / "captions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    vectors = BuiltinEncoder(threads=1).encode_texts([row["captions"][0] for row in rows]).astype(np.float16)
    (folder / "ids.json").write_text(json.dumps([row["image_id"] for row in rows]))
    np.save(folder / "whole.npy", vectors)
    np.save(folder / "regions.npy", np.repeat(vectors[:, None], 36, axis=1))
    return folder


def bench(data, *more, protocol="scenes"):
    from visavis.cli.main import _register_all, app

    if not app.registered_groups:
        _register_all()
    return CliRunner().invoke(
        app, ["bench", protocol, "--data", str(data), "--embeddings", str(data), "--limit", "3", "--json", *more]
    )


def test_all_retrievers_play_the_same_conversations(data):
    result = bench(data, "--retriever", "all")
    assert result.exception is None, result.output
    told = json.loads(result.stdout)
    usable = {name for name, missing in available(BuiltinEncoder(threads=1)).items() if not missing}
    assert usable <= told["systems"].keys()
    assert told["ahead of composed"].keys() == usable - {"composed"}
    for figures in told["systems"].values():
        assert len(figures["R@10"]) == 5
        assert figures["ms a turn"] > 0
    assert told["targets"] == 3


def test_all_retrievers_play_with_the_same_shoppers(data):
    result = bench(data, "--retriever", "all", protocol="products")
    assert result.exception is None, result.output
    told = json.loads(result.stdout)
    learned = [name for name, why in available(BuiltinEncoder(threads=1)).items() if not why and name != "composed"]
    both = {f"{name}{titles}" for name in learned for titles in ("", ", titles")}
    assert told["ahead of composed"].keys() == both
    assert both | {"last message", "all in one text", "composed", "composed, titles"} <= told["systems"].keys()
    assert sum(told["turns after the first, %"].values()) == pytest.approx(100, abs=0.2)
    assert told["targets"] == 3


def test_made_dialogues_are_played(data):
    told = json.loads(bench(data, "--rounds", "2").stdout)
    figures = told["systems"]["all in one text"]
    assert len(figures["Hits@10"]) == len(figures["mean rank"]) == 3
    assert figures["Hits@10"] == sorted(figures["Hits@10"])


def test_what_was_validated_on_is_not_reported(data):
    from visavis.lab.datasets.protocol import is_development

    told = json.loads(bench(data, "--half", "report", "--limit", "100").stdout)
    assert told["targets"] == sum(not is_development(str(number)) for number in range(1, 24, 2))


def test_a_retriever_that_does_not_exist_is_refused(data):
    assert isinstance(bench(data, "--retriever", "nothing").exception, BadInputError)
