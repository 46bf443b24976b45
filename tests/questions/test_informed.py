from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_encoder import TinyEncoder

from visavis.lab.evaluation.metrics import normal_question
from visavis.lab.evaluation.questioners import PoolQuestioner, RandomQuestioner, RecordedQuestioner
from visavis.questions.attributes import AttributeQuestions
from visavis.questions.base import Exchange, candidate_set, information_gain, posterior
from visavis.questions.contents import ConceptQuestions
from visavis.questions.informed import (
    CONFORMAL_MASS,
    NEVER_STOP,
    InformedQuestioner,
    StoppingRule,
    _discounted,
    default_sources,
)
from visavis.search.answers import FALSE_NO, FALSE_YES
from visavis.search.bank import ConceptBank
from visavis.search.vocabulary import parse_vocabulary
from visavis.types import Question

ANSWERS = ("yes", "no", "I don't know", "neither", "the second", "both", "a red car by the sea", "A")
relaxed = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _talk(questioner, make_view, seed, answers):
    exchanges, rng = [], np.random.default_rng(seed)
    for answer in answers:
        question = questioner.ask(make_view(seed=int(rng.integers(1000)), exchanges=exchanges))
        if question is None:
            break
        exchanges.append(Exchange(question, answer))
    return [exchange.question for exchange in exchanges]


@relaxed
@given(st.integers(0, 1000), st.lists(st.sampled_from(ANSWERS), max_size=25))
def test_never_repeats_itself_whatever_is_answered(bank, make_view, seed, answers):
    questioner = InformedQuestioner(default_sources(bank), NEVER_STOP)
    asked = _talk(questioner, make_view, seed, answers)
    keys = [question.key for question in asked]
    assert len(set(keys)) == len(keys)
    texts = [normal_question(question.text) for question in asked if not question.pictures]
    assert len(set(texts)) == len(texts)


@relaxed
@given(st.integers(0, 1000), st.lists(st.sampled_from(ANSWERS), max_size=25))
def test_the_comparison_questioners_do_not_repeat_either(bank, make_view, seed, answers):
    recorded = RecordedQuestioner("human", {"a dog": ["Is it red?", "Is it red?", "Where is it?"]}, bank)
    for questioner in (PoolQuestioner(), RandomQuestioner(bank.concepts), recorded):
        keys = [question.key for question in _talk(questioner, make_view, seed, answers)]
        assert len(set(keys)) == len(keys)


def test_asks_the_concept_with_the_greatest_gain(bank, make_view):
    view = make_view(seed=3)
    concepts = view.candidates.concepts
    concepts[:] = 0.1  # nobody shows anything ...
    half = bank.concepts.index(next(c for c in bank.concepts if c.phrase == "snow"))
    concepts[::2, half] = 0.9  # ... but every second one snow
    question = InformedQuestioner([ConceptQuestions(bank)], NEVER_STOP).ask(view)
    assert question.text == "Is there any snow in it?"
    probabilities = posterior(view.candidates.scores)
    yes = np.where(np.arange(20) % 2 == 0, 1 - FALSE_NO, FALSE_YES)
    gain = information_gain(probabilities, np.column_stack([yes, 1 - yes]))
    assert question.gain == pytest.approx(0.97 * gain - 0.02, abs=0.02)


def test_options_carry_how_many_candidates_they_leave(bank, make_view):
    view = make_view(seed=3, attributes=[{"colour": "red" if i < 5 else "blue"} for i in range(20)])
    question = InformedQuestioner([AttributeQuestions()], NEVER_STOP, mass=1.0).ask(view)
    assert dict(zip(dict(question.options), question.leaves, strict=True)) == {"red": 5, "blue": 15}
    assert question.options[0][1].startswith("filter colour = ")


@pytest.mark.parametrize(
    "values",
    [
        {"taken": ("2011-11-16T16:21:21", "2012-05-30T14:53:19")},
        {"camera": ("Canon", "Nikon")},
        {"uploaded": ("2011-11-16", "2012-05-30")},
        {"link": ("https://a.example/1", "https://a.example/2")},
    ],
)
def test_what_nobody_knows_by_heart_is_not_asked(bank, make_view, values):
    ((name, both),) = values.items()
    view = make_view(attributes=[{name: both[i % 2]} for i in range(20)])
    assert InformedQuestioner([AttributeQuestions()], NEVER_STOP).ask(view) is None


