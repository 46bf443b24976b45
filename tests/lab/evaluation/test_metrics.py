"""Every figure against values worked out by hand, and against the tools of the field where they are installed."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.evaluation import metrics
from visavis.lab.evaluation import report as results
from visavis.lab.evaluation.metrics import (
    caption_scores,
    compare,
    median_rank,
    read_captions,
    recall_at,
    recalls,
    target_ranks,
)

#: Three queries, the opening and two rounds.
RANKS = [[12, 3, 20], [1, 2, 1], [50, 40, 30]]
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(st.integers(1, 500), min_size=width, max_size=width), min_size=1, max_size=8)
)
LONG, DARK = "is red and has long sleeves", "is darker and has a green logo"
ROWS = [
    {"category": "dress", "said": [LONG, "is a red dress with sleeves"], "greedy": "is blue", "beam": LONG},
    {"category": "shirt", "said": [DARK], "greedy": "is longer", "beam": DARK},
]


def test_hits_count_a_target_from_the_round_in_which_it_was_found():
    assert metrics.hits(RANKS, 10).tolist() == pytest.approx([1 / 3, 2 / 3, 2 / 3])


def test_recall_looks_at_each_round_alone():
    assert metrics.recall(RANKS, 10).tolist() == pytest.approx([1 / 3, 2 / 3, 1 / 3])


def test_mean_rank():
    assert metrics.mean_rank(RANKS).tolist() == pytest.approx([21, 15, 17])


def test_ranking_percentile_is_one_for_the_first_and_zero_for_the_last():
    assert metrics.ranking_percentile([[1], [101]], 101).tolist() == [0.5]
    assert metrics.ranking_percentile([[1, 101]], 101).tolist() == [1.0, 0.0]


def test_ranking_percentile_refuses_a_gallery_that_is_too_small():
    with pytest.raises(BadInputError, match="gallery of 9"):
        metrics.ranking_percentile([[10]], 9)


def test_best_log_rank_integral_by_the_published_formula():
    # E[ log(R0 RT) / 2T + sum(log Rt) / T ] with R the best rank so far: T = 2
    first = math.log(12 * 3) / 4 + math.log(3) / 2
    third = math.log(50 * 30) / 4 + math.log(40) / 2
    assert metrics.best_log_rank_integral(RANKS) == pytest.approx((first + 0 + third) / 3)


def test_turns_to_success():
    assert metrics.turns_to_success(RANKS, 10) == [1, 0, None]


def test_repeated_questions_ignore_case_and_punctuation():
    assert metrics.repeated_questions(["Is it red?", "is it red", "Is it blue?", "IS IT RED ?"]) == 2


def test_padding_keeps_the_last_rank():
    assert metrics.pad_ranks([[5, 1], [9, 8, 7, 6]], 2).tolist() == [[5, 1, 1], [9, 8, 7]]


def test_a_tie_stands_in_the_middle():
    scores = np.array([0.5, 0.5, 0.5, 0.9])
    assert metrics.place_of(scores, 0) == 3  # one better, two equals share places 2 to 4
    assert metrics.place_of(scores, 3) == 1


@pytest.mark.parametrize("bad", [[], [[]], [[0]], [[1.5]], [1, 2]])
def test_what_is_no_table_of_ranks_is_refused(bad):
    with pytest.raises(BadInputError):
        metrics.hits(bad, 10)


@given(tables, st.integers(1, 50))
def test_hits_never_fall_and_never_lie_below_recall(ranks, k):
    found, now = metrics.hits(ranks, k), metrics.recall(ranks, k)
    assert (np.diff(found) >= 0).all()
    assert (found >= now).all()
    assert found[0] == now[0]


@given(tables)
def test_integral_lies_between_best_and_opening_rank(ranks):
    table = np.array(ranks)
    values = metrics.best_log_rank_integrals(ranks)
    assert (values <= np.log(table[:, 0]) + 1e-9).all()
    assert (values >= np.log(table.min(axis=1)) - 1e-9).all()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.data())
def test_place_against_brute_force(values, data):
    target = data.draw(st.integers(0, len(values) - 1))
    places = [i + 1 for i, v in enumerate(sorted(values, reverse=True)) if v == values[target]]
    assert metrics.place_of(np.array(values, float), target) == math.ceil(sum(places) / len(places))


def _random_run(rng, queries=40, gallery=60):
    run, targets, ranks = {}, {}, []
    for q in range(queries):
        order = rng.permutation(gallery)
        target = int(rng.integers(gallery))
        run[f"q{q}"] = [(f"p{p}", 1.0 - i / gallery) for i, p in enumerate(order)]
        targets[f"q{q}"] = f"p{target}"
        ranks.append([int(np.flatnonzero(order == target)[0]) + 1])
    return run, targets, ranks


def test_recall_as_ranx_computes_it(tmp_path):
    ranx = pytest.importorskip("ranx", reason="ranx is in the extra 'bench'")
    run, targets, ranks = _random_run(np.random.default_rng(5))
    results.write_run(tmp_path / "run.trec", run, "test")
    results.write_qrels(tmp_path / "qrels.trec", targets)
    qrels, theirs = ranx.Qrels.from_file(str(tmp_path / "qrels.trec")), ranx.Run.from_file(str(tmp_path / "run.trec"))
    for k in (1, 10, 50):
        assert ranx.evaluate(qrels, theirs, f"hit_rate@{k}") == pytest.approx(metrics.recall(ranks, k)[0])
    reciprocal = np.mean([1 / row[0] for row in ranks])
    assert ranx.evaluate(qrels, theirs, "mrr") == pytest.approx(reciprocal)


def test_recall_as_ir_measures_computes_it(tmp_path):
    measures = pytest.importorskip("ir_measures", reason="ir-measures is in the extra 'bench'")
    run, targets, ranks = _random_run(np.random.default_rng(6))
    results.write_run(tmp_path / "run.trec", run, "test")
    results.write_qrels(tmp_path / "qrels.trec", targets)
    wanted = [measures.Success @ 10, measures.R @ 50, measures.RR]
    theirs = measures.calc_aggregate(
        wanted,
        measures.read_trec_qrels(str(tmp_path / "qrels.trec")),
        measures.read_trec_run(str(tmp_path / "run.trec")),
    )
    assert theirs[measures.Success @ 10] == pytest.approx(metrics.recall(ranks, 10)[0])
    assert theirs[measures.R @ 50] == pytest.approx(metrics.recall(ranks, 50)[0])
    assert theirs[measures.RR] == pytest.approx(np.mean([1 / row[0] for row in ranks]))


def test_by_hand():
    gallery = np.eye(4, dtype=np.float32)
    queries = np.array([[0.9, 0.1, 0, -1], [0.5, 0.4, 0.3, 0.2]], np.float32)
    np.testing.assert_array_equal(target_ranks(queries, gallery, [0, 3]), [0, 3])
    np.testing.assert_array_equal(target_ranks(queries, gallery, [3, 1]), [3, 1])


def test_an_encoder_that_sees_no_difference_is_no_better_than_chance():
    same = np.ones((100, 8), np.float32)
    ranks = target_ranks(same, same, range(100))
    assert recall_at(ranks, 10) == 0
    assert median_rank(ranks) == 50.5


def test_recalls_and_median():
    ranks = np.array([0, 0, 3, 7, 40], float)
    assert recalls(ranks) == {"R@1": 40.0, "R@5": 60.0, "R@10": 80.0}
    assert median_rank(ranks) == 4
    assert recalls(np.array([])) == {"R@1": 0.0, "R@5": 0.0, "R@10": 0.0}


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 30), st.integers(0, 2**31))
def test_agrees_with_sorting(size: int, count: int, seed: int):
    random = np.random.default_rng(seed)
    gallery = random.normal(size=(size, 5)).astype(np.float32)
    queries = random.normal(size=(count, 5)).astype(np.float32)
    targets = random.integers(0, size, count)
    order = np.argsort(-(queries @ gallery.T), axis=1)
    expected = [list(row).index(target) for row, target in zip(order, targets, strict=True)]
    np.testing.assert_array_equal(target_ranks(queries, gallery, targets), expected)


def test_many_queries_are_cut_into_parts():
    random = np.random.default_rng(0)
    gallery = random.normal(size=(3000, 4)).astype(np.float32)
    gallery /= np.linalg.norm(gallery, axis=1, keepdims=True)
    assert target_ranks(gallery, gallery, range(3000)).max() < 1


@pytest.mark.parametrize("targets", [[0], [0, 1, 2], [0, 5], [-1, 0]])
def test_wrong_targets(targets: list[int]):
    with pytest.raises(BadInputError):
        target_ranks(np.ones((2, 3), np.float32), np.ones((5, 3), np.float32), targets)


def test_a_file_of_captions(tmp_path: Path):
    (tmp_path / "captions.json").write_text(json.dumps(ROWS))
    assert read_captions(tmp_path / "captions.json") == ROWS
    (tmp_path / "captions.json").write_text('[{"target": 1}]')
    with pytest.raises(BadInputError):
        read_captions(tmp_path / "captions.json")
    with pytest.raises(NotFoundError):
        read_captions(tmp_path / "nothing.json")


def test_the_same_words_score_everything():
    pytest.importorskip("pycocoevalcap")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    found = caption_scores(ROWS)
    assert found["beam"]["all"]["BLEU-4"] == 100.0
    assert found["beam"]["dress"]["ROUGE-L"] == 100.0
    assert found["greedy"]["all"]["BLEU-4"] < 1
    assert found["greedy"]["all"]["distinct"] == 100.0


def test_what_is_needed_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "pycocoevalcap.bleu.bleu", None)
    with pytest.raises(NotFoundError, match="pycocoevalcap"):
        caption_scores(ROWS)


def test_permutation_against_every_flip_by_hand():
    # three queries, all better by one: of the eight ways to flip, two are as extreme as what was seen
    result = compare([1, 1, 1], [0, 0, 0], samples=20_000)
    assert result.difference == 1.0
    assert result.p == pytest.approx(2 / 8, abs=0.02)
    assert not result.significant


def test_a_clear_difference_is_significant_and_its_interval_holds_it():
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    result = compare(base + 0.3 + rng.normal(size=400) * 0.5, base)
    assert result.significant
    assert result.low < 0.3 < result.high
    spread = (result.high - result.low) / (2 * 1.96)
    assert spread == pytest.approx(0.5 / np.sqrt(400), rel=0.15)


def test_false_alarms_are_as_rare_as_promised():
    rng = np.random.default_rng(1)
    alarms = sum(compare(*rng.normal(size=(2, 60)), samples=400, seed=i).p < 0.05 for i in range(300))
    assert alarms <= 30


@settings(max_examples=30)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20))
def test_the_same_values_never_differ(values):
    result = compare(values, values, samples=50)
    assert (result.difference, result.low, result.high, result.p) == (0, 0, 0, 1)
    assert not result.significant


def test_same_seed_same_numbers():
    assert compare([1, 2, 3.5], [0, 3, 1], seed=4) == compare([1, 2, 3.5], [0, 3, 1], seed=4)


def test_different_queries_are_refused():
    with pytest.raises(BadInputError, match="2 values"):
        compare([1, 2], [1, 2, 3])
