import pytest

from visavis.language.commands import parse_command
from visavis.questions.answers import UnderstoodAnswer, free_question, said_about, understand_answer
from visavis.types import Proposition, Question

YES_NO = Question(
    "Is there a dog in it?",
    (("yes", None), ("no", None)),
    "yes/no",
    "k",
    propositions=(Proposition("a dog", "a photo of a dog"),),
)
CHOICE = Question(
    "Red or blue?",
    (("red", None), ("blue", None)),
    "choice",
    "c",
    propositions=(Proposition("something red"), Proposition("something blue")),
)


@pytest.mark.parametrize(
    ("question", "said", "heard"),
    [
        (YES_NO, "Yes!", UnderstoodAnswer(chosen=0)),
        (YES_NO, "yeah, there is", UnderstoodAnswer(chosen=0)),
        (YES_NO, "no", UnderstoodAnswer(chosen=1)),
        (YES_NO, "I don’t know", UnderstoodAnswer(unknown=True)),
        (YES_NO, "a cat sits there", UnderstoodAnswer(free="a cat sits there")),
        (CHOICE, "blue", UnderstoodAnswer(chosen=1)),
        (CHOICE, "the second one", UnderstoodAnswer(chosen=1)),
        (CHOICE, "2", UnderstoodAnswer(chosen=1)),
        (CHOICE, "neither", UnderstoodAnswer(none=True)),
        (CHOICE, "both", UnderstoodAnswer(unknown=True)),
        (CHOICE, "don't care", UnderstoodAnswer(unknown=True)),
        (CHOICE, "rather greenish", UnderstoodAnswer(free="rather greenish")),
    ],
)
def test_answers_are_understood(question, said, heard):
    assert understand_answer(question, said) == heard


def test_plain_words_become_questions():
    assert free_question("Are there any people?").propositions[0].wish == "people"
    assert [label for label, _ in free_question("Is it old or new?").options] == ["old", "new"]
    assert free_question("What colour is the car?").form == "open"
    assert said_about("What colour is the car?", "red") == "red car"
    assert said_about("What else?", "a man on a red bicycle") == "a man on a red bicycle"


def test_every_command_offered_can_be_executed(bank, make_view):
    from visavis.questions.base import posterior
    from visavis.questions.informed import default_sources

    attributes = [{"colour": "red" if i % 2 else "navy blue", "price": 10.0 + i} for i in range(20)]
    view = make_view(attributes=attributes, told="a dog")
    probabilities = posterior(view.candidates.scores)
    for source in default_sources(bank):
        for proposal in source.propose(view, probabilities):
            for _, command in proposal.question.options:
                assert str(parse_command(command))
