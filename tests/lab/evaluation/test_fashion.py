import json

import ir_measures
import numpy as np

from visavis.lab.evaluation.dialogs import Bench
from visavis.lab.evaluation.fashion import OPEN, play_shopping, run_shopping, shopping_figures
from visavis.lab.evaluation.gallery import Gallery
from visavis.lab.evaluation.protocol import PlayedConversation
from visavis.lab.evaluation.report import Run
from visavis.lab.simulation.captions import AttributeUser

ROWS = {str(i): {"articleType": kind, "baseColour": colour} for i, (kind, colour) in enumerate(
    [("Shirts", "Red"), ("Shirts", "Blue"), ("Shoes", "Red"), ("Shoes", "Blue")])}  # fmt: skip


class _Texts:
    def __call__(self, texts):
        return np.ones((len(texts), 2), np.float32)


def _bench():
    vectors = np.eye(4, 2, dtype=np.float32)
    return Bench(Gallery(tuple(ROWS), vectors, vectors[:, None]), _Texts())


def test_stops_when_the_target_is_shown_first():
    spoken = []

    def system(said):
        spoken.append(said[-1].text)
        words = " ".join(one.text for one in said)
        return np.array([sum(str(v).lower() in words for v in row.values()) for row in ROWS.values()], float)

    talk = play_shopping(_bench(), system, AttributeUser(ROWS), target="3", start="0", rules=OPEN)
    assert talk.ranks == (1,)
    assert (talk.opening, talk.exchanges) == ("are shoes and is blue", ())
    assert spoken == ["are shoes and is blue"]


def test_nothing_is_shown_twice_and_there_are_five_turns():
    talk = play_shopping(_bench(), lambda said: np.array([3.0, 2.0, 1.0, 0.0]), AttributeUser(ROWS), "3", "0", OPEN)
    shown = [picture for picture, _, _ in talk.exchanges]
    assert len(set(shown)) == len(shown)
    assert len(talk.ranks) == 3  # the target came as the fourth picture


def test_figures_by_hand():
    talks = tuple(PlayedConversation(str(n), ranks, "", (), ()) for n, ranks in enumerate([(51, 30, 11, 10, 1), (1,)]))
    figures = shopping_figures(Run("x", talks, 101, 4), OPEN)
    assert figures["R@10"] == [50.0, 50.0, 100.0]
    assert figures["R@50"] == [50.0, 100.0, 100.0]
    assert figures["ranking_percentile"] == [75.0, 95.0, 100.0]


def test_by_the_rules_of_the_paper_shown_products_stay_and_nobody_stops():
    talk = play_shopping(_bench(), lambda said: np.array([0.0, 2.0, 3.0, 4.0]), AttributeUser(ROWS), "3", "0")
    assert talk.ranks == (1, 1, 1, 1, 1)
    assert [picture for picture, _, _ in talk.exchanges] == ["3"] * 4
    talks = (PlayedConversation("a", (50, 25, 1), "", (), ()), PlayedConversation("b", (50, 25, 1), "", (), ()))
    assert shopping_figures(Run("x", talks, 100, 4))["ranking_percentile"] == [50.0, 99.0, 99.0], "1 - r / N"


def test_a_run_is_written_and_goes_on_where_it_was(tmp_path):
    asked = []

    def make(_bench):
        def system(said):
            asked.append(said[-1].text)
            words = " ".join(one.text for one in said)
            return np.array([sum(str(v).lower() in words for v in row.values()) for row in ROWS.values()], float)

        return system

    pairs = [("3", "0"), ("1", "2")]
    first = run_shopping(_bench(), {"last": make, "ours": make}, AttributeUser(ROWS), pairs, tmp_path)
    played = len(asked)
    assert run_shopping(_bench(), {"last": make, "ours": make}, AttributeUser(ROWS), pairs, tmp_path) == first
    assert len(asked) == played  # nothing was played twice
    assert first["systems"]["ours"]["R@10"] == [100.0, 100.0, 100.0]
    assert first["comparisons"]["ours - last, R@10, turn 5"]["difference"] == 0
    assert json.loads((tmp_path / "dialog.json").read_text()) == first
    run = list(ir_measures.read_trec_run(str(tmp_path / "ours.trec")))
    assert {hit.query_id: hit.doc_id for hit in reversed(run)} == {"3": "3", "1": "1"}
    assert {judged.query_id for judged in ir_measures.read_trec_qrels(str(tmp_path / "qrels.trec"))} == {"3", "1"}
    assert "2 targets among 4" in (tmp_path / "report.html").read_text()
    run_shopping(_bench(), {"last": make}, AttributeUser(ROWS), [("3", "1")], tmp_path)
    assert len(asked) > played  # other starts are another run
