"""Questioners that learned from people or are a language model: the pool's classifier, and a transcript of a model."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from tiny_encoder import TinyEncoder

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.evaluation.questioners import LearnedPoolQuestioner, Transcript, learn_pool, make_questioner
from visavis.language.llm import ChatClient, ChatRequest, Endpoint
from visavis.questions.answers import free_question
from visavis.questions.base import Candidates, Exchange, QuestionContext
from visavis.questions.llm import read_question_json
from visavis.search.bank import ConceptBank

MESSAGES = [{"role": "user", "content": "Caption: a red bag"}]


@pytest.fixture
def bank(tmp_path):
    return ConceptBank(TinyEncoder(), home=tmp_path)


def context(told, *asked):
    none = np.zeros((0, 1), np.float32)
    exchanges = tuple(Exchange(free_question(text), "no") for text in asked)
    return QuestionContext(Candidates((), np.zeros(0), lambda: (none, none[:, None])), told, exchanges)


def test_the_pool_learns_what_is_asked_of_what(bank):
    reds = {f"something red {number}": ["is it big", "is it new"] for number in range(30)}
    blues = {f"something blue {number}": ["is it old", "is it new"] for number in range(30)}
    pool = learn_pool({**reds, **blues}, bank)
    assert set(pool.questions) == {"Is it new?", "Is it big?", "Is it old?"}
    questioner = LearnedPoolQuestioner(pool, bank)
    assert questioner.ask(context("something red")).text == "Is it big?"
    assert questioner.ask(context("something blue")).text == "Is it old?"
    assert questioner.ask(context("something blue", "Is it old?")).text == "Is it new?"
    assert questioner.ask(context("something blue", "Is it old?", "Is it new?", "Is it big?")) is None
    assert pool.accuracy["first"] > pool.accuracy["common first"]


def test_a_pool_needs_questions_that_are_asked_again(bank):
    with pytest.raises(BadInputError, match="Too few"):
        learn_pool({"a": ["is it big"], "b": ["is it red"]}, bank)


def test_the_pool_is_learned_from_a_folder_of_dialogues(bank, tmp_path):
    rows = [
        {"img": f"{number}.jpg", "dialog": [f"a red thing {number}", "is it big? yes", "is it new? no"]}
        for number in range(20)
    ]
    (tmp_path / "VisDial_v1.0_queries_val.json").write_text(json.dumps(rows))
    assert make_questioner("learned", bank, tmp_path).ask(context("a red thing")).text == "Is it big?"
    with pytest.raises(NotFoundError, match="recorded dialogues"):
        make_questioner("learned", bank)


def test_a_transcript_is_recorded_once_and_replayed_without_a_model(tmp_path, monkeypatch):
    pytest.importorskip("httpx")
    asked = []
    monkeypatch.setattr(ChatClient, "complete", lambda _self, messages, *_: asked.append(messages) or "Is it big?")
    file = tmp_path / "said.jsonl"
    recorded = Transcript(file, Endpoint("http://127.0.0.1:9/v1", "test"))
    assert [recorded.complete(ChatRequest(MESSAGES)) for _ in range(2)] == ["Is it big?"] * 2
    assert len(asked) == 1, "what is known is not asked again"
    assert Transcript(file).complete(ChatRequest(MESSAGES)) == "Is it big?"
    with pytest.raises(NotFoundError, match="does not have"):
        Transcript(file).complete(ChatRequest([{"role": "user", "content": "something else"}]))
    with pytest.raises(NotFoundError, match="no transcript"):
        Transcript(tmp_path / "none.jsonl")
    file.write_text("{}")
    with pytest.raises(BadInputError, match="no transcript"):
        Transcript(file)


def test_a_compressed_transcript_is_recorded_and_replayed(tmp_path, monkeypatch):
    pytest.importorskip("httpx")
    file = tmp_path / "said.jsonl.gz"
    others = [{"role": "user", "content": "something else"}]
    monkeypatch.setattr(ChatClient, "complete", lambda _self, request: f"Is it {len(request.messages[-1]['content'])}?")
    recorded = Transcript(file, Endpoint("http://127.0.0.1:9/v1", "test"))
    said = [recorded.complete(ChatRequest(messages)) for messages in (MESSAGES, others)]
    assert file.read_bytes()[:2] == b"\x1f\x8b"
    replayed = Transcript(file)
    assert [replayed.complete(ChatRequest(messages)) for messages in (MESSAGES, others)] == said
    for damaged in (b"no gzip", file.read_bytes()[:-9], file.read_bytes()[:12] + b"damage" * 9):
        file.write_bytes(damaged)
        with pytest.raises(BadInputError, match="no transcript"):
            Transcript(file)


def test_the_recorded_transcript_can_be_read():
    """What a model said for the figures of docs/chatir.md; without the captions, which are not ours."""
    file = Path(__file__).parents[3] / "benchmarks" / "transcripts" / "chatir-smollm2-val.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    assert len({row["key"] for row in rows}) == len(rows) > 10_000
    assert all(set(row) == {"key", "model", "reply", "seconds"} for row in rows)
    questions = [read_question_json(row["reply"]) for row in rows if row["reply"]]
    assert sum(question is not None for question in questions) > len(rows) / 2
    assert Transcript(file).endpoint.model == "transcript"


def test_the_questioner_llm_asks_from_a_transcript(bank, tmp_path, monkeypatch):
    pytest.importorskip("httpx")
    monkeypatch.delenv("VISAVIS_LLM_URL", raising=False)
    with pytest.raises(BadInputError, match="repeated"):
        make_questioner("llm", bank)
    file = tmp_path / "said.jsonl"
    file.write_text("")
    questioner = make_questioner("llm", bank, transcript=file)
    assert questioner.name == "llm"
