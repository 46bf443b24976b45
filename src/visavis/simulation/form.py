"""What form a question has, read from its words alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Form = Literal["exists", "is", "choice", "alike", "colour", "count", "open"]
_EXISTS = re.compile(
    r"^(?:is|are) (?:there|anyone|anybody|someone|any)\b"
    r"|^(?:does|do) (?:it|the (?:picture|image|photo)) (?:show|have|contain)\b"
    r"|^(?:can|do|could) you (?:see|spot|tell)\b|^(?:any|is it (?:in|on|at|by|under)) ",
)
_AUXILIARY = re.compile(
    r"^(?:is|are|was|were|does|do|did|can|could|has|have|will|would|should|must|any|isn't|aren't)\b"
)
_INVITES = re.compile(r"^(?:can|could|would) you (?:describe|tell me (?:more|about)|say)\b")
_COLOUR = re.compile(r"^what (?:colou?r)s? (?:is|are|does) (?:the |his |her |their |its )?(.+?)(?: in (?:it|the .+))?$")
_COUNT = re.compile(r"^how many (.+?)(?: (?:are|is|do|does|can|in) .*)?$")
_TAIL = re.compile(r" (?:in it|in (?:the|this) (?:picture|image|photo|scene|room)|there|at all|visible|present)$")
_HEAD = re.compile(
    r"^(?:(?:is|are|was|were|does|do|did|can|could|has|have|will|would|should|must)\s+)?"
    r"(?:(?:there|it|they|he|she|you|anyone|anybody|someone|this|that|the (?:picture|image|photo)|something in it)\b"
    r"\s*)?"
    r"(?:(?:show|have|contain|see|spot|tell|any|be|someone)\b\s*)*"
)


@dataclass(frozen=True)
class Reading:
    """A question as a user understands it: its form, and what it is about."""

    form: Form
    about: str


def read_question(text: str, options: tuple[str, ...], with_pictures: bool) -> Reading:
    """Understand a question."""
    said = re.sub(r"\s+", " ", text.lower()).strip(" ?.!")
    if with_pictures:
        return Reading("alike", said)
    closed = {option.lower() for option in options} <= {"yes", "no"}
    if options and not closed:
        return Reading("choice", said)
    if found := _COLOUR.match(said):
        return Reading("colour", found[1])
    if found := _COUNT.match(said):
        return Reading("count", found[1])
    if not _AUXILIARY.match(said) or _INVITES.match(said):
        return Reading("open", said)
    about = _TAIL.sub("", re.sub(r" one of its main colours$", "", _HEAD.sub("", said))).strip()
    return Reading("exists" if _EXISTS.match(said) else "is", about)
