"""Whole dialogues with an assistant, and the picture that they end with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from visavis.api import Collection, open_collection
from visavis.assistant import Assistant
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Hand, Turn
from visavis.demo.catalogue import draw_file, record
from visavis.encoders import load_encoder
from visavis.encoders.base import Encoder
from visavis.errors import VisavisError
from visavis.language.commands import parse_commands


def builtin_encoder() -> Encoder:
    """The encoder that ships; skips the test where its weights are missing."""
    try:
        return load_encoder()
    except VisavisError as error:
        pytest.skip(f"the built-in encoder is not here: {error}")


def talk(assistant: Assistant, *messages: str) -> Conversation:
    """Create a conversation with these messages."""
    conversation = assistant.start()
    for message in messages:
        assistant.reply(conversation, message)
    return conversation


def carry_out(assistant: Assistant, *lines: str) -> Conversation:
    """Create a conversation with a turn for each of these lines of commands, whatever the parser would understand."""
    conversation = assistant.start()
    do(assistant, conversation, *lines)
    return conversation


def do(assistant: Assistant, conversation: Conversation, *lines: str) -> Turn:
    """Carry out lines of commands, a turn each; returns the last turn."""
    for line in lines:
        assistant.do(conversation, parse_commands(line), line)
    return conversation.last


def draw_catalogue(folder: Path, seed: int, things: Iterable[tuple[str, int]]) -> Path:
    """Draw things of the demo's catalogue by kind and index; returns the table of what they are."""
    rows = []
    for kind, index in things:
        draw_file(folder, kind, seed, index)
        rows.append(json.dumps(record(kind, seed, index)))
    table = folder / "catalogue.jsonl"
    table.write_text("\n".join(rows))
    return table


@contextmanager
def indexed_collection(name: str, home: Path, source: Path) -> Iterator[Collection]:
    """A new collection of the pictures of a folder or a table, with the encoder that ships."""
    with open_collection(name, home, create=True, encoder=builtin_encoder()) as collection:
        assert not collection.index(source).failures
        yield collection


def in_hand(said: Conversation) -> Hand:
    """The picture in hand at the end; where there is none, the reply says why."""
    assert said.last.hand is not None, said.last.reply
    return said.last.hand
