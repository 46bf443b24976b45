"""Looking without saying anything: what a change of wishes would show, what lies further down a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from visavis.apps.server.library.opened import Opened
from visavis.assistant.history import before_changes, way_to
from visavis.conversation.brief import Brief
from visavis.conversation.changes import change
from visavis.conversation.conversation import BEGINNING, Conversation
from visavis.conversation.turns import Turn, Window
from visavis.retrieval.base import Result


def with_changes(
    opened: Opened, conversation: Conversation, changes: Sequence[str]
) -> tuple[Brief, tuple[Result, ...]]:
    """The wishes after changes, and what they would show; nothing is saved."""
    last = conversation.last
    brief = last.brief
    for line in changes:
        brief = change(brief, line)
    if not brief.searches:
        return brief, ()
    window = replace(last.window, start=0)
    return brief, opened.ranking.rank(conversation, before_changes(conversation), brief, window)


def ranked_turn(conversation: Conversation, number: int) -> Turn:
    """The turn that made the ranking which turn ``number`` shows: itself, or the one that it went back to."""
    turn = conversation.turn(number)
    while turn.number and (turn.restores is not None or turn.stands_at != turn.number):
        turn = conversation.turn(turn.restores if turn.restores is not None else turn.stands_at)
    return turn


def further(opened: Opened, conversation: Conversation, turn: Turn, depth: int) -> tuple[Result, ...]:
    """The ranking of a turn down to a depth, made again as it was made then."""
    if not turn.brief.searches:
        return ()
    spoken = turn
    if turn.changes:
        spoken = next((state for state in way_to(conversation, turn) if not state.changes), BEGINNING)
    since = conversation.turn(spoken.grew_from)
    return opened.ranking.rank(conversation, since, turn.brief, Window(depth, turn.window.start))
