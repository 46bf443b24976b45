"""Conversations as JSON files that can be kept, sent and taken in again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visavis.conversation.conversation import Conversation
from visavis.conversation.memory import Memory
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError

FORMAT = "visavis-conversation"
VERSION = 1


def export_conversation(conversation: Conversation, collection: str) -> dict[str, Any]:
    """Everything about a conversation, as plain values."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "collection": collection,
        "id": conversation.id,
        "name": conversation.name,
        "branch_of": conversation.branch_of,
        "branch_at": conversation.branch_at,
        "turns": [turn.as_json() for turn in conversation.turns],
    }


def import_conversation(value: Mapping[str, Any], memory: Memory, name: str | None = None) -> Conversation:
    """Take in an exported conversation under a name of its own.

    Raises:
        BadInputError: It is no exported conversation, or one of a newer version.
    """
    turns = read_turns(value)
    return memory.take_in(turns, name)


def read_turns(value: Mapping[str, Any]) -> list[Turn]:
    """The turns of an exported conversation, checked to be whole and in order."""
    if value.get("format") != FORMAT or not isinstance(value.get("turns"), list):
        raise BadInputError("This is no exported conversation.", "Export one with: visavis chat --export NAME")
    if not isinstance(value.get("version"), int) or value["version"] > VERSION:
        raise BadInputError("The conversation was exported by a newer visavis.", "Update this one.")
    turns = [Turn.from_json(body) for body in value["turns"]]
    if [turn.number for turn in turns] != list(range(1, len(turns) + 1)):
        raise BadInputError("The exported conversation lacks turns.", "Export it again.")
    return turns
