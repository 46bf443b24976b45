"""Our own dialogues: always the same for a seed, valid, and mostly within reach of the rules."""

from __future__ import annotations

from itertools import islice

import pytest

from visavis.language.commands import KINDS, parse_command
from visavis.language.generated import examples
from visavis.language.rules import RuleParser
from visavis.language.tokens import LONGEST_INPUT, decode_target, encode_input, encode_target


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
    # a question back has no one right answer, and lettering is quoted, which rules read exactly
    assert {kind.verb for kind in KINDS} - verbs <= {"clarify", "caption"}


def test_messages_are_varied(some):
    assert len({example.message for example in some}) > 0.85 * len(some)


def test_rules_understand_most_of_them(some):
    parser = RuleParser()
    right = sum(parser.understand(one.message, one.context).commands == one.commands for one in some[:1000])
    assert right / 1000 > 0.9


def test_pieces_spell_the_commands_back(some):
    for example in some[:500]:
        lines = [str(command) for command in example.commands]
        spelled = decode_target(encode_target(lines))
        if all('"' not in line and "_" not in line.split(" ", 1)[-1] and "." not in line for line in lines):
            assert spelled == [line.lower() for line in lines]


def test_inputs_are_short_and_say_where_each_piece_is_from(some):
    for example in some[:300]:
        encoded = encode_input(example.message, example.context)
        assert len(encoded.ids) == len(encoded.kinds) <= LONGEST_INPUT
        assert set(encoded.kinds.tolist()) <= {0, 1, 2}
        assert list(encoded.kinds) == sorted(encoded.kinds)
