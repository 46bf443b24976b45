"""A message in its context as pieces, and pieces as they were spelled there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from visavis.language.context import Context
from visavis.language.pieces import END, MARK, MARKS, START, piece_ids
from visavis.language.prompt import LONGEST, encode_prompt


def test_the_message_comes_first():
    prompt = encode_prompt("Red Dress", Context(turns=2, shown=12, columns=4, picture=True, topic="shoes"))
    assert prompt.ids[: prompt.message_length] == [START, *piece_ids("Red Dress"), END]
    assert MARK["picture"] in prompt.ids
    assert prompt.ids[-1] == END


def test_pieces_are_spelled_as_they_were_said():
    prompt = encode_prompt("a café in São Paulo, half-timbered", Context())
    assert prompt.spell(piece_ids("cafe in sao paulo")) == "café in São Paulo"
    assert prompt.spell(piece_ids("half-timbered cafe")) == "half-timbered café"
    assert prompt.spell(piece_ids("umbrella")) == "umbrella"


def test_places_are_computed():
    prompt = encode_prompt("bottom right", Context(turns=1, shown=12, columns=4))
    at = prompt.ids.index(MARK["place"])
    assert prompt.ids[at : at + 3] == [MARK["place"], MARK["#"], *piece_ids("12")]


def test_of_many_values_those_that_are_named_are_read():
    values = [f"Brand {letter}" for letter in "abcdefghijklmnopqrstuvwxyz"] + ["Fjällräven"]
    context = Context.from_json({"attributes": {"brand": values}})
    assert piece_ids("Fjällräven")[0] in encode_prompt("fjällräven please", context).ids


@given(st.text(max_size=3000), st.text(max_size=500))
def test_any_text_fits(message, topic):
    prompt = encode_prompt(message, Context(turns=1, topic=topic))
    assert len(prompt.ids) <= LONGEST
    assert all(piece >= 0 for piece in prompt.ids)
    assert isinstance(prompt.spell([piece for piece in prompt.ids if piece >= MARKS]), str)
