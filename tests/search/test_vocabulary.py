import re

import pytest

from visavis.errors import BadInputError
from visavis.language.english import listed, plural, singular, with_article
from visavis.search.vocabulary import Term, default_vocabulary, parse_vocabulary, read_vocabulary
from visavis.types import Kind


def test_there_are_at_least_fifteen_hundred_concepts_of_every_kind():
    vocabulary = default_vocabulary()
    assert len(vocabulary) >= 1500
    assert {concept.kind for concept in vocabulary} == set(Kind)
    assert len({concept.key for concept in vocabulary}) == len(vocabulary)


def test_every_question_is_a_sentence():
    for concept in default_vocabulary():
        assert re.fullmatch(r"[A-Z][^?]+\?", concept.question), concept
        assert not re.search(r"\ba [aeio]\w|\ban [bcdfgjklmnpqrstvwxyz]", concept.question.lower()), concept.question
        assert "any a " not in concept.question


@pytest.mark.parametrize(
    ("kind", "phrase", "question"),
    [
        (Kind.THING, "elephant", "Is there an elephant in it?"),
        (Kind.STUFF, "snow", "Is there any snow in it?"),
        (Kind.STUFF, "children", "Are there any children in it?"),
        (Kind.STUFF, "grass", "Is there any grass in it?"),
        (Kind.PLACE, "in a kitchen", "Is it in a kitchen?"),
        (Kind.ACTIVITY, "surfing", "Does it show someone surfing?"),
        (Kind.COUNT, "nobody", "Is it without any people?"),
    ],
)
def test_questions_are_grammatical(kind, phrase, question):
    assert Term(kind, phrase).question == question


def test_small_english():
    assert (with_article("hour"), with_article("uniform"), with_article("apple")) == (
        "an hour",
        "a uniform",
        "an apple",
    )
    assert [plural(x) for x in ("bus", "child", "bunch of bananas", "pony")] == [
        "buses", "children", "bunches of bananas", "ponies",
    ]  # fmt: skip
    assert [singular(x) for x in ("dogs", "people", "grass", "knives", "shoes")] == [
        "dog", "person", "grass", "knife", "shoe",
    ]  # fmt: skip
    assert listed(["red", "blue", "green"]) == "red, blue or green"


def test_a_vocabulary_with_an_unknown_section_is_refused():
    with pytest.raises(BadInputError, match=r"Line 1 .* \[thing\]"):
        parse_vocabulary("[thing]\ndog", "mine.txt")
    with pytest.raises(BadInputError, match="before any section"):
        parse_vocabulary("dog", "mine.txt")


def test_a_vocabulary_of_ones_own_is_read(tmp_path):
    (tmp_path / "words.txt").write_text("[things]\na loom, a kiln\n", "utf-8")
    assert [concept.phrase for concept in read_vocabulary(tmp_path / "words.txt")] == ["a loom", "a kiln"]
    with pytest.raises(BadInputError, match="cannot be read"):
        read_vocabulary(tmp_path / "none.txt")
