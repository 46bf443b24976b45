"""The learned parser that ships: valid, useful, small, and never in the way."""

from __future__ import annotations

import shutil
from importlib.resources import files
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_support import MESSAGES, SITUATIONS, is_right

from visavis.errors import BadInputError, NotFoundError, VisavisError
from visavis.language.base import NO_CONTEXT, Parser, Understanding
from visavis.language.combined import CombinedParser, choose
from visavis.language.commands import Chat, Filter, Sort, Undo, parse_command
from visavis.language.generated import examples
from visavis.language.learned import LearnedParser, grounded
from visavis.language.rules import RuleParser

WEIGHTS = Path(str(files("visavis.language").joinpath("weights")))
SHOP = SITUATIONS["shop"]


def test_the_weights_are_small():
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) < 6_000_000


def test_it_understands_generated_messages_that_it_never_saw():
    parser = LearnedParser()
    wanted = list(islice(examples(777), 150))
    right = sum(parser.understand(one.message, one.context).commands == one.commands for one in wanted)
    assert right / len(wanted) > 0.82  # 0.908 of 500 when it was trained


def test_it_understands_many_hand_written_messages():
    parser, rows = LearnedParser(), MESSAGES[:900:4]  # those that were there when it was trained
    right = sum(is_right(row, parser.understand(row["message"], SITUATIONS[row["situation"]])) for row in rows)
    assert right / len(rows) > 0.5  # 0.61 of all when it was trained


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=120), st.sampled_from(sorted(SITUATIONS)))
def test_whatever_it_writes_is_valid(message, situation):
    understanding = LearnedParser().understand(message, SITUATIONS[situation])
    assert understanding.commands or understanding.clarify
    assert 0 <= understanding.confidence <= 1
    for line in understanding.lines():
        assert str(parse_command(line)) == line


def test_the_same_message_is_understood_the_same():
    one, other = LearnedParser(), LearnedParser()
    for row in MESSAGES[:20]:
        assert one.understand(row["message"]) == other.understand(row["message"])


def test_fields_and_values_get_the_collections_spelling():
    assert grounded(Filter("articletype", "=", ("shirts",)), SHOP) == Filter("articleType", "=", ("Shirts",))
    assert grounded(Sort("price", "desc"), SHOP) == Sort("price", "desc")
    assert grounded(Undo(), SHOP) == Undo()


def test_missing_and_damaged_weights_are_named(tmp_path):
    with pytest.raises(NotFoundError, match="train commands"):
        LearnedParser(tmp_path).understand("hello")
    (tmp_path / "parser.json").write_text('{"format": 99}')
    with pytest.raises(BadInputError, match="format"):
        LearnedParser(tmp_path).understand("hello")
    (tmp_path / "parser.json").write_text('{"format": 1, "generated": []}')
    np.savez(tmp_path / "vectors.npz", rows=np.zeros(1))
    with pytest.raises(NotFoundError):
        LearnedParser(tmp_path).understand("hello")


@pytest.mark.parametrize("damaged", ["parser.json", "vectors.npz", "reader.onnx", "writer.onnx"])
@pytest.mark.parametrize("damage", [b"", b"damaged", b"PK\x03\x04 half an archive", b"[]"])
def test_whatever_is_damaged_the_rules_go_on(tmp_path, damaged, damage):
    shutil.copytree(files("visavis.language").joinpath("weights"), tmp_path / "weights")
    (tmp_path / "weights" / damaged).write_bytes(damage)
    learned = LearnedParser(tmp_path / "weights")
    with pytest.raises(VisavisError, match="train commands"):
        learned.understand("hello")
    assert CombinedParser(learned=learned).understand("qwrtz plmk").commands


class Fixed(Parser):
    """Says the same to everything."""

    name = "fixed"

    def __init__(self, understanding):
        self.understanding, self.asked = understanding, 0

    def understand(self, message, context=NO_CONTEXT):
        self.asked += 1
        return self.understanding


def test_sure_rules_are_followed_without_asking_the_network():
    network = Fixed(Understanding((Undo(),), 0.99))
    assert CombinedParser(learned=network).understand("rotate it clockwise by 90").lines() == ["rotate 270"]
    assert network.asked == 0


def test_a_convinced_network_overrules_a_guess_only():
    guess, sure = Understanding((Chat("nonsense"),), 0.5), Understanding((Undo(),), 0.9)
    assert choose(guess, sure) is sure
    assert choose(guess, Understanding((Undo(),), 0.2)) is guess
    assert choose(sure, Understanding((Chat("nonsense"),), 0.99)) is sure


def test_without_weights_the_rules_alone_do(tmp_path):
    parser = CombinedParser(learned=LearnedParser(tmp_path))
    for row in MESSAGES[:60]:
        situation = SITUATIONS[row["situation"]]
        assert parser.understand(row["message"], situation) == RuleParser().understand(row["message"], situation)


def test_together_they_are_at_least_as_good_as_each():
    right = {}
    for parser in (RuleParser(), LearnedParser(), CombinedParser()):
        found = (parser.understand(row["message"], SITUATIONS[row["situation"]]) for row in MESSAGES[::3])
        right[parser.name] = sum(map(is_right, MESSAGES[::3], found))
    assert right["combined"] >= max(right["rules"], right["learned"])
