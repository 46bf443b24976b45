"""Messages in context with their commands, as many as wanted, always the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from visavis.lab.dialogues.edits import EDITS, Said
from visavis.lab.dialogues.slots import AFTER, BEFORE, PLEASE, Slots
from visavis.lab.dialogues.talk import TALK
from visavis.lab.dialogues.wishes import WISHES, Told, filters, started
from visavis.language.commands import Command
from visavis.language.context import Context

#: Messages that open with one of these can be asked for politely.
_IMPERATIVE = frozenset(
    (
        "rotate turn tilt spin twist swivel increase raise boost bump lift push decrease reduce lower cut make change "
        "paint tint recolour give colour remove get erase take delete strip crop trim blur defocus pixelate apply "
        "convert invert add put enhance improve straighten level flip mirror reverse resize scale shrink double "
        "replace "
        "swap set find show search look fetch bring browse pull keep go return rollback sort order undo redo "
        "save export "
        "download select open use combine"
    ).split()
)
_TOLD: tuple[tuple[float, Callable[[Slots], Told]], ...] = (*WISHES, (2.5, filters), *TALK)


@dataclass(frozen=True)
class Example:
    """A message, its context, and what it asks for."""

    message: str
    context: Context
    commands: tuple[Command, ...]


def _edit(s: Slots) -> Said:
    say = s.chance.choices([kind for _, kind in EDITS], [weight for weight, _ in EDITS])[0]
    return say(s)


def _told(s: Slots) -> Told:
    if s.chance.random() < 0.3:
        text, commands = _edit(s)
        context = replace(started(s), picture=True) if s.chance.random() < 0.75 else Context()
        return text, context, commands
    tell = s.chance.choices([kind for _, kind in _TOLD], [weight for weight, _ in _TOLD])[0]
    return tell(s)


def _slip(text: str, s: Slots) -> str:
    """One typing error: two letters swapped, one left out, or one doubled."""
    at = s.chance.randrange(1, max(2, len(text) - 1))
    if not text[at - 1 : at + 1].isalpha():
        return text
    kind = s.chance.random()
    if kind < 0.4:
        return text[: at - 1] + text[at] + text[at - 1] + text[at + 1 :]
    return text[:at] + text[at + 1 :] if kind < 0.7 else text[:at] + text[at] + text[at:]


def _dressed(text: str, s: Slots) -> str:
    """The message with what people say around it."""
    if text.split()[0] in _IMPERATIVE:
        text = s.say(PLEASE) + text
    text = s.say(BEFORE) + text + (s.say(AFTER) if text[-1].isalnum() else "")
    kind = s.chance.random()
    if kind < 0.15:
        text = text[0].upper() + text[1:]
    elif kind < 0.18:
        text = text.upper()
    return _slip(text, s) if s.chance.random() < 0.04 else text


def examples(seed: int = 0) -> Iterator[Example]:
    """Generated examples without end."""
    s = Slots(random.Random(seed))
    while True:
        text, context, commands = _told(s)
        if s.chance.random() < 0.12 and context.picture and not context.question and not context.edits:
            more, further = _edit(s)
            text, commands = f"{text}{s.say(' and |, then |. | and then |, ')}{more}", (*commands, *further)
        yield Example(_dressed(text, s), context, commands)
