"""What is seen in real photos, where they are at hand: most captions name one of the things that were found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from visavis.api import Collection, open_collection
from visavis.language.concepts import singular
from visavis.search.seer import PictureSeer

PHOTOS = Path(__file__).parents[3] / "shared" / "data" / "coco"
COUNT = 24


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    if not (PHOTOS / "sample").is_dir():
        pytest.skip("the sample of COCO is not here")
    folder = tmp_path_factory.mktemp("photos")
    for file in islice(sorted((PHOTOS / "sample").glob("*.jpg")), COUNT):
        shutil.copy(file, folder)
    with open_collection("photos", folder / "home", create=True) as collection:
        collection.index(folder)
        yield collection


def test_captions_name_what_was_seen(photos: Collection):
    captions = {
        row["image_id"]: " ".join(row["captions"]).lower()
        for row in map(json.loads, (PHOTOS / "captions.jsonl").read_text().splitlines())
    }
    seer = PictureSeer(photos)
    named = 0
    pictures = list(photos.catalogue.pictures(list(photos.store.ids())).values())
    for picture in pictures:
        told = captions[int(Path(picture.path).stem.split("_")[-1])].replace(".", " ").split()
        seen = [concept.noun for concept in seer.concepts(picture.id)]
        named += any(singular(word) in map(singular, noun.split()) for noun in seen for word in told)
    assert len(pictures) >= COUNT - 2
    assert named >= 0.7 * len(pictures), f"{named} of {len(pictures)}"
