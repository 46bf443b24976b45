"""Asking back: what is asked, kept and understood, and that nothing is asked twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_encoder import TinyEncoder

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.assistant.question_policy import (
    AskingPause,
    CandidateReader,
    QuestionPolicy,
    _commonest_first,
    default_questioner,
    seeks_one,
)
from visavis.assistant.reply_json import question_json
from visavis.conversation.brief import Brief
from visavis.conversation.turns import Turn
from visavis.language.commands import parse_commands
from visavis.questions.base import QuestionContext, Questioner
from visavis.questions.informed import NEVER_STOP, ClusterQuestions, InformedQuestioner, default_sources
from visavis.search.bank import ConceptBank
from visavis.search.request import SearchRequest
from visavis.search.vocabulary import parse_vocabulary
from visavis.stores.base import Hit
from visavis.types import Proposition, Question, Wish

YES_NO = Question("Is there a cat in it?", (
    ("yes", "refine a cat"), ("no", "avoid cat")), "yes/no", "things:cat", (3, 9))  # fmt: skip
CHOICE = Question("Is it indoors or outdoors?", (
    ("indoors", "refine indoors"), ("outdoors", "refine outdoors")), "choice", "where", (2, 5))  # fmt: skip
FIELD = Question("Which kind: plain or mixed?", (
    ("plain", "filter kind = plain"), ("mixed", "filter kind = mixed")), "choice", "attribute:kind",
    (4, 4))  # fmt: skip
OPEN = Question("What else can you tell me about it?", form="open", key="open:1")
COLOURS = Question(
    "Which colour: red, blue or green?",
    tuple((name, f"filter colour = {name}") for name in ("red", "blue", "green")),
    "choice",
    "attribute:colour",
    propositions=tuple(Proposition(name) for name in ("red", "blue", "green")),
)


class Scripted(Questioner):
    """Asks what it was given, one after the other; notes what it saw."""

    name = "scripted"

    def __init__(self, *questions: Question) -> None:
        self.questions = questions
        self.views: list[QuestionContext] = []

    def ask(self, view: QuestionContext) -> Question | None:
        self.views.append(view)
        return next((question for question in self.questions if question.key not in view.asked), None)


def asking(colours: Collection, questioner: Questioner, pause: AskingPause | None = None) -> Assistant:
    return Assistant(colours, questioner=QuestionPolicy(lambda: questioner, CandidateReader(colours), pause))


def test_attributes_that_come_while_one_talks_are_asked_about(colours: Collection, monkeypatch: pytest.MonkeyPatch):
    found = [Hit(result.picture.id, result.score) for result in colours.search("red", k=4).results]
    reader = CandidateReader(colours)
    with monkeypatch.context() as early:
        early.setattr(colours.catalogue, "meta", lambda *_: {})  # nothing of it is indexed yet
        assert not reader.read(found[:2]).attributes
    assert ["price" in row for row in reader.read(found[2:]).attributes] == [True, True]


def test_a_question_is_saved_with_all_that_belongs_to_it(colours: Collection):
    assistant = asking(colours, Scripted(YES_NO))
    talk = assistant.start("asked")
    asked = assistant.reply(talk, "red").question
    assert asked is not None
    assert (asked.key, asked.form, asked.leaves) == ("things:cat", "yes/no", (3, 9))
    assert asked.options == (("yes", "refine a cat"), ("no", "avoid cat"))
    assert asked.bits > 0
    assert assistant.memory.load("asked").last.question == asked


def test_turns_of_the_first_form_are_still_read():
    old = Turn(1, "red", question=Question("Shall I?", (("yes", "undo"), ("no", None)))).as_json()
    old["version"] = 1
    old["question"] = {"text": "Shall I?", "options": [["yes", "undo"], ["no", None]]}
    assert Turn.from_json(old).question == Question("Shall I?", (("yes", "undo"), ("no", None)))


@pytest.mark.parametrize(
    ("question", "said", "kinds"),
    [
        (YES_NO, "yes", ["want: a cat"]),
        (YES_NO, "yeah, there is", ["want: a cat"]),
        (YES_NO, "nope", ["avoid: cat"]),
        (CHOICE, "the second", ["want: outdoors"]),
        (CHOICE, "indoors", ["want: indoors"]),
        (CHOICE, "neither", ["avoid: indoors", "avoid: outdoors"]),
        (CHOICE, "both", []),
        (CHOICE, "don't care", []),
        (YES_NO, "I don't know", []),
        (FIELD, "mixed", ["filter: kind = mixed"]),
        (FIELD, "none of them", ["filter: kind != plain | mixed"]),
        (FIELD, "something else", ["filter: kind != plain | mixed"]),
        (CHOICE, "something else", ["avoid: indoors", "avoid: outdoors"]),
        (OPEN, "answer there is a green stripe on the left", ["want: there is a green stripe on the left"]),
        (OPEN, "nothing else", []),
    ],
)
def test_answers_become_wishes(colours: Collection, question: Question, said: str, kinds: list[str]):
    assistant = asking(colours, Scripted(question))
    talk = assistant.start()
    assistant.reply(talk, "red")
    turn = assistant.reply(talk, said)
    assert [f"{wish.kind}: {wish.text}" for wish in turn.brief.active if wish.turn == 2] == kinds
    assert turn.answered == talk.turns[0].question
    closed = question.form != "open"
    assert all(wish.answer == closed for wish in turn.brief if wish.turn == 2 and wish.kind != "filter")


def test_a_sentence_of_ones_own_is_no_evidence_but_a_wish(colours: Collection):
    assistant = asking(colours, Scripted(YES_NO))
    talk = assistant.start()
    assistant.reply(talk, "red")
    turn = assistant.reply(talk, "with a blue stripe")
    assert turn.answered is None
    assert not turn.brief.active[-1].answer


def test_what_is_denied_when_asked_is_not_left_out(colours: Collection):
    denied = Question("Is there anything blue?", (("yes", "refine blue"), ("no", "avoid blue")), "yes/no", "k")
    assistant = asking(colours, Scripted(denied))
    retriever = colours.engine.retriever
    talk = assistant.start()
    assistant.reply(talk, "red")
    plan = retriever.plan(SearchRequest(assistant.reply(talk, "no").brief.wishes))
    assert (plan.avoided, [one.affirmed for one in plan.evidence]) == ((), [False])
    plan = retriever.plan(SearchRequest(assistant.reply(talk, "without green").brief.wishes))
    assert plan.avoided == ("green",)


def test_answers_raise_and_lower_pictures(colours: Collection):
    either = Question("Is there anything blue?", (("yes", "refine blue"), ("no", "avoid blue")), "yes/no", "k")
    assistant = asking(colours, Scripted(either))
    pictures = colours.catalogue.pictures([p.id for p in colours])
    blue = next(id for id, picture in pictures.items() if picture.caption == "all blue")
    places = {}
    for said in ("yes", "no"):
        talk = assistant.start()
        assistant.reply(talk, "something colourful")
        assistant.reply(talk, said)
        ids = [result.id for result in talk.last.results]
        places[said] = ids.index(blue) if blue in ids else len(ids)
    assert places["yes"] < places["no"]


def test_the_exchanges_come_from_the_saved_turns(colours: Collection):
    questioner = Scripted(YES_NO, CHOICE, FIELD, OPEN)
    assistant = asking(colours, questioner)
    talk = assistant.start("long")
    for message in ("red", "no", "the first"):
        assistant.reply(talk, message)
    resumed = assistant.memory.load("long")
    assistant.reply(resumed, "I don't know")
    seen = questioner.views[-1].exchanges
    assert [(one.question.key, one.answer) for one in seen] == [
        ("things:cat", "no"), ("where", "the first"), ("attribute:kind", "I don't know")]  # fmt: skip
    assert len(questioner.views[-1].entropies) == 4
    assert resumed.last.question is not None
    assert resumed.last.question.key == "open:1"


def test_a_replay_gives_the_same_rankings_with_and_without_a_questioner(colours: Collection):
    assistant = asking(colours, Scripted(YES_NO, CHOICE, FIELD, OPEN))
    talk = assistant.start()
    for message in ("red", "no", "outdoors", "neither", "with something green on the left side"):
        assistant.reply(talk, message)
    for again in (assistant.replay(talk), Assistant(colours).replay(talk)):
        assert [turn.results for turn in again.turns] == [turn.results for turn in talk.turns]
        assert [turn.brief for turn in again.turns] == [turn.brief for turn in talk.turns]


def test_who_passes_questions_over_is_asked_less_and_then_no_more(colours: Collection):
    questions = [Question(f"Is there thing {n}?", YES_NO.options, "yes/no", f"k{n}") for n in range(20)]
    assistant = asking(colours, Scripted(*questions))
    talk = assistant.start()
    words = "red blue green yellow orange purple pink brown black white grey red blue green".split()
    asked = [assistant.reply(talk, f"something {word}").question is not None for word in words]
    assert asked[0]
    assert asked.count(True) == 3
    assert not any(asked[-5:])


def test_nothing_is_asked_of_who_looks_around(colours: Collection):
    assistant = asking(colours, Scripted(YES_NO))
    talk = assistant.start()
    assistant.reply(talk, "sort by price")
    assert talk.last.question is None
    assistant.reply(talk, "hello")
    assert talk.last.question is None
    assert Assistant(colours).reply(assistant.start(), "red").question is None


def test_questions_for_other_programs():
    assert question_json(None) is None
    told = question_json(YES_NO)
    assert told == {
        "text": "Is there a cat in it?",
        "kind": "yes_no",
        "options": [
            {"label": "yes", "say": "yes", "count": 3, "picture": None},
            {"label": "no", "say": "no", "count": 9, "picture": None},
        ],
    }
    pair = Question("A or B?", (("A", None), ("B", None)), "choice", "k", pictures=("x", "y"))
    told = question_json(pair)
    assert told is not None
    assert (told["kind"], [option["picture"] for option in told["options"]]) == ("compare", ["x", "y"])
    told = question_json(Question("Which way?", (("left", "rotate 90"),)))
    assert told is not None
    assert told["kind"] == "clarify"


def test_the_default_questioner_loads_nothing_before_it_has_to(colours: Collection, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ConceptBank, "__init__", lambda *_a, **_k: pytest.fail("loaded too early"))
    assert default_questioner(colours).depth > 0


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.sampled_from(["yes", "no", "I don't know", "the first", "neither", "red", "undo", "something blue",
                                 "go back to turn 1", "it has a green part on the right"]), max_size=8))  # fmt: skip
def test_never_asks_the_same_twice_whatever_is_said(colours: Collection, tmp_path_factory, messages: list[str]):
    words = parse_vocabulary(
        "[things]\nred car, blue car, dog\n[colours]\nred, green, blue\n[stuff]\nsnow, leaves", "test"
    )
    bank = ConceptBank(TinyEncoder(), words, tmp_path_factory.mktemp("home"))
    questioner = InformedQuestioner(default_sources(bank), NEVER_STOP)
    assistant = asking(colours, questioner, AskingPause(pause=0, most_ignored=99))
    talk = assistant.start()
    assistant.reply(talk, "red")
    for place, message in enumerate(messages):
        if place == 3:
            talk = assistant.memory.load(talk.id)
        assistant.reply(talk, message)
    keys = [turn.question.key for turn in talk.turns if turn.question is not None and turn.question.key]
    assert len(keys) == len(set(keys))


def counting(colours: Collection, questioner: Questioner) -> Assistant:
    return Assistant(colours, questioner=QuestionPolicy(lambda: questioner, CandidateReader(colours), counts=True))


def test_a_few_pictures_are_not_asked_on_which_side_of_a_price_they_lie(own_colours: Collection):
    halves = replace(FIELD, options=(("under 30", "filter price < 30"), ("30 or more", "filter price >= 30")))
    assistant = counting(own_colours, Scripted(halves))
    told = assistant.do(assistant.start(), parse_commands("search red"))
    assert told.matches is not None
    assert told.matches < 20
    assert told.question is None


@pytest.mark.parametrize("first", ["filter price > 0"])
def test_the_counts_of_a_question_are_those_that_its_answers_give(own_colours: Collection, first: str):
    rows = own_colours.store.payloads([picture.id for picture in own_colours]).values()
    price = sorted(row["price"] for row in rows if "price" in row)
    middle = price[len(price) // 2]
    field = Question(
        f"Which price: under {middle} or more?",
        (("under", f"filter price < {middle}"), ("more", f"filter price >= {middle}")),
        "choice",
        "attribute:price",
        (1, 1),
    )
    assistant = counting(own_colours, Scripted(field))
    talk = assistant.start()
    asked = assistant.do(talk, parse_commands(first)).question
    assert asked is not None
    for label, count in zip(("under", "more"), asked.leaves, strict=True):
        again = assistant.start()
        assistant.do(again, parse_commands(first))
        assert assistant.reply(again, label).matches == count
    assert sum(asked.leaves) == talk.last.matches


def test_a_question_that_splits_nothing_is_not_asked(own_colours: Collection):
    useless = replace(FIELD, options=(("cheap", "filter price >= 0"), ("free", "filter price < 0")))
    assistant = counting(own_colours, Scripted(useless))
    assert assistant.do(assistant.start(), parse_commands("filter price > 0")).question is None


def test_the_next_question_is_tried_where_the_best_splits_nothing(own_colours: Collection):
    useless = replace(FIELD, key="useless", options=(("cheap", "filter price >= 0"), ("free", "filter price < 0")))
    assistant = counting(own_colours, Scripted(useless, FIELD))
    asked = assistant.do(assistant.start(), parse_commands("filter price > 0")).question
    assert asked is not None
    assert asked.key == FIELD.key
    assert all(left > 0 for left in asked.leaves)


def test_nothing_is_asked_where_nothing_matches(own_colours: Collection):
    alike = Question("Is it more like A or like B?", (("A", "like #1"), ("B", "like #2")), "choice", "alike:ab")
    assistant = counting(own_colours, Scripted(alike))
    talk = assistant.start()
    turn = assistant.do(talk, parse_commands("search red ; filter price < 0"))
    assert not turn.matches
    assert turn.question is None or not turn.question.key


def test_nothing_is_asked_where_one_picture_matches(own_colours: Collection):
    options, shown = (("A", "like #1"), ("B", "like #2")), tuple(picture.id for picture in own_colours)[:2]
    alike = Question("Is it more like A or like B?", options, "choice", "alike:ab", pictures=shown)
    assistant = counting(own_colours, Scripted(alike))
    rows = own_colours.store.payloads([picture.id for picture in own_colours]).values()
    dearest = max(row["price"] for row in rows if "price" in row)
    assert assistant.do(assistant.start(), parse_commands("filter price > 0")).question is not None
    turn = assistant.do(assistant.start(), parse_commands(f"filter price >= {dearest}"))
    assert turn.matches == 1
    assert turn.question is None


def test_answers_are_not_counted_where_not_every_picture_is_judged(
    own_colours: Collection, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("visavis.assistant.retrieval.SAMPLE_SIZE", 3)
    assistant = counting(own_colours, Scripted(FIELD))
    asked = assistant.do(assistant.start(), parse_commands("search red")).question
    assert asked is not None
    assert asked.leaves == ()


def test_an_answer_that_leaves_nothing_is_left_out():
    asked = _commonest_first(COLOURS, [3, 0, 2])
    assert asked is not None
    assert asked.text == "Which colour: red or green?"
    assert [label for label, _ in asked.options] == ["red", "green"]
    assert [one.wish for one in asked.propositions] == ["red", "green"]
    assert asked.leaves == (3, 2)


def test_the_commonest_answers_come_first():
    more = replace(COLOURS, text="Which colour: red, blue, green or something else?")
    asked = _commonest_first(more, [2, 5, 3])
    assert asked is not None
    assert asked.text == "Which colour: blue, green, red or something else?"
    assert ([label for label, _ in asked.options], asked.leaves) == (["blue", "green", "red"], (5, 3, 2))


def test_one_answer_is_no_question():
    assert _commonest_first(COLOURS, [3, 0, 0]) is None
    sure = Question("Is it red?", (("yes", "refine red"), ("no", "avoid red")), "yes/no", "red")
    assert _commonest_first(sure, [5, 0]) is None
    assert _commonest_first(sure, [3, 2]).leaves == (3, 2)


@pytest.mark.parametrize(
    ("wants", "one"),
    [
        (["bathrooms"], False),
        (["elephants or zebras"], False),
        (["elephant or zebra on the grass"], False),
        (["old trains with steam"], False),
        (["mens running shoes"], False),
        (["pizza"], False),
        (["kitchen", "white cabinets and a window"], True),
        (["two giraffes standing next to each other"], True),
        (["kid on a skateboard doing a trick"], True),
        (["black leather wallet"], True),
    ],
)
def test_who_looks_for_one_picture(wants: list[str], one: bool):
    brief = Brief(tuple(Wish(f"1.{at}", "want", text, 1) for at, text in enumerate(wants, 1)))
    assert seeks_one(brief) is one


def test_which_of_two_is_nearer_is_asked_only_of_who_looks_for_one(colours: Collection):
    policy = QuestionPolicy(
        lambda: InformedQuestioner([ClusterQuestions()], NEVER_STOP), CandidateReader(colours), counts=False
    )
    assistant = Assistant(colours, questioner=policy)
    asked = assistant.do(assistant.start(), parse_commands("search red square with yellow stripes")).question
    assert asked is not None
    assert asked.pictures
    assert assistant.do(assistant.start(), parse_commands("search red squares with yellow stripes")).question is None
