"""A message costs a bounded number of runs of the network, however long and odd it is."""

from __future__ import annotations

import pytest

from visavis.language.network import Network
from visavis.language.parser import NetworkParser
from visavis.language.prompt import LONGEST

ODD = {
    "i but i but": "i but " * 4000,
    "and and": "and " * 4000,
    "not not": "a dress, not " * 2000,
    "commas": "," * 20_000 + "red",
    "one word": "a" * 20_000,
    "numbers": "1 2 3 " * 4000,
    "brackets": "(red" * 4000,
    "pictures": "#1 #2 @3 " * 2000,
}
#: Both readings of a message after an edit, each once more where it has to decide.
_MOST_SEARCHES = 4


@pytest.mark.parametrize("message", ODD.values(), ids=ODD)
def test_the_cost_of_a_message_has_a_limit(monkeypatch, message):
    lengths, steps = [], []
    encode, decode = Network.encode, Network.decode

    def counted_encode(network, vectors, kinds):
        lengths.append(kinds.shape[-1])
        return encode(network, vectors, kinds)

    def counted_decode(network, *args, **more):
        steps.append(1)
        return decode(network, *args, **more)

    monkeypatch.setattr(Network, "encode", counted_encode)
    monkeypatch.setattr(Network, "decode", counted_decode)
    parser = NetworkParser()
    parser.understand(message)
    assert len(lengths) <= _MOST_SEARCHES
    assert all(length <= LONGEST for length in lengths)
    assert len(steps) <= _MOST_SEARCHES * parser.network.longest
