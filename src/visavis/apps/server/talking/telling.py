"""Turns as the interface tells them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from visavis.apps.server.library.cards import Card, cards
from visavis.apps.server.models.common import Reason, Result
from visavis.apps.server.models.conversations import (
    BriefModel,
    ConversationModel,
    HandModel,
    QuestionModel,
    TurnModel,
    WishModel,
)
from visavis.apps.server.talking.asking import question_model
from visavis.apps.server.talking.talks import Talk
from visavis.collections.catalogue import Catalogue
from visavis.conversation.brief import Brief
from visavis.conversation.turns import Turn
from visavis.retrieval import base


class Teller:
    """Tells one turn, bit by bit: what it looked up of pictures once it need not look up again."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: dict[str, Card] = {}

    def results(self, results: Sequence[base.Result], brief: Brief) -> list[Result]:
        """A ranking."""
        return _results(results, brief, self._cards(results))

    def turn(self, turn: Turn) -> TurnModel:
        """The whole turn."""
        return _turn(turn, self._cards(turn.results))

    def _cards(self, results: Sequence[base.Result]) -> Mapping[str, Card]:
        if new := [result.id for result in results if result.id not in self._known]:
            self._known |= cards(self._catalogue, new)
        return self._known


def conversation_model(talk: Talk) -> ConversationModel:
    """A whole conversation."""
    conversation = talk.conversation
    catalogue = talk.opened.catalogue
    known = cards(catalogue, (result.id for turn in conversation.turns for result in turn.results))
    return ConversationModel(
        id=conversation.id,
        name=talk.name,
        collection=talk.opened.name,
        branch_of=conversation.branch_of,
        branch_at=conversation.branch_at,
        turns=[_turn(turn, known) for turn in conversation.turns],
    )


def result_models(results: Sequence[base.Result], brief: Brief, catalogue: Catalogue) -> list[Result]:
    """A ranking."""
    return _results(results, brief, cards(catalogue, (result.id for result in results)))


def brief_model(brief: Brief) -> BriefModel:
    """The wishes as chips."""
    return BriefModel(wishes=[WishModel(**wish.as_json(), label=wish.label) for wish in brief])


def _turn(turn: Turn, known: Mapping[str, Card]) -> TurnModel:
    hand = turn.hand
    question: QuestionModel | None = question_model(turn.question, waits=bool(turn.pending))
    return TurnModel(
        number=turn.number,
        message=turn.message,
        commands=[str(command) for command in turn.commands],
        reply=turn.reply,
        brief=brief_model(turn.brief),
        results=_results(turn.results, turn.brief, known),
        hand=HandModel(picture=hand.picture, source=hand.source, edits=list(hand.edits)) if hand else None,
        question=question,
        pending=list(turn.pending),
        answered=question_model(turn.answered),
        grew_from=turn.grew_from,
        stands_at=turn.stands_at,
        restores=turn.restores,
        undone=list(turn.undone),
        changes=list(turn.changes),
        at=turn.at,
        seconds=turn.seconds,
        can_undo=turn.stands_at > 0,
        can_redo=bool(turn.undone),
    )


def _results(results: Iterable[base.Result], brief: Brief, known: Mapping[str, Card]) -> list[Result]:
    ids = [wish.id for wish in brief.wishes]
    return [_result(result, ids, known[result.id]) for result in results]


def _result(result: base.Result, wishes: Sequence[str], card: Card) -> Result:
    because = [
        Reason(
            wish=wishes[reason.wish] if 0 <= reason.wish < len(wishes) else None,
            text=reason.text,
            fit=round(reason.fit, 4),
            fits=reason.fits,
        )
        for reason in result.because
    ]
    return Result(
        id=result.id,
        score=round(result.score, 6),
        because=because,
        width=card.width,
        height=card.height,
        caption=card.caption,
        edited=card.edited,
    )
