"""Earlier turns: which led to a turn, what was passed over, what a parser and a learned retriever need to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from visavis.conversation.brief import Brief
from visavis.conversation.conversation import BEGINNING, Conversation
from visavis.conversation.turns import Turn
from visavis.language.commands import Command, Filter, Sort
from visavis.language.context import Attribute, Context
from visavis.types import Concept, Question, Wish

#: How many states back count: a turn's cost must not grow with the length of the conversation.
_BACK = 8
#: So many turns a parser knows the topics of.
_TOPICS = 40
#: The kinds of wishes whose words describe the picture.
_DESCRIBING = ("want", "relative")
#: The kinds that carry no words about what the picture shows.
_CONDITIONS = ("filter", "sort")


def way_to(conversation: Conversation, turn: Turn) -> Iterator[Turn]:
    """The states that led to a turn, the nearest first, itself included; a rollback goes on from where it went to."""
    while turn.number:
        standing = conversation.turn(turn.stands_at) if turn.stands_at else None
        if standing is None:
            return
        if standing.restores is not None:
            turn = conversation.turn(standing.restores)
            continue
        yield standing
        turn = conversation.turn(standing.grew_from)


def passed_over(conversation: Conversation, turn: Turn, brief: Brief) -> dict[str, int]:
    """How many times each picture was shown on the way to a turn and nothing was made of it."""
    counted: Counter[str] = Counter()
    taken = {id for wish in brief.wishes for id in (wish.picture, wish.reference) if id}
    states = list(islice((state for state in way_to(conversation, turn) if not _narrows(state)), _BACK + 1))
    for state, earlier in zip_longest(states[:_BACK], states[1:]):
        if state.hand is not None:
            taken.add(state.hand.source)
        if earlier is None or state.results != earlier.results:  # an edit leaves the same pictures on the table
            counted.update(result.id for result in state.results)
    return {id: count for id, count in counted.items() if id not in taken}


def _narrows(turn: Turn) -> bool:
    """Whether a turn only switched a wish or set a condition: that is no judgement on the pictures that stay."""
    return bool(turn.changes) or (bool(turn.commands) and all(isinstance(one, Filter | Sort) for one in turn.commands))


def before_changes(conversation: Conversation) -> Turn:
    """The state that the present one was ranked after, wishes changed without words left aside.

    A ranking with a wish switched off and on again is made after the same state, and therefore is the same.
    """
    spoken = next((state for state in way_to(conversation, conversation.last) if not state.changes), BEGINNING)
    return conversation.turn(spoken.grew_from)


def pages_before(conversation: Conversation, turn: Turn, brief: Brief, start: int) -> frozenset[str]:
    """The pictures of the pages before one that starts here, for the same brief."""
    shown: dict[str, None] = {}
    for state in way_to(conversation, turn):
        if state.brief != brief or state.window.start >= start:
            break
        shown |= dict.fromkeys(result.id for result in state.results)
        if state.window.start == 0:
            break
    return frozenset(shown)


def parser_context(
    conversation: Conversation, attributes: Mapping[str, Attribute], columns: int, concepts: tuple[Concept, ...] = ()
) -> Context:
    """The context that a parser reads beside the message.

    Args:
        conversation: The conversation.
        attributes: The attributes of the collection that messages may name.
        columns: In how many columns pictures are shown; 0 if that is not known.
        concepts: What the picture in hand shows.
    """
    last = conversation.last
    return Context(
        turns=len(conversation),
        shown=len(last.results),
        columns=columns,
        picture=last.hand is not None,
        topic=last.brief.narrowed_topic,
        topics=tuple(turn.brief.narrowed_topic for turn in conversation.turns[-_TOPICS:]),
        question=last.question,
        attributes=attributes,
        edits=last.hand.commands if last.hand else (),
        concepts=concepts,
        recent=_made_by_last(conversation),
        begins=not len(conversation),
    )


def _made_by_last(conversation: Conversation) -> int:
    """How many edits of the picture in hand an undo would take back; 0 where it would change anything beside them."""
    hand = conversation.last.hand
    if hand is None or not hand.edits or conversation.last.stands_at == 0:
        return 0
    before = conversation.undone().hand
    kept = before.edits if before and before.source == hand.source else None
    return len(hand.edits) - len(kept) if kept is not None and hand.edits[: len(kept)] == kept else 0


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
