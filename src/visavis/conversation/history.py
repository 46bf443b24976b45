"""Earlier turns: which states led to a turn, what was passed over, what a parser needs to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice, zip_longest

from visavis.conversation.brief import Brief
from visavis.conversation.conversation import BEGINNING, Conversation
from visavis.conversation.turns import Turn
from visavis.language.commands import Filter, Sort
from visavis.language.context import Attribute, Context
from visavis.types import Concept

#: How many states back count: a turn's cost must not grow with the length of the conversation.
_BACK = 8


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
    """What a parser knows beside the message.

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
        topic=last.brief.topic,
        question=last.question,
        attributes=attributes,
        edits=last.hand.commands if last.hand else (),
        concepts=concepts,
        recent=_made_by_last(conversation),
    )


def _made_by_last(conversation: Conversation) -> int:
    """How many edits of the picture in hand an undo would take back; 0 where it would change anything beside them."""
    hand = conversation.last.hand
    if hand is None or not hand.edits or conversation.last.stands_at == 0:
        return 0
    before = conversation.undone().hand
    kept = before.edits if before and before.source == hand.source else None
    return len(hand.edits) - len(kept) if kept is not None and hand.edits[: len(kept)] == kept else 0
