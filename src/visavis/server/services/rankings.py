"""Rankings without a turn: a single search, a preview of changed wishes, the pages of a long ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock

from cachetools import LRUCache

from visavis.api import FoundPicture
from visavis.conversation.brief import Brief, change
from visavis.conversation.conversation import BEGINNING, Conversation
from visavis.conversation.history import before_changes, way_to
from visavis.conversation.turns import Turn, Window
from visavis.server.models.collections import Found, SearchBody
from visavis.server.models.common import ResultModel
from visavis.server.services.collections import OpenCollection
from visavis.server.services.rendering import reason_model
from visavis.server.services.wall import Card, cards
from visavis.types import Result

#: The depths of a ranking: as deep as is asked for at first, deeper as somebody scrolls on.
_STEPS = (250, 500, 1000, 2000, 4000, 10_000)
#: Results that are looked at closely; further down, reasons are not compared any more.
_CLOSE = 250
#: Results in the cache, over all rankings; one ranking has fewer.
_CACHED_RESULTS = 60_000
Rank = Callable[[int], Sequence[Result]]


def search(opened: OpenCollection, wanted: SearchBody) -> Found:
    """Search by words, by a picture, or by both."""
    collection = opened.collection
    likes = (collection.picture(wanted.like).id,) if wanted.like else ()
    found = collection.search(
        wanted.text,
        wanted.offset + wanted.k,
        like=likes,
        avoid=wanted.without,
        filter=wanted.filter or None,
    )
    part = found.results[wanted.offset :]
    known = cards(collection.catalogue, (result.picture.id for result in part))
    results = [_found_model(result, known) for result in part]
    return Found(
        results=results,
        seconds=round(found.seconds, 6),
        nothing_fits=not found.matches,
        message=found.message,
        matches=found.matches,
        about=found.about,
    )


def search_like(opened: OpenCollection, file: Path, k: int = 40) -> list[ResultModel]:
    """Pictures that resemble one that need not be in the collection."""
    found = opened.collection.search(k=k, like=[file]).results
    known = cards(opened.catalogue, (result.picture.id for result in found))
    return [_found_model(result, known) for result in found]


def _found_model(result: FoundPicture, known: Mapping[str, Card]) -> ResultModel:
    card = known[result.picture.id]
    return ResultModel(
        score=round(result.score, 6),
        **vars(card),
        probability=result.probability,
        match=result.match,
        because=[reason_model(reason) for reason in result.because],
    )


def preview_changes(
    opened: OpenCollection, conversation: Conversation, changes: Sequence[str]
) -> tuple[Brief, tuple[Result, ...]]:
    """The wishes after changes, and what they would show; nothing is saved."""
    last = conversation.last
    brief = last.brief
    for line in changes:
        brief = change(brief, line)
    if not brief.searches:
        return brief, ()
    window = replace(last.window, start=0)
    since = before_changes(conversation)
    return brief, opened.ranking.rank(conversation, since, brief, window, retriever=last.retriever)


def ranked_turn(conversation: Conversation, number: int) -> Turn:
    """The turn that made the ranking which turn ``number`` shows: itself, or the one that it went back to."""
    turn = conversation.turn(number)
    while turn.number and (turn.restores is not None or turn.stands_at != turn.number):
        turn = conversation.turn(turn.restores if turn.restores is not None else turn.stands_at)
    return turn


def rank_again(opened: OpenCollection, conversation: Conversation, turn: Turn, depth: int) -> tuple[Result, ...]:
    """The ranking of a turn down to a depth, made again as it was made then."""
    if not turn.brief.searches:
        return ()
    spoken = turn
    if turn.changes:
        spoken = next((state for state in way_to(conversation, turn) if not state.changes), BEGINNING)
    since = conversation.turn(spoken.grew_from)
    window = Window(depth, turn.window.start)
    return opened.ranking.rank(conversation, since, turn.brief, window, retriever=turn.retriever, close=_CLOSE)


class DeepRankings:
    """An LRU cache of long rankings, which grow as somebody scrolls.

    A deeper ranking looks at more pictures closely and may order the first ones a little differently; what was shown
    stays where it was, and what is new comes behind it.
    """

    def __init__(self) -> None:
        self._rankings: LRUCache[str, tuple[int, list[Result]]] = LRUCache(_CACHED_RESULTS, lambda kept: len(kept[1]))
        self._lock = Lock()

    def page(self, key: str, shown: Sequence[Result], rank: Rank, offset: int, limit: int) -> list[Result]:
        """One page of a long ranking.

        Args:
            key: Identifies the ranking: the conversation, the turn and the state of the collection.
            shown: The results of the turn itself; the ranking begins with them.
            rank: Ranks down to a depth.
            offset: Where the page begins.
            limit: The length of the page.
        """
        with self._lock:
            depth, found = self._rankings.get(key, (0, list(shown)))
        for step in _STEPS:
            if len(found) >= offset + limit:
                break
            if step <= depth or step < min(offset + limit, _STEPS[-1]):
                continue
            ranked = rank(step)
            there = {result.id for result in found}
            found = found + [result for result in ranked if result.id not in there]
            depth = step if len(ranked) >= step else _STEPS[-1]
        with self._lock:
            self._rankings[key] = (depth, found)
        return found[offset : offset + limit]
