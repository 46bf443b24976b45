"""Reference pictures and nouns: what a text is compared with everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from axis_world import DIMENSION, AxisEncoder, World, vector_of, wish
from memory_store import MemoryStore

from visavis.encoders.registry import load_encoder
from visavis.search.exclusion import probe_texts
from visavis.search.judge import Judge
from visavis.search.presence import GROUPS, PresenceModel, groups_of, read_presence
from visavis.search.probability import NUMBERS as OWN
from visavis.search.probability import REFERENCED, MatchModel, default_model
from visavis.search.reference import NUMBERS, PACKAGE, SCORES, NormalScores, Reference, read_reference, reference_for
from visavis.search.request import SearchRequest
from visavis.search.retriever import ComposedRetriever
from visavis.search.vectors import PictureVectors, VectorSample


@pytest.fixture
def reference():
    pictures = np.random.default_rng(3).normal(0, 1, (300, DIMENSION)).astype(np.float32)
    pictures /= np.linalg.norm(pictures, axis=1, keepdims=True)
    nouns = AxisEncoder().encode_texts(["red", "blue", "dress", "shirt", "shoes"])
    return Reference(pictures, NormalScores.of(pictures), nouns, "axes")


def numbers(reference, text, *shown):
    pictures = np.stack([vector_of(one) for one in shown])
    scores = pictures @ vector_of(text)
    told = reference.numbers(vector_of(text), pictures, pictures, (scores, scores))
    return dict(zip(NUMBERS, told.tolist(), strict=True))


def presence_model(direct, line=0.0, cut=0.0, many=-9.0):
    """One that weighs some numbers and has the same line for all texts."""
    width, scores = len(REFERENCED) + 3 * len(SCORES), np.array([REFERENCED.index(name) for name in SCORES])
    weights = np.zeros((1, width + 1))
    for name, weight in direct.items():
        weights[0, REFERENCED.index(name)] = weight
    return PresenceModel(
        np.zeros(DIMENSION),
        np.zeros((DIMENSION + 1, 2 * len(SCORES))),
        scores,
        np.zeros(width),
        np.full(width, 3.0),
        np.zeros((1, width + 1, 2)),
        np.zeros((1, 2)),
        weights,
        np.float32(line),
        np.append(np.zeros(width), cut),
        np.append(np.zeros(width + len(GROUPS)), many),
        np.stack([np.zeros(len(GROUPS)), np.ones(len(GROUPS))]),
    )


def test_what_shows_a_thing_stands_above_its_rivals(reference):
    shirt, dress = numbers(reference, "a shirt", "shirt"), numbers(reference, "a shirt", "dress")
    for part in ("whole", "region"):
        assert shirt[f"{part} over lenient rivals"] > 0 > dress[f"{part} over lenient rivals"]
        assert shirt[f"{part} nouns above"] <= dress[f"{part} nouns above"]


def test_the_best_of_several_pictures_counts(reference):
    both = numbers(reference, "a shirt", "dress", "shirt")
    assert both["whole over strict rivals"] == numbers(reference, "a shirt", "shirt")["whole over strict rivals"]
    assert both["first whole over lenient rivals"] < 0


def test_its_own_scores_and_the_likeness_of_its_best_pictures_are_told(reference):
    alike, mixed = numbers(reference, "a shirt", "shirt", "shirt"), numbers(reference, "a shirt", "shirt", "dress")
    assert alike["highest whole"] == pytest.approx(1.0, abs=0.01)
    assert alike["likeness of the best"] == pytest.approx(1.0, abs=1e-4)
    assert mixed["likeness of the best"] < alike["likeness of the best"]
    assert alike["nearest noun"] == pytest.approx(1.0, abs=0.01)


def test_middle_and_spread_come_from_mean_and_covariance():
    vectors = np.random.default_rng(1).normal(0.1, 1, (500, DIMENSION)).astype(np.float32)
    text = vector_of("red dress")
    middle, spread = NormalScores.of(vectors).scales(text[None])
    assert middle == pytest.approx((vectors @ text).mean(), abs=1e-4)
    assert spread == pytest.approx((vectors @ text).std(), abs=1e-3)


def test_it_reads_back(reference, tmp_path):
    reference.save(tmp_path / PACKAGE)
    kept = read_reference(tmp_path / PACKAGE)
    assert kept.encoder == "axes"
    before, after = (list(numbers(one, "red dress", "red dress").values()) for one in (reference, kept))
    assert after == pytest.approx(before, abs=0.1)


def test_another_encoder_has_none():
    assert reference_for("some plugin") is None
    assert World().retriever(model=None).judge.model.referenced is None


def test_the_shipped_one_belongs_to_the_shipped_regression():
    model = default_model("with reference")
    assert reference_for(model.encoder) is not None
    assert model.referenced is not None
    assert len(model.referenced.means) == len(set(REFERENCED)) + 3 * len(SCORES)
    assert default_model().referenced is None


@pytest.mark.parametrize(("text", "matches"), [("dress", True), ("people", False)])
def test_nothing_matches_what_the_reference_refuses(reference, monkeypatch, text, matches):
    world = World()
    for shown in ("red dress", "blue shirt", "green shoes", "long sleeves"):
        world.add(shown)
    presence = presence_model({"whole height": 1.0}, line=0.4)
    model = MatchModel(3.0, tuple(10.0 if name == "height" else 0.0 for name in OWN), referenced=presence)
    monkeypatch.setattr("visavis.search.retriever.reference_for", lambda encoder: reference)
    monkeypatch.setattr("visavis.search.judge.default_model", lambda part: model)
    found = ComposedRetriever(world.encoder, world.store).retrieve(SearchRequest([wish("want", text)], 5))
    assert any(result.match for result in found.results) is matches


def test_each_text_has_a_line_of_its_own(reference):
    """A picture matched from one half on whatever the text, so that most objects were counted a third too low."""
    numbers = np.zeros((1, len(OWN)), np.float32)
    told = reference.numbers(vector_of("red"), vector_of("red")[None], vector_of("red")[None], (numbers[0], numbers[0]))
    for cut in (-1.5, 0.0, 2.0):
        model = MatchModel(-1.0, (0.0,) * len(OWN), referenced=presence_model({}, line=-9.0, cut=cut))
        present, (line, _, _) = model.present(numbers, 1, vector_of("red"), told)
        assert present == pytest.approx(0.5)
        assert line == pytest.approx(cut)
        assert model.shift(5.0, present, line) == pytest.approx(-cut)
        assert -1.0 + model.shift(-1.0, present, line) >= 0


def test_the_network_reads_back(tmp_path):
    before = presence_model({"whole height": 1.0}, line=0.4, cut=1.0)
    before.save(tmp_path / "presence.npz")
    told = np.arange(len(REFERENCED), dtype=np.float32)
    assert read_presence(tmp_path / "presence.npz").decide(told, vector_of("red")) == before.decide(
        told, vector_of("red")
    )


def test_two_groups_are_parted_by_the_share_of_the_higher():
    draw = np.random.default_rng(2)
    half, few = (np.r_[draw.normal(-4, 1, 1000 - n), draw.normal(1, 1, n)].astype(np.float32) for n in (500, 30))
    for scores, number in ((half, 500), (few, 30)):
        groups = groups_of(scores, scores, 3.0)
        assert groups is not None
        assert np.exp(groups.numbers[0]) == pytest.approx(number / 1000, abs=0.02)
        assert (scores >= groups.line).sum() == pytest.approx(number, abs=25)
    assert groups_of(half[:80], half[:80], 3.0) is None


def test_what_is_true_of_many_has_its_line_between_the_groups():
    draw = np.random.default_rng(2)
    scores = np.r_[draw.normal(-9, 1, 500), draw.normal(-4, 1, 500)].astype(np.float32)
    groups, numbers = groups_of(scores, scores, 2.0), np.zeros(len(REFERENCED), np.float32)
    assert groups is not None
    models = (presence_model({}, many=many) for many in (-9.0, 9.0))
    rare, common = (model.decide(numbers, vector_of("red"), lambda: groups) for model in models)
    assert rare[1] == (0.0, 0.0, 0.0)
    assert common[1] == pytest.approx((groups.line, groups.line, 0.0), abs=0.01)


def test_what_is_added_to_a_topic_is_rather_true_of_many():
    draw = np.random.default_rng(2)
    scores = np.r_[draw.normal(-9, 1, 500), draw.normal(-4, 1, 500)].astype(np.float32)
    numbers = np.zeros(len(REFERENCED), np.float32)
    _, lines = presence_model({}, many=0.0).decide(numbers, vector_of("red"), lambda: groups_of(scores, scores, 2.0))
    assert lines.added < lines.alone < lines.usual


def test_what_is_true_of_many_is_there_though_its_best_stand_out_little():
    """Of properties that every tenth photo has or more ("nobody", "taken outdoors"), 30 in 100 were refused."""
    draw = np.random.default_rng(2)
    scores = np.r_[draw.normal(-9, 1, 500), draw.normal(-4, 1, 500)].astype(np.float32)
    numbers = np.zeros(len(REFERENCED), np.float32)
    rare, common = (
        presence_model({}, many=many).decide(numbers, vector_of("red"), lambda: groups_of(scores, scores, 2.0))[0]
        for many in (0.0, 3.0)
    )
    assert rare == pytest.approx(0.0, abs=1e-6)
    assert common > 1.0


def test_outdoors_is_true_of_many_photos_and_a_dog_of_few():
    encoder = load_encoder("builtin")
    reference = reference_for(encoder.fingerprint)
    assert reference is not None
    photos, store = reference._pictures[:600], MemoryStore()
    sample = VectorSample(photos, photos[:, None], tuple(map(str, range(len(photos)))))
    probes = encoder.encode_texts(probe_texts())
    judge = Judge(store, sample, PictureVectors(store, encoder.dimension), probes, reference=reference)
    found = {text: judge.text(text, encoder.encode_texts([text])[0]) for text in ("outside", "outdoors", "a dog")}
    shares = {text: float((judged.sample >= 0).mean()) for text, judged in found.items()}
    assert shares["outside"] > 0.25
    assert shares["outdoors"] > 0.25
    assert shares["a dog"] < 0.1
    assert found["outside"].many > 1 > found["a dog"].many
