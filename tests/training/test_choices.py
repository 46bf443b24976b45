"""What is learned to fill the holes of CAISE drafts: the fit, the choices, and what they add to the rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_support import CAISE
from tiny_encoder import TinyEncoder

from visavis.errors import BadInputError, NotFoundError
from visavis.language.caise.bench import by_rules, run
from visavis.language.caise.choosing import CHOICES, Choice, Choices
from visavis.language.caise.combining import Combined, follows_network
from visavis.language.caise.drafts import draft_of
from visavis.language.caise.records import Record, Utterance, read_records
from visavis.language.caise.similarity import WordVectors
from visavis.language.caise.thing_choice import thing_candidates
from visavis.training.choices import Example, Fit, cross_fitted, cross_validated, fit_choice, learn_choices
from visavis.training.lbfgs import minimise

PLAIN = Fit(decay=0.1, steps=60, least=1)


def record(uid, said, command, seen=(), before=("search thing",)):
    commands, concepts = (before, (tuple(seen),)) if seen else ((), ())
    return Record(uid, command, (Utterance("user", said),), (), commands, concepts)


def dialogues(count=30):
    """People who always mean the colour of the cup, and the hat when something is worn."""
    names = ["red", "blue", "green", "yellow", "brown"]
    made = []
    for at in range(count):
        cup, wall = names[at % 5], names[(at + 2) % 5]
        seen = (f"{wall} wall", f"{cup} cup", "black hat", "wooden table")
        made.append(
            record(f"md_{at}_1", "find a towel in the same color as the cup", f"search {cup} towel", seen),
        )
        made.append(record(f"md_{at}_2", "find the object the man is wearing on his head", "search hat", seen))
        made.append(record(f"md_{at}_0", "find me an image of a chair", "search chair"))
    return made


@given(
    st.lists(st.floats(-5, 5), min_size=1, max_size=6),
    st.lists(st.floats(0.1, 20), min_size=6, max_size=6),
)
@settings(max_examples=40, deadline=None)
def test_the_lowest_point_of_a_bowl_is_found(lowest, steepness):
    target, steep = np.array(lowest), np.array(steepness[: len(lowest)])

    def bowl(at):
        return float((steep * (at - target) ** 2).sum()), 2 * steep * (at - target)

    assert np.allclose(minimise(bowl, np.zeros(len(target)), 200), target, atol=0.05)


def test_a_choice_learns_what_decides():
    examples = [
        Example(({"big": 1.0, f"noise {n % 3}": 1.0}, {"small": 1.0, f"noise {n % 2}": 1.0}), 0, f"d{n}")
        for n in range(20)
    ]
    choice = fit_choice(examples, PLAIN)
    assert choice.weights["big"] > 0 > choice.weights["small"]
    chances = np.exp(choice.log_probabilities([{"small": 1.0}, {"big": 1.0}, {"never seen": 1.0}]))
    assert chances.argmax() == 1
    assert chances.sum() == pytest.approx(1)
    assert cross_validated(examples, PLAIN) == 1


def test_nothing_is_learned_from_nothing():
    assert fit_choice([], PLAIN).weights == {}
    assert fit_choice([Example(({"a": 1.0},), -1, "d")], PLAIN).weights == {}
    assert len(Choice({}).log_probabilities([])) == 0


def test_features_that_are_always_nothing_teach_nothing():
    examples = [Example(({"x": 0.0}, {"x": 0.0}), 0, str(number)) for number in range(3)]
    assert fit_choice(examples, PLAIN).weights == {"x": 0.0}


def test_a_draft_leaves_open_what_the_picture_must_tell():
    colour, thing, plain = (draft_of(one) for one in dialogues(1))
    assert (colour.hole, colour.phrase) == ("colour", "cup")
    assert colour.filled("red") == "search red towel"
    assert thing.hole == "thing"
    assert thing.filled("hat") == "search hat"
    assert (plain.hole, plain.command) == ("", "search chair")


def test_a_colour_that_is_said_is_not_open():
    said = record("md_0_1", "find a towel in the same color as the blue cup", "search blue towel", ("red cup",))
    assert draft_of(said).command == "search blue towel"
    fruit = record("md_0_1", "find a towel in the same color as the ice cream", "search pink towel", ("pink cone",))
    assert draft_of(fruit).hole == "colour"


def test_a_colour_with_the_thing_is_a_candidate():
    asked = record("md_0_1", "find the green object on the table", "search green cup", ("green cup", "white wall"))
    texts = [text for text, _ in thing_candidates(asked, draft_of(asked))]
    assert texts == ["cup", "wall", "green cup", "green wall"]


def test_choices_fill_holes_and_survive_saving(tmp_path):
    records = dialogues()
    vectors = WordVectors(TinyEncoder())
    choices, told = learn_choices(records, vectors)
    assert told["colours_cross_validated"] > 0.9
    assert told["things_cross_validated"] > 0.9
    choices.save(tmp_path)
    again = Choices.load(tmp_path)
    for kept in (choices, again):
        combined = Combined(kept, vectors=WordVectors(TinyEncoder(), kept.centre))
        assert run(records, combined).score.accuracy == 1


def test_other_dialogues_teach_what_is_scored(monkeypatch):
    monkeypatch.setattr("visavis.training.choices.WordVectors", lambda: WordVectors(TinyEncoder()))
    records = dialogues()
    assert run(records, cross_fitted(records)).score.accuracy > 0.9


def test_missing_and_broken_choices_are_named(tmp_path):
    with pytest.raises(NotFoundError, match=CHOICES):
        Choices.load(tmp_path)
    for damage in (b"", b"no archive", b"PK\x03\x04 half an archive"):
        (tmp_path / CHOICES).write_bytes(damage)
        with pytest.raises(BadInputError, match=CHOICES):
            Choices.load(tmp_path)


@pytest.mark.parametrize(
    ("written", "followed"),
    [
        (("search chair", 0.95), True),
        (("search chair", 0.5), False),
        (("search wooden stool", 0.95), False),
        (("image_cutout", 0.95), True),
        (("image_cutout", 0.5), False),
        (("", 0.0), False),
    ],
)
def test_the_network_is_followed_where_it_is_sure_and_keeps_to_what_was_said(written, followed):
    first = record("md_0_0", "find me an image of a chair for my room", "search chair")
    assert follows_network(first, draft_of(first), written) is followed


def test_the_network_has_a_say_in_what_is_open():
    records = dialogues()
    choices, _ = learn_choices(records, WordVectors(TinyEncoder()))
    vectors = WordVectors(TinyEncoder(), choices.centre)
    unclear = Choices(Choice({}), Choice({}), choices.centre)
    for wanted in ("search green towel", "search brown towel"):
        assert Combined(unclear, lambda _, w=wanted: (w, 0.9), vectors)(records[0])[0] == wanted
    assert Combined(unclear, lambda _: ("search hat", 0.9), vectors)(records[1])[0] == "search hat"
    assert Combined(unclear, lambda _: ("image_cutout", 0.99), vectors)(records[1])[0] == "image_cutout"


@pytest.mark.skipif(not CAISE.is_dir(), reason="the CAISE files are not here")
def test_choices_add_to_the_rules_on_real_dialogues(monkeypatch):
    """On a part of the train split, by cross-validation, with word vectors that know nothing."""
    monkeypatch.setattr("visavis.training.choices.WordVectors", lambda: WordVectors(TinyEncoder()))
    records = [one for one in read_records(CAISE, "train")[:1500] if one.concepts and draft_of(one).hole]
    by_choice, alone = run(records, cross_fitted(records)).score, run(records, by_rules()).score
    assert by_choice.accuracy > alone.accuracy
