"""Makers that titles begin with: a product has one, so that two of them are alternatives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from visavis.assistant.topics import REPLACES
from visavis.conversation.brief import Brief
from visavis.conversation.contradictions import ways_in
from visavis.language.base import Understanding
from visavis.language.commands import Command, Forget, Refine, Search
from visavis.search.words import asked_words

#: Tells whether a text is the name of a maker.
IsMaker = Callable[[str], bool]
#: Words of the longest name.
_LONGEST = 3
_AND = re.compile(r"\s*(?:,|&|\band\b)\s*", re.IGNORECASE)


def beside_makers(understood: Understanding, message: str, brief: Brief, is_maker: IsMaker) -> Understanding:
    """The understanding, with one more maker beside the one that is wanted: "and adidas", said of nike shoes.

    Args:
        understood: What the parser understood.
        message: What was said.
        brief: The wishes before it.
        is_maker: Tells whether a text is the name of a maker.
    """
    made: list[Command] = []
    for command in understood.commands:
        match command:
            case Refine(relative=False) if is_maker(command.text):
                made += _beside(command, brief, is_maker, replaces=bool(REPLACES.search(message)))
            case Search() | Refine(relative=False) if _AND.search(command.text):
                made.append(replace(command, text=_either(command.text, is_maker)))
            case _:
                made.append(command)
    return understood if tuple(made) == understood.commands else replace(understood, commands=tuple(made))


def _beside(command: Refine, brief: Brief, is_maker: IsMaker, *, replaces: bool) -> Iterator[Command]:
    for wish in brief.of("want"):
        ways = ways_in(wish.text)
        makers = [maker_of(way, is_maker) for way in ways]
        if not makers[-1]:
            continue
        if any(set(asked_words(maker)) == set(asked_words(command.text)) for maker in makers):
            break
        other = ways[-1].replace(makers[-1], command.text, 1)
        if replaces:
            yield Forget(wish.text)
        yield Refine(other if replaces else " or ".join((*ways, other)))
        return
    yield command


def maker_of(text: str, is_maker: IsMaker) -> str:
    """The maker that a description names, in its own letters; an empty text where it names none."""
    words = text.split()
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            if is_maker(name := " ".join(words[at : at + length])):
                return name
    return ""


def _either(text: str, is_maker: IsMaker) -> str:
    """A description in which makers are alternatives: "nike or adidas shoes" for "nike and adidas shoes"."""
    for joint in reversed(list(_AND.finditer(text))):
        before, after = text[: joint.start()].split(), text[joint.end() :].split()
        ends = any(is_maker(" ".join(before[-length:])) for length in range(1, min(_LONGEST, len(before)) + 1))
        begins = any(is_maker(" ".join(after[:length])) for length in range(1, min(_LONGEST, len(after)) + 1))
        if ends and begins:
            text = f"{text[: joint.start()]} or {text[joint.end() :]}"
    return text
