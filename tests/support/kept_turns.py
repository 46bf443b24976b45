"""Conversations of given turns, for tests that need a long one."""

from __future__ import annotations

from collections.abc import Iterable

from visavis.conversation.conversation import Conversation
from visavis.conversation.memory import Memory
from visavis.conversation.turns import Turn


def keep(memory: Memory, turns: Iterable[Turn]) -> Conversation:
    """A new conversation of these turns, saved."""
    made = memory.start()
    for turn in turns:
        memory.save(made, turn)
    return made
