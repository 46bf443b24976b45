"""Our own dialogues: always the same for a seed, valid, and writable under the grammar."""

from __future__ import annotations

from itertools import islice

import pytest

from visavis.lab.dialogues import examples
from visavis.language.codec import encode_commands
from visavis.language.commands import KINDS, parse_command
from visavis.language.decoding import Grammar

#: What only the corpus teaches.
_NEWER = {"count", "describe", "ask", "why", "values", "compare", "questions", "recolor", "remove"}


@pytest.fixture(scope="module")
def some():
    return list(islice(examples(5), 3000))


def test_the_same_seed_gives_the_same_messages(some):
    assert list(islice(examples(5), 50)) == some[:50]
    assert list(islice(examples(6), 50)) != some[:50]


def test_commands_are_valid_and_of_almost_every_kind(some):
    verbs = set()
    for example in some:
        assert example.message.strip()
        for command in example.commands:
            assert parse_command(str(command)) == command
            verbs.add(command.verb)
    assert {kind.verb for kind in KINDS} - verbs <= {"clarify", "caption"} | _NEWER


def test_messages_are_varied(some):
    assert len({example.message for example in some}) > 0.85 * len(some)


def test_the_grammar_allows_them(some):
    refused = [
        example
        for example in some[:500]
        if not Grammar(example.context).accepts(encode_commands(example.commands, example.message))
    ]
    assert len(refused) < 0.02 * 500, refused[:5]
