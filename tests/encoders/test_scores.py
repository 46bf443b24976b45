"""The shipped weights find what they should: floors a little below what was measured when they were made.

After training anew, print the scores with ``python tests/encoders/test_scores.py`` and raise the floors.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from visavis.demo import draw_catalogue
from visavis.encoders.base import Encoder
from visavis.lab.datasets import open_dataset
from visavis.lab.evaluation.encoder_scores import QueryCaptions, score_encoder

SAMPLES = Path(__file__).parents[2] / "../shared/data"
#: A seed that no training set was drawn with.
UNSEEN = 90210
DRAWN = 80


def score_drawn(encoder: Encoder, folder: Path) -> dict:
    draw_catalogue(folder, DRAWN, seed=UNSEEN, processes=1)
    return score_encoder(encoder, open_dataset(folder))


def score_photos(encoder: Encoder) -> dict:
    return score_encoder(encoder, open_dataset(SAMPLES / "coco/sample"), questions=QueryCaptions(most=2))


def test_drawn_pictures_are_found_by_their_captions(builtin, tmp_path: Path):
    scores = score_drawn(builtin, tmp_path)
    assert scores["gallery"] == DRAWN
    assert scores["R@1"] >= FLOORS["drawn"]["R@1"], scores
    assert scores["R@10"] >= FLOORS["drawn"]["R@10"], scores


@pytest.mark.skipif(not (SAMPLES / "coco/sample").is_dir(), reason="the COCO samples are not beside the repository")
def test_photos_are_found_by_their_captions(builtin):
    scores = score_photos(builtin)
    assert scores["gallery"] == 400
    assert scores["R@1"] >= FLOORS["photos"]["R@1"], scores
    assert scores["R@10"] >= FLOORS["photos"]["R@10"], scores


FLOORS = {"drawn": {"R@1": 93.0, "R@10": 98.0}, "photos": {"R@1": 64.0, "R@10": 96.5}}


if __name__ == "__main__":
    import tempfile

    from visavis.encoders import load_encoder

    encoder = load_encoder()
    with tempfile.TemporaryDirectory() as temporary:
        print(json.dumps({"drawn": score_drawn(encoder, Path(temporary)), "photos": score_photos(encoder)}))
