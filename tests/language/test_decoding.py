"""The grammar: it accepts what can be meant, and nothing else can be written under it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from language_support import LINES

from visavis.errors import BadInputError
from visavis.lab.datasets.talk import read_rows
from visavis.language.codec import decode_commands, encode_commands
from visavis.language.commands import Clarify, parse_command
from visavis.language.context import Context
from visavis.language.decoding import Grammar
from visavis.language.pieces import MARKS, UNKNOWN, VERBS, WRITTEN_MARKS, words

CORPUS = Path(__file__).parents[2] / "corpus"
OPEN = Context.from_json({"question": "Which?"})
SHOP = Context.from_json(
    {
        "turns": 3,
        "shown": 12,
        "columns": 4,
        "attributes": {"price": {"min": 5, "max": 900}, "colour": ["Red", "Navy Blue"], "brand": ["Nike"]},
    }
)


def accepts(line, context=SHOP):
    return Grammar(context).accepts(encode_commands([parse_command(line)]))


@pytest.mark.parametrize("line", LINES)
def test_an_open_conversation_allows_every_command(line):
    assert accepts(line, OPEN)


@pytest.mark.parametrize(
    "line",
    [
        "filter price < 50",
        "filter colour = Navy Blue | Red",
        "filter brand != Nike",
        "filter price < #4",
        "select #12",
        "rollback 2",
        "keep colour @3",
        'filter taken = "last summer"',
        "sort price asc",
        "sort taken desc",
        "values brand",
    ],
)
def test_what_the_context_has_can_be_written(line):
    assert accepts(line)


@pytest.mark.parametrize(
    "line",
    [
        "filter size = 40",
        "filter colour = Green",
        "filter brand < 3",
        "filter price = cheap",
        "select #13",
        "rollback 3",
        "keep colour @4",
        "sort weight asc",
        "values size",
        "answer yes",
    ],
)
def test_what_the_context_lacks_cannot(line):
    assert not accepts(line)


@pytest.mark.parametrize("line", ["rollback 3", "undo", "select #2", "like #1", "keep colour @1", "more"])
def test_a_conversation_that_begins_has_nothing_to_go_back_to(line):
    written = encode_commands([parse_command(line)])
    assert Grammar(Context()).accepts(written)
    assert not Grammar(Context(begins=True)).accepts(written)
    assert Grammar(Context(begins=True)).accepts(encode_commands([parse_command("search skiing")]))


def test_what_the_collection_does_not_tell_may_be_asked_for_in_the_words_that_were_said():
    grammar = Grammar(SHOP, "which sizes do you have?")
    assert grammar.accepts(encode_commands((parse_command("values size"),)))
    assert not grammar.accepts(encode_commands((parse_command("values material"),)))


@pytest.mark.parametrize("attributes", [{}, {"brand": ["Nike", "Puma"]}])
def test_an_order_is_by_what_was_said_or_by_what_people_order_by(attributes):
    context = Context.from_json({"turns": 3, "shown": 6, "topic": "pizza on a table", "attributes": attributes})
    grammar = Grammar(context, "show me the newest ones first")
    assert not grammar.accepts(encode_commands([parse_command("sort table desc")]))
    for line in ("sort taken desc", "sort price asc", "sort rating desc"):
        assert grammar.accepts(encode_commands([parse_command(line)]))


def test_a_price_may_be_bounded_though_it_is_not_told():
    context = Context.from_json({"turns": 3, "shown": 6, "topic": "shoes", "attributes": {"brand": ["Nike", "Puma"]}})
    grammar = Grammar(context, "anything under 60 dollars?")
    assert grammar.accepts(encode_commands([parse_command("filter price < 60")]))
    assert not grammar.accepts(encode_commands([parse_command("filter weight < 60")]))


@pytest.mark.parametrize(
    ("message", "context", "line"),
    [
        ("from last September only", {"turns": 2, "shown": 12, "topic": "wedding"}, 'filter taken = "last September"'),
        (
            "text at the top instead",
            {"picture": True, "edits": ['caption "Thank you team!" bottom']},
            'caption "Thank you team!" top',
        ),
    ],
)
def test_a_time_needs_no_attribute_and_a_caption_may_be_moved(message, context, line):
    grammar = Grammar(Context.from_json(context), message)
    assert grammar.accepts(encode_commands([parse_command(line)], message))


def test_no_command_stands_twice_in_a_row():
    grammar = Grammar(OPEN)
    undo, redo = [VERBS["undo"]], [VERBS["redo"]]
    assert grammar.accepts(undo + redo + undo)
    assert not grammar.accepts(undo + undo)
    assert not grammar.accepts([])


def test_small_talk_and_questions_back_stand_alone():
    grammar = Grammar(OPEN)
    assert grammar.accepts(encode_commands([Clarify("?")]))
    assert not grammar.accepts(encode_commands([parse_command("undo"), parse_command("chat thanks")]))
    assert not grammar.accepts(encode_commands([parse_command("chat thanks"), parse_command("undo")]))


@pytest.mark.parametrize("context", [OPEN, SHOP, Context()], ids=["open", "shop", "first"])
def test_whatever_is_written_under_it_is_a_command(context):
    """Random walks through the automaton: what it lets end can be read (but for the bounds between numbers)."""
    chance = random.Random(0)
    grammar = Grammar(context)
    letters = [at for at in range(1996, 6000) if words()[at].isalpha()]
    numbers = [at for at, word in enumerate(words()) if word.removeprefix("##").isdecimal()][:400]
    pieces = [*sorted(WRITTEN_MARKS), *chance.sample(letters, 60), *chance.sample(numbers, 40), UNKNOWN]
    pieces += [at for text in ("price", "red", "brand", "nike", "brightness", "horizontal") for at in _ids(text)]
    read = 0
    for _ in range(300):
        state, written = grammar.start(), []
        for _ in range(chance.randrange(2, 12)):
            steps = [
                (piece, after) for piece in chance.sample(pieces, len(pieces)) if (after := grammar.step(state, piece))
            ]
            if not steps:
                break
            piece, state = steps[0]
            written.append(piece)
        if grammar.ends(state):
            try:
                commands = decode_commands(written)
            except BadInputError as error:
                assert "box" in error.message or "compare" in error.message  # noqa: PT017
                continue
            read += bool(commands)
            assert all(commands)
    assert read > 30
    assert MARKS > UNKNOWN


def _ids(text):
    from visavis.language.pieces import piece_ids

    return piece_ids(text)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not part of the package")
def test_the_grammar_allows_the_whole_corpus():
    rows = [row for path in sorted(CORPUS.glob("*.jsonl")) for row in read_rows(path) if row.commands]
    refused = [
        (row.writer, row.message, [*map(str, row.commands)])
        for row in rows
        if not Grammar(row.context).accepts(encode_commands(row.commands, row.message))
    ]
    assert len(refused) <= len(rows) / 1000, refused


def test_what_a_shop_does_not_list_may_be_asked_for():
    """Who makes a thing may be asked in any words, where no brands are told."""
    shop = Context.from_json({"turns": 1, "shown": 9, "attributes": {"type": ["Hats"]}})
    assert Grammar(shop, "who makes these?").accepts(encode_commands([parse_command("values brand")]))
    assert not Grammar(shop, "who makes these?").accepts(encode_commands([parse_command("values wheels")]))


def test_a_wish_has_only_words_that_were_said():
    grammar = Grammar(SHOP, "a blue hat")
    assert grammar.accepts(encode_commands([parse_command("search blue hat")]))
    assert not grammar.accepts(encode_commands([parse_command("search nike hat")]))
    assert not grammar.accepts(encode_commands([parse_command("avoid red")]))
    assert grammar.accepts(encode_commands([parse_command("filter colour = Red")]))  # named by other words, perhaps
