"""Conversations that were played on photos and on a shop, each message with what it should have done.

They were written before the parser was seen reading them, and are never learned from (``corpus/play.jsonl``). The
contexts are those of a real assistant that did what was meant, message after message.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from visavis.lab.datasets.talk import read_rows
from visavis.lab.evaluation.talk import score_talk
from visavis.language.parser import NetworkParser

CORPUS = Path(__file__).parents[2] / "corpus"
LEAST = 0.8


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not part of the package")
def test_four_of_five_played_messages_are_understood():
    rows = list(read_rows(CORPUS / "play.jsonl"))
    misread: list[str] = []
    score = score_talk(NetworkParser(), rows, lambda row, got: misread.append(f"{row.message}: {got.lines()}"))
    assert len(rows) == 160
    assert score.same >= LEAST * score.n, "\n".join(misread)
