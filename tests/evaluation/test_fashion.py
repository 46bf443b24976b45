import numpy as np

from visavis.evaluation.dialogs import Bench
from visavis.evaluation.fashion import ShoppingTalk, play_shopping, shopping_figures
from visavis.evaluation.gallery import Gallery
from visavis.simulation.attributes import AttributeUser

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

    talk = play_shopping(_bench(), system, AttributeUser(ROWS), target="3", start="0")
    assert talk.ranks == (1,)
    assert talk.shown == ("0", "3")
    assert spoken == ["are shoes and is blue"]


def test_nothing_is_shown_twice_and_there_are_five_turns():
    talk = play_shopping(_bench(), lambda said: np.array([3.0, 2.0, 1.0, 0.0]), AttributeUser(ROWS), "3", "0")
    assert len(set(talk.shown)) == len(talk.shown)
    assert len(talk.ranks) <= 5


def test_figures_by_hand():
    talks = [ShoppingTalk("t", "s", (), (), (51, 30, 11, 10, 1)), ShoppingTalk("u", "s", (), (), (1,))]
    figures = shopping_figures(talks, 101)
    assert figures["R@10"] == [50.0, 50.0, 100.0]
    assert figures["R@50"] == [50.0, 100.0, 100.0]
    assert figures["ranking_percentile"] == [75.0, 95.0, 100.0]
