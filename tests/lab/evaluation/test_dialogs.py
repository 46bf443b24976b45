"""The protocols: the messages of the simulated shopper, and the figures."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
from axis_world import AxisEncoder, vector_of
from fake_reader import LastRoundReader

from visavis.lab.evaluation.alternatives import ALTERNATIVES
from visavis.lab.evaluation.dialogs import (
    BASELINES,
    Bench,
    composed,
    figures,
    leads,
    scene_ranks,
    with_titles,
    worsened,
)
from visavis.lab.evaluation.fashion import Shopper, shopping_ranks, title_words
from visavis.lab.evaluation.gallery import Gallery
from visavis.lab.simulation.base import SimulatedUser
from visavis.search.vectors import TextVectors


def attributes(kind, colour, gender="Men"):
    title = f"Turtle Check {gender} {colour} {kind}"
    return {
        "articleType": kind, "baseColour": colour, "gender": gender, "usage": "Casual", "season": "Fall",
        "productDisplayName": title,
    }  # fmt: skip


def bench():
    names = [(k, c) for k in ("dress", "shirt", "shoes") for c in ("red", "blue", "green")]
    whole = np.stack([vector_of(f"{c} {k}") for k, c in names])
    told = tuple(attributes(k, c) for k, c in names)
    gallery = Gallery(tuple(f"{c} {k}" for k, c in names), whole, whole[:, None], told)
    return Bench(gallery, TextVectors(AxisEncoder()))


def test_every_system_finds_a_scene_that_is_described():
    for make in (*BASELINES.values(), *ALTERNATIVES.values(), composed):
        table = bench()
        assert scene_ranks(table, make(table), "blue shirt", ["blue shirt", "blue shirt"]) == [1, 1]


def test_memory_keeps_what_the_last_message_forgets():
    table = bench()
    told = ["shirt", "blue"]
    assert scene_ranks(table, composed(table), "blue shirt", told)[-1] == 1
    assert scene_ranks(table, BASELINES["last message"](table), "blue shirt", told)[-1] > 1


def test_shopping_ends_at_the_target_and_is_the_same_again():
    table = bench()
    ranks = [shopping_ranks(table, composed(table), "blue shirt", "red shoes", 5, 0) for _ in range(2)]
    assert ranks[0] == ranks[1]
    assert ranks[0][-1] == 1


def test_a_learned_retriever_sees_what_the_shopper_saw():
    table = bench()
    reader = LastRoundReader(table.texts.encoder)
    ranks = shopping_ranks(table, composed(table, reader=reader), "blue shirt", "red shoes", 5, 0)
    assert ranks[-1] == 1
    read = reader.read_dialogues[0]
    assert read[0].shown == ("red shoes",)
    assert np.allclose(reader.seen[0][0], vector_of("red shoes"))


def test_titles_are_read_as_the_live_retriever_reads_them():
    names = [f"plain {number}" for number in range(7)]
    whole = np.stack([vector_of("blue shirt")] * len(names))
    told = tuple(attributes("shirt", "blue") | {"productDisplayName": f"Shirt {brand}"} for brand in "abcdefg")
    told[4]["productDisplayName"] = "Shirt by Wolkenstein"
    table = Bench(Gallery(tuple(names), whole, whole[:, None], told), TextVectors(AxisEncoder()))
    said = ["blue shirt", "wolkenstein"]
    assert scene_ranks(table, with_titles(table), names[4], said)[-1] == 1
    assert scene_ranks(table, composed(table), names[4], said)[-1] > 1


def test_a_user_may_say_what_is_different():
    class Says(SimulatedUser):
        def describe(self, target):
            return target

        def compare(self, shown, target):
            return f"is {target}" if shown != [target] else "is the same"

        def _reply(self, question, target, said):
            return "yes"

    table = bench()
    assert shopping_ranks(table, composed(table), "blue shirt", "red shoes", 5, 0, Says()) == [1]
    message = Shopper(attributes("shirt", "blue"), random.Random(1), lambda id: f"are {id}").speak(
        1, [("shoes", attributes("shoes", "red"))]
    )
    assert message.text == "are shoes"
    assert [wish.text for wish in message.wishes] == ["shoes"]


def test_a_shopper_names_nothing_twice_and_only_what_is_wrong():
    shopper = Shopper(attributes("shirt", "blue"), random.Random(1))
    start = ("s", attributes("shoes", "blue"))
    wishes = [wish.text for turn in (1, 2, 3) for wish in shopper.speak(turn, [start]).wishes]
    assert len(wishes) == len(set(wishes))
    assert "shirt" in wishes
    assert "blue" not in wishes


def test_as_many_turns_go_back_and_combine_as_promised():
    kinds: Counter[str] = Counter()
    for seed in range(300):
        shopper = Shopper(attributes("shirt", "blue"), random.Random(seed))
        shown = [("start", attributes("shoes", "red", "Women"))]
        for turn in range(1, 3 + seed % 4):
            message = shopper.speak(turn, shown)
            went = [wish.picture for wish in message.wishes if wish.kind == "like"]
            assert not {*went} & {"start", shown[-1][0]}
            assert bool(went) == (shopper.kinds[-1] == "rollback")
            shown.append(
                (str(turn), attributes(*random.Random(seed + turn).choice((("shirt", "red"), ("dress", "blue")))))
            )
        kinds.update(shopper.kinds[1:])
    assert 0.25 < kinds["rollback"] / kinds.total() < 0.42
    assert 0.2 < kinds["combination"] / kinds.total() < 0.35


def test_a_rollback_says_what_differs_from_the_picture_that_it_goes_back_to():
    shopper = Shopper(attributes("shirt", "blue"), random.Random(0), lambda id: f"is other than {id}")
    shopper.kinds.extend(["base"] * 9)
    shown = [(id, attributes("shirt", "red")) for id in "abc"]
    message = shopper.speak(10, shown)
    assert [wish.picture for wish in message.wishes if wish.kind == "like"] == ["b"]
    assert "other than b" in message.text


def test_title_words_say_what_no_attribute_says():
    assert title_words(attributes("shirt", "blue")) == ["turtle", "check"]


def test_figures():
    ranks = [[10, 4, 1], [2, 4]]
    told = figures(ranks, 3)
    assert told["R@1"] == [0.0, 0.0, 50.0]
    assert told["mean rank"] == [6.0, 4.0, 2.5]
    assert worsened(np.array([[10, 15, 16], [2, 4, 4]])) == 0.25


def test_a_lead_is_counted_target_by_target():
    ahead = leads([[9, 9, 1]] * 20, [[9, 9, 7]] * 20, 3)
    assert ahead["R@5, turn 3"]["difference"] == 100.0
    assert ahead["R@5, turn 3"]["significant"]
    assert ahead["R@10, turn 3"]["difference"] == 0.0
    assert not ahead["R@10, turn 3"]["significant"]
