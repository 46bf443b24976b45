"""Whole dialogues with an assistant, and the picture that they end with."""

from __future__ import annotations

from visavis.assistant import Assistant
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Hand


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