def test_numbers_are_asked_in_bands(bank, make_view):
    view = make_view(attributes=[{"price": 10 + 5 * i} for i in range(20)])
    question = InformedQuestioner([AttributeQuestions()], NEVER_STOP).ask(view)
    assert question.text == "Which price: under 58 or 58 or more?"
    assert [command for _, command in question.options] == ["filter price < 58", "filter price >= 58"]
    assert sum(question.leaves) > 0


def test_what_was_said_is_not_asked(bank, make_view):
    view = make_view(told="a dog in the snow")
    concepts = view.candidates.concepts
    concepts[:] = 0.1
    concepts[::2, :] = 0.9
    asked = InformedQuestioner([ConceptQuestions(bank)], NEVER_STOP).ask(view).text
    assert "snow" not in asked
    assert "dog" not in asked


def test_a_no_rules_out_what_is_narrower(bank, make_view):
    question = Question("Is red one of its main colours?", form="yes/no", key="colours:red")
    view = make_view(exchanges=[Exchange(question, "no")])
    view.candidates.concepts[:] = 0.1
    view.candidates.concepts[::2, [c.phrase for c in bank.concepts].index("red car")] = 0.9
    proposals = ConceptQuestions(bank).propose(view, posterior(view.candidates.scores))
    assert "things:red car" not in {proposal.question.key for proposal in proposals}


def test_no_question_when_few_candidates_are_left(bank, make_view):
    assert InformedQuestioner(default_sources(bank), StoppingRule(small=6)).ask(make_view(count=5)) is None
    assert InformedQuestioner(default_sources(bank)).ask(make_view(count=20)) is not None


def test_no_question_when_the_last_answers_did_not_help(bank, make_view):
    unknown = [Exchange(Question(f"Q{i}?", form="yes/no", key=f"k{i}"), "I don't know") for i in range(2)]
    assert InformedQuestioner(default_sources(bank)).ask(make_view(exchanges=unknown)) is None


def test_no_candidates_no_question(bank, make_view):
    assert InformedQuestioner(default_sources(bank), NEVER_STOP).ask(make_view(count=0)) is None


def test_one_and_many_are_the_same_question(tmp_path, make_view):
    words = parse_vocabulary("[things]\nbus\n[stuff]\nbuses, snow", "test")
    bank = ConceptBank(TinyEncoder(), words, tmp_path)
    view = make_view(seed=1)
    view.candidates.concepts[:, :3] = np.random.default_rng(0).uniform(0.2, 0.7, (20, 3))
    asked = Exchange(Question("Is there a bus in it?", form="yes/no", key="things:bus"), "I don't know")
    shown = replace(view, candidates=replace(view.candidates, concepts=view.candidates.concepts[:, :3]))
    keys = [p.question.key for p in ConceptQuestions(bank).propose(shown, posterior(view.candidates.scores))]
    assert {"things:bus", "stuff:buses"} <= set(keys)
    again = replace(shown, exchanges=(asked,))
    keys = [p.question.key for p in ConceptQuestions(bank).propose(again, posterior(view.candidates.scores))]
    assert keys == ["stuff:snow"]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("descriptions", [1, 2, 5])
def test_a_source_that_is_passed_over_could_not_have_won(bank, make_view, seed, descriptions):
    rows = [{"colour": ("red", "blue", "green")[place % 3]} for place in range(20)] if seed % 2 else ()
    view = replace(make_view(seed=seed, told="a dog", attributes=rows), descriptions=descriptions)
    probabilities = posterior(view.candidates.scores)
    likely = candidate_set(probabilities, CONFORMAL_MASS)
    gains = []
    for source in default_sources(bank):
        questions = [p.weighed(probabilities, likely) for p in source.propose(view, probabilities)]
        worth = [_discounted(question, descriptions).gain for question in questions]
        assert all(gain <= source.most(view, probabilities) for gain in worth)
        gains += worth
    asked = InformedQuestioner(default_sources(bank), NEVER_STOP).ask(view)
    assert asked is not None
    assert asked.gain == max(gains)
