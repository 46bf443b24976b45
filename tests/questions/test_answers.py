import pytest

from visavis.language.commands import parse_command
from visavis.questions.answers import Heard, hear, wishes
from visavis.questions.base import Option, Proposition, Question
from visavis.questions.free import free_question, said_about

YES_NO = Question(
    "Is there a dog in it?", "yes/no", "k", (Option("yes"), Option("no")), (Proposition("a dog", "a photo of a dog"),)
)
CHOICE = Question(
    "Red or blue?",
    "choice",
    "c",
    (Option("red"), Option("blue")),
    (Proposition("something red"), Proposition("something blue")),
)


@pytest.mark.parametrize(
    ("question", "said", "heard"),
    [
        (YES_NO, "Yes!", Heard(chosen=0)),
        (YES_NO, "yeah, there is", Heard(chosen=0)),
        (YES_NO, "no", Heard(chosen=1)),
        (YES_NO, "I don’t know", Heard(unknown=True)),
        (YES_NO, "a cat sits there", Heard(free="a cat sits there")),
        (CHOICE, "blue", Heard(chosen=1)),
        (CHOICE, "the second one", Heard(chosen=1)),
        (CHOICE, "2", Heard(chosen=1)),
        (CHOICE, "neither", Heard(none=True)),
        (CHOICE, "both", Heard(unknown=True)),
        (CHOICE, "don't care", Heard(unknown=True)),
        (CHOICE, "rather greenish", Heard(free="rather greenish")),
    ],
)
def test_answers_are_understood(question, said, heard):
    assert hear(question, said) == heard


def test_answers_become_wishes():
    assert wishes(YES_NO, "yes") == ((True, "a dog"),)
    assert wishes(YES_NO, "no") == ((False, "a dog"),)
    assert wishes(CHOICE, "neither") == ((False, "something red"), (False, "something blue"))
    assert wishes(CHOICE, "no idea") == ()
    assert wishes(CHOICE, "a green one with stripes") == ((True, "a green one with stripes"),)


def test_plain_words_become_questions():
    assert free_question("Are there any people?").propositions[0].wish == "people"
    assert [option.label for option in free_question("Is it old or new?").options] == ["old", "new"]
    assert free_question("What colour is the car?").form == "open"
    assert said_about("What colour is the car?", "red") == "red car"
    assert said_about("What else?", "a man on a red bicycle") == "a man on a red bicycle"


def test_every_command_offered_can_be_executed(bank, make_view):
    from visavis.questions.informed import default_sources
    from visavis.questions.posterior import posterior

    attributes = [{"colour": "red" if i % 2 else "navy blue", "price": 10.0 + i} for i in range(20)]
    view = make_view(attributes=attributes, told="a dog")
    probabilities = posterior(view.candidates.scores)
    for source in default_sources(bank):
        for proposal in source.propose(view, probabilities):
            for option in proposal.question.options:
                assert str(parse_command(option.command))
