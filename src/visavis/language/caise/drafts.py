"""What the rules make of a record, with what only the picture could tell left open."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from visavis.language.caise.adapter import CAISE_CONVENTIONS, caise_command, context_of
from visavis.language.caise.records import Record
from visavis.language.concepts import colour_said
from visavis.language.context import Context
from visavis.language.rules import RuleParser

Hole = Literal["colour", "thing", ""]
#: What stands in a draft for the colour or the thing that is still to be chosen.
MARKS: dict[Hole, str] = {"colour": "opencolour", "thing": "openthing"}
_THING = re.compile(r"\b(?:objects?|things?|items?)\b|\bwhat(?:'s| is| are)?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Draft:
    """A command with at most one hole.

    Attributes:
        command: The command of the rules; a mark stands where something is open.
        hole: What is open.
        phrase: How the open thing is spoken of: "the girl's jacket", "object on the table".
        confidence: How sure the rules are of the rest.
    """

    command: str
    hole: Hole = ""
    phrase: str = ""
    confidence: float = 0.0

    def filled(self, words: str) -> str:
        """The command with the hole filled."""
        return self.command.replace(MARKS[self.hole], words) if self.hole else self.command


@dataclass
class _Asked:
    """Notes what the rules want to know of the picture, and answers with a mark."""

    phrases: dict[Hole, str] = field(default_factory=dict)

    def colour(self, phrase: str, context: Context) -> str | None:  # noqa: ARG002  # the phrase is kept for later
        return colour_said(phrase) or self._note("colour", phrase)

    def thing(self, phrase: str, context: Context) -> str | None:  # noqa: ARG002
        return self._note("thing", phrase)

    def _note(self, hole: Hole, phrase: str) -> str:
        self.phrases[hole] = phrase
        return MARKS[hole]


def draft_of(record: Record) -> Draft:
    """What the rules make of a record; talk of "the object" that they did not recognise as such is left open, too."""
    asked = _Asked()
    parser = RuleParser(replace(CAISE_CONVENTIONS, eye=asked))
    understanding = parser.understand(record.message, context_of(record))
    command = caise_command(understanding)
    for hole, mark in MARKS.items():
        if mark in command:
            return Draft(command, hole, asked.phrases[hole], understanding.confidence)
    if record.concepts and (not command or command.startswith("search ")) and _THING.search(record.message):
        phrase = asked.phrases.get("thing", record.message.lower())
        return Draft(f"search {MARKS['thing']}", "thing", phrase, understanding.confidence)
    return Draft(command, confidence=understanding.confidence)
