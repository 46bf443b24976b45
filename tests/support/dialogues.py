"""Whole dialogues with an assistant, and the picture that they end with."""

from __future__ import annotations

import pytest

from visavis.assistant import Assistant
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Hand
from visavis.encoders import load_encoder
from visavis.encoders.base import Encoder
from visavis.errors import VisavisError


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


def in_hand(said: Conversation) -> Hand:
    """The picture in hand at the end; where there is none, the reply says why."""
    assert said.last.hand is not None, said.last.reply
    return said.last.hand
