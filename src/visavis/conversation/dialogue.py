"""The dialogue that leads to a brief, round by round: what a retriever with a memory of its own reads.

A round is a turn of which at least one wish still counts. Wishes carry the number of their turn, and a rollback, an
undo or a branch brings back the wishes of then, so the rounds follow them without further bookkeeping; a wish that is
switched off, replaced or forgotten takes its words out of its round, and the round goes with its last wish.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Turn
from visavis.language.commands import Command
from visavis.types import Question, Wish

#: The kinds of wishes whose words describe the picture.
_DESCRIBING = ("want", "relative")
#: The kinds that carry no words about what the picture shows.
_CONDITIONS = ("filter", "sort")


@dataclass(frozen=True)
class Said:
    """What was said in a turn.

    Attributes:
        turn: The number of the turn.
        message: The message.
        commands: What was understood.
        answered: The question that it answers, or None.
        shown: The pictures that were shown before it, best first.
    """

    turn: int
    message: str
    commands: tuple[Command, ...] = ()
    answered: Question | None = None
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Round:
    """One round of a dialogue, as far as its wishes still count.

    Attributes:
        turn: The number of its turn.
        text: What the picture should show, in words; empty where the round says nothing of that.
        question: The question that it answers; empty where it answers none.
        answer: The answer to it, as it was given; empty where it answers none.
        message: The whole message.
        commands: What was understood of it, in text form.
        pointed: The pictures that its wishes point at.
        shown: The pictures that were shown before it, best first.
        kept: What should stay of which picture, as attribute and id.
    """

    turn: int
    text: str
    question: str = ""
    answer: str = ""
    message: str = ""
    commands: tuple[str, ...] = ()
    pointed: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()


Dialogue = tuple[Round, ...]


def dialogue_of(conversation: Conversation, wishes: Sequence[Wish], now: Said | None = None) -> Dialogue:
    """The rounds that the wishes of a brief came from, oldest first.

    Args:
        conversation: The conversation.
        wishes: The wishes that count.
        now: The turn in the making, which the conversation does not have yet.
    """
    said = {} if now is None else {now.turn: now}
    turns = {wish.turn for wish in wishes if wish.active}
    for number in turns - said.keys():
        if 1 <= number <= len(conversation):
            said[number] = _said(conversation, conversation.turn(number))
    return rounds_of(wishes, said.values())


def rounds_of(wishes: Iterable[Wish], said: Iterable[Said] = ()) -> Dialogue:
    """The rounds of wishes, with what is known of their turns."""
    known = {one.turn: one for one in said}
    by_turn: dict[int, list[Wish]] = {}
    for wish in wishes:
        if wish.active and wish.kind not in _CONDITIONS:
            by_turn.setdefault(wish.turn, []).append(wish)
    return tuple(_round(turn, by_turn[turn], known.get(turn)) for turn in sorted(by_turn))


def _round(turn: int, wishes: Sequence[Wish], said: Said | None) -> Round:
    described = [wish.text for wish in wishes if wish.kind in _DESCRIBING and not wish.answer]
    pointed = dict.fromkeys(id for wish in wishes for id in (wish.picture, wish.reference) if id)
    kept = tuple((wish.attribute, wish.picture) for wish in wishes if wish.kind == "keep" and wish.picture)
    if said is None:
        return Round(turn, _sentences(described), pointed=tuple(pointed), kept=kept)
    question = said.answered.text if said.answered is not None else ""
    return Round(
        turn,
        _sentences(described),
        question,
        said.message if question else "",
        said.message,
        tuple(map(str, said.commands)),
        tuple(pointed),
        said.shown,
        kept,
    )


def _said(conversation: Conversation, turn: Turn) -> Said:
    before = conversation.turn(turn.grew_from).results if turn.grew_from < turn.number else ()
    return Said(turn.number, turn.message, turn.commands, turn.answered, tuple(result.id for result in before))


def _sentences(texts: Sequence[str]) -> str:
    if len(texts) < 2:
        return "".join(texts)
    return " ".join(f"{text.strip().rstrip('.')}." for text in texts)
