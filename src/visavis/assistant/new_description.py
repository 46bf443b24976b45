"""A message that describes a whole picture while something else is wanted: an addition, or a new search."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from visavis.conversation.brief import Brief
from visavis.conversation.fold import Situation, fold
from visavis.language.base import Understanding
from visavis.language.commands import Command, Refine, Search, parse_commands
from visavis.language.meaning import content_words

#: How a noun phrase begins that introduces something new.
_INTRODUCED = re.compile(
    r"(?:an?|some|two|three|four|five|several) (?!(?:bit|little|lot|few)\b)(?!.*\bones?$)", re.IGNORECASE
)
#: A single word ("a hat") is said of a scene as often as for itself.
_LEAST_WORDS = 2


def as_new_search(
    understood: Understanding, message: str, brief: Brief, situation: Situation, matches: Callable[[Brief], int | None]
) -> Understanding:
    """The understanding, as a new search where the message describes another picture than the brief.

    That is so where a whole noun phrase shares no word with what is wanted, and either the parser was in doubt whether
    it starts anew, or no picture fits both while some fit the phrase alone.

    Args:
        understood: What the parser understood.
        message: What was said.
        brief: The wishes before it.
        situation: The moment in which it was said.
        matches: Counts the pictures that match a brief; None where that is not known.
    """
    said = message.strip().rstrip(".!")
    wanted = brief.of("want", "relative")
    described = content_words(said)
    if not wanted or not _INTRODUCED.match(said) or len(described) < _LEAST_WORDS:
        return understood
    if any(described & content_words(wish.text) for wish in wanted):
        return understood
    found = next((text for way in _ways(understood) if (text := _whole(way, described)) is not None), None)
    if found is None:
        return understood
    search = Search(found)
    if understood.clarify is None and not _apart(search, brief, situation, matches):
        return understood
    return replace(understood, commands=(search,), clarify=None)


def _ways(understood: Understanding) -> list[tuple[Command, ...]]:
    """What was understood, or what is asked about."""
    if understood.clarify is None:
        return [understood.commands]
    return [parse_commands(line) for _, line in understood.clarify.options if line]


def _whole(commands: tuple[Command, ...], described: frozenset[str]) -> str | None:
    """The text of a reading that takes the whole message as one description; None for another reading."""
    if len(commands) == 1 and isinstance(command := commands[0], Refine | Search):
        return command.text if content_words(command.text) == described else None
    return None


def _apart(search: Search, brief: Brief, situation: Situation, matches: Callable[[Brief], int | None]) -> bool:
    """Whether nothing fits both descriptions, while something fits the new one."""
    if matches(fold(brief, Refine(search.text), situation)) != 0:
        return False
    return bool(matches(fold(brief, search, situation)))
