"""Fitting the match probability on claims that are known to be true or false."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from visavis.encoders.base import Encoded, Encoder
from visavis.lab.datasets.folders import is_held_out
from visavis.lab.evaluation import match_vectors, presence_fit
from visavis.lab.evaluation.match_data import Photos, number_of, phrases_of
from visavis.lab.evaluation.match_figures import bench_match
from visavis.lab.evaluation.match_fit import said_nouns
from visavis.lab.evaluation.match_properties import property_claims
from visavis.lab.evaluation.match_vectors import drawn_items, read_match_vectors
from visavis.lab.evaluation.presence_fit import KnownText, balanced
from visavis.search import presence
from visavis.search.presence import read_presence
from visavis.search.probability import MatchModel
from visavis.search.reference import PACKAGE, read_reference

OBJECTS = ("dog", "cat", "car", "tree", "boat", "kite", "cake", "bench")
KINDS = ("Shirts", "Dresses", "Watches", "Sarees")
COLOURS = ("Red", "Blue")


class HashEncoder(Encoder):
    """Each word is a direction."""

    name = "hashed"
    dimension = 48

    def encode_texts(self, texts):
        return np.array([_unit(sum(_direction(word) for word in text.lower().split())) for text in texts], np.float32)

    def encode_pictures(self, images) -> Encoded:
        raise NotImplementedError

    def encode_patches(self, images):
        raise NotImplementedError


@cache
def _direction(word: str):
    word = word.removesuffix("s")
    return np.random.default_rng(list(word.encode())).normal(0, 1, 48)


def _unit(vector):
    return (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.fixture
def data(tmp_path):
    """Photos with two objects each and products with a colour and a kind, as vectors of what they show."""
    chance, folder = np.random.default_rng(1), tmp_path / "vectors"
    coco, products = tmp_path / "data/coco", tmp_path / "data/products"
    for place in (folder / "coco", folder / "products", coco, products):
        place.mkdir(parents=True)
    shown = {id: set(chance.choice(OBJECTS, 2, replace=False)) for id in range(1, 301)}
    more = [{"image_id": id, "split": "val" if id > 100 else "train", "objects": sorted(o)} for id, o in shown.items()]
    captions = [{"image_id": id, "captions": [f"a {x} near a {y}", f"the {y}"]} for id, (x, y) in shown.items()]
    for name, rows in (("more", more), ("captions", captions)):
        (coco / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    items = [(str(id), KINDS[id % 4], COLOURS[id % 3 % 2]) for id in range(1, 2000)]
    items = [row for row in items if is_held_out(row[0])] + items[:50]
    items = list(dict.fromkeys(items))
    with (products / "styles.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "articleType", "baseColour", "gender", "productDisplayName"])
        writer.writerows([id, kind, colour, "Men", f"{colour} {kind} {id}"] for id, kind, colour in items)
    for part, words in (("coco", {str(i): o for i, o in shown.items()}), ("products", {i: w for i, *w in items})):
        told = [[_direction(word.lower()) for word in said] for said in words.values()]
        noise = [chance.normal(0, 0.6, 48) for _ in told]
        (folder / part / "ids.json").write_text(json.dumps(list(words)))
        np.save(folder / part / "whole.npy", np.stack([_unit(sum(t) + n) for t, n in zip(told, noise, strict=True)]))
        np.save(
            folder / part / "regions.npy",
            np.stack([[_unit(v + n) for v in t] for t, n in zip(told, noise, strict=True)]),
        )
    seen = np.array([_unit(_direction(str(item.attributes["category"]))) for item in drawn_items()])
    keys = [f"drawn:{at}" for at in range(len(seen))]
    np.savez(folder / "drawn.npz", keys=keys, whole=seen, regions=seen[:, None].repeat(2, axis=1))
    return tmp_path


def test_it_fits_writes_and_measures(data, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(presence_fit, "_STEPS", 50)  # how well the line fits is no part of this
    figures = bench_match(
        HashEncoder(), data / "data", data / "vectors", None, ["a phase diagram", "sheet music"], fitting=True, out=data
    )
    assert figures["object"]["mean AP"] > 0.9
    assert figures["object"]["shown"] > figures["foreign"]["shown"]
    written = json.loads((data / "match.json").read_text())
    for part in ("alone", "with reference"):
        assert MatchModel.from_json(written, part).encoder == HashEncoder().fingerprint
    assert read_reference(data / PACKAGE).encoder == HashEncoder().fingerprint
    assert np.isfinite(read_presence(data / presence.PACKAGE).line)


def test_what_is_there_and_what_is_not_count_the_same_in_each_group():
    group, other = ("coco", "noun", 1), ("product", "noun", 0)
    told = [("noun", group, True)] * 3 + [("object", group, True)] + [("gone", group, False)] * 8 + [("x", other, True)]
    known = [
        KnownText(f"text {at}", kind, place, present, np.zeros(1), np.zeros(1))
        for at, (kind, place, present) in enumerate(told)
    ]
    weights = balanced(known)
    assert weights[:4].sum() == pytest.approx(weights[4:12].sum())
    assert weights[:3].sum() == pytest.approx(weights[3])
    assert weights[12] == 0


def test_nouns_of_captions_are_asked_where_they_are_and_where_all_are_gone(data):
    vectors = read_match_vectors(data / "vectors", HashEncoder(), frozenset(range(101, 301)))
    photos = Photos.read(vectors.photos, data / "data/coco")
    photos = replace(photos, objects={id: set() for id in photos.objects} | {0: {"nothing"}})
    claims = said_nouns(photos, vectors.encode, fitting=True) + said_nouns(photos, vectors.encode, fitting=False)
    assert {claim.text.split()[-1].removesuffix("s") for claim in claims} <= {*OBJECTS}
    for claim in claims:
        noun = claim.text.split()[-1].removesuffix("s")
        shown = [noun in photos.told[number_of(claim.gallery.keys[place])] for place in claim.among]
        assert any(shown) is (claim.kind == "noun")


def test_properties_are_asked_of_the_photos_of_which_captions_tell_them(data):
    vectors = read_match_vectors(data / "vectors", HashEncoder(), frozenset(range(101, 301)))
    photos = Photos.read(vectors.photos, data / "data/coco")
    said = {"dog": "a dog in the kitchen", "boat": "a boat on the ocean"}
    captions = {id: 3 * [next((said[x] for x in said if x in o), "a thing")] for id, o in photos.objects.items()}
    claims = {claim.text: claim for claim in property_claims(replace(photos, captions=captions), fitting=False)}
    outside = claims["outside"]
    ids = [number_of(outside.gallery.keys[place]) for place in outside.among]
    assert {"kitchen" in captions[id][0] for id in ids} == {True, False}
    for id, truth in zip(ids, outside.truth[outside.among], strict=True):
        assert truth == ("ocean" in captions[id][0]), "photos of which nothing tells where they were taken are left out"
    assert "indoors" not in claims, "what is fitted is not measured"


def test_without_other_pictures_the_reference_that_ships_is_taken(data, monkeypatch: pytest.MonkeyPatch):
    everything = frozenset(range(1, 301))
    shipped = read_match_vectors(data / "vectors", HashEncoder(), frozenset(range(101, 301))).reference
    monkeypatch.setattr(match_vectors, "is_held_out", lambda _: True)
    monkeypatch.setattr(match_vectors, "reference_for", lambda encoder: shipped)
    assert read_match_vectors(data / "vectors", HashEncoder(), everything).reference is shipped


def test_phrases_stand_between_prepositions_and_verbs():
    assert phrases_of("A man riding a big wave on a surfboard.") == ["a man", "a big wave", "a surfboard"]
