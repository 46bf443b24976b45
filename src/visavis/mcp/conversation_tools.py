"""Tools on conversations: a message, a changed wish, the reasons of a result."""

from __future__ import annotations

from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import Field

from visavis.assistant.assistant import Watch
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError, NotFoundError
from visavis.mcp.access import Access, Call
from visavis.mcp.models import (
    CollectionName,
    ConversationId,
    Explanation,
    PictureId,
    Thumbnails,
    TurnAnswer,
    answer,
    picture_blocks,
)
from visavis.server.models.common import ReasonModel
from visavis.server.models.conversations import TurnModel
from visavis.server.security import Identity
from visavis.server.services import turns
from visavis.server.services.conversations import OpenConversation
from visavis.server.services.rankings import rank_again, ranked_turn
from visavis.server.services.rendering import reason_model, result_models
from visavis.types import Result

#: How far down a ranking a result is looked for.
_DEEPEST = 1000


class ConversationTools:
    """The tools of conversations."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._services = access.services

    async def say(
        self,
        call: Call,
        message: Annotated[
            str, Field(min_length=1, max_length=20_000, description="What the person says: a wish, an answer, an edit.")
        ],
        collection: CollectionName | None = None,
        conversation: ConversationId | None = None,
        picture: PictureId | None = None,
        thumbnails: Thumbnails = 6,
    ) -> Annotated[CallToolResult, TurnAnswer]:
        """Say something in a conversation about a collection: describe, compare, exclude, answer, go back, edit.

        Without `conversation` a new one begins in `collection`. Each answer has the results, the brief (every wish so
        far with its id) and at most one open question. `picture` is what "this" means. An edit in words ("crop it to a
        square") makes a copy, which is in hand then; originals are never changed.
        """
        who = self._access.user(call, "read", heavy=True)
        services = self._services

        def do(talk: OpenConversation, watch: Watch | None) -> Turn:
            may_edit = who.may("write") and turns.may_edit(services, who)
            return turns.say(talk, message, watch, picture=picture, columns=0, may_edit=may_edit)

        if conversation is not None:
            return await self._turn(who, conversation, do, thumbnails)
        if collection is None:
            raise BadInputError("There is nothing to talk about.", "Give a collection; see list_collections.")
        async with services.begun(who.name, collection) as begun:
            return await self._turn(who, begun.conversation.id, do, thumbnails)

    async def revise_wish(
        self,
        call: Call,
        conversation: ConversationId,
        wish: Annotated[str, Field(description="The wish's id in the brief.", examples=["1.1"])],
        change: Annotated[
            Literal["off", "on", "pin", "unpin", "remove", "weight"],
            Field(description="Switch it off or on, keep it through a new search, remove it, or weigh it."),
        ],
        weight: Annotated[
            float | None, Field(gt=0, le=10, description="With the change `weight`: 1 is ordinary.")
        ] = None,
        thumbnails: Thumbnails = 6,
    ) -> Annotated[CallToolResult, TurnAnswer]:
        """Change one wish of the brief without words, and search again."""
        who = self._access.user(call, "read", heavy=True)
        if (change == "weight") != (weight is not None):
            raise BadInputError("A weight belongs to the change 'weight', and only to it.", "Give both or neither.")
        line = f"weight {wish} {weight:g}" if weight is not None else f"{change} {wish}"
        return await self._turn(
            who, conversation, lambda talk, _: talk.opened.assistant.revise(talk.conversation, line), thumbnails
        )

    async def _turn(self, who: Identity, id: str, do: turns.Do, thumbnails: int) -> CallToolResult:
        services = self._services

        def make() -> CallToolResult:
            made = turns.make_turn(services, who, id, None, do)
            opened = services.conversations.find(who.name, id).opened
            shown = [made.hand.picture] if made.hand is not None and thumbnails else []
            shown += [result.id for result in made.results if result.id not in shown]
            blocks = picture_blocks(services, opened, shown[:thumbnails])
            return answer(_answer(made, id, opened.name), blocks)

        return await services.workers.run(make, key=id)

    async def explain_result(
        self,
        call: Call,
        picture: PictureId,
        conversation: ConversationId | None = None,
        turn: Annotated[int | None, Field(ge=1, description="A turn of the conversation; the last by default.")] = None,
        collection: CollectionName | None = None,
        text: Annotated[str, Field(max_length=2000, description="Without a conversation: what was searched for.")] = "",
    ) -> Annotated[CallToolResult, Explanation]:
        """Tell why a picture stands where it stands: how likely it fits each wish of a conversation, or of one search.

        Give either a conversation, or a collection and the text of a search.
        """
        who = self._access.user(call, "read", heavy=True)
        if (conversation is None) == (collection is None):
            raise BadInputError("A result belongs to a conversation or to a search.", "Give one of the two.")

        def find() -> Explanation:
            if conversation is not None:
                return self._explained(self._services.conversations.find(who.name, conversation), picture, turn)
            return self._explained_search(collection or "", text, picture)

        return answer(await self._services.workers.run(find))

    def _explained(self, talk: OpenConversation, picture: str, number: int | None) -> Explanation:
        opened = talk.opened
        id = opened.bare.picture(picture).id
        shown = talk.conversation.turn(number) if number else talk.conversation.last
        made = ranked_turn(talk.conversation, shown.number)
        ranking = list(shown.results)
        if all(result.id != id for result in ranking):
            there = {result.id for result in ranking}
            deeper = rank_again(opened, talk.conversation, made, _DEEPEST)
            ranking += [result for result in deeper if result.id not in there]
        place = _place(ranking, id)
        model = result_models([ranking[place]], made.brief, opened.catalogue)[0]
        return _explanation(opened.name, place, ranking[place], model.because)

    def _explained_search(self, collection: str, text: str, picture: str) -> Explanation:
        opened = self._services.collections.open(collection)
        id = opened.bare.picture(picture).id
        found = opened.collection.search(text, _DEEPEST).results
        ranking = [Result(one.picture.id, one.score, one.because, (), one.probability, one.match) for one in found]
        place = _place(ranking, id)
        reasons = [reason_model(reason) for reason in ranking[place].because]
        return _explanation(opened.name, place, ranking[place], reasons)


def _place(ranking: list[Result], id: str) -> int:
    for place, result in enumerate(ranking):
        if result.id == id:
            return place
    raise NotFoundError(
        f"The picture {id} is not among the first {len(ranking)} results.",
        "A filter or something to avoid leaves it out, or many fit better; see the brief.",
    )


def _explanation(collection: str, place: int, result: Result, reasons: list[ReasonModel]) -> Explanation:
    return Explanation(
        collection=collection,
        picture=result.id,
        place=place + 1,
        score=round(result.score, 6),
        probability=result.probability,
        match=result.match,
        reasons=reasons,
        summary=result.why,
    )


def _answer(made: TurnModel, conversation: str, collection: str) -> TurnAnswer:
    return TurnAnswer(
        conversation=conversation,
        collection=collection,
        turn=made.number,
        reply=made.reply,
        commands=made.commands,
        results=made.results,
        matches=made.matches,
        about=made.about,
        brief=made.brief.wishes,
        question=made.question,
        readings=made.readings,
        hand=made.hand,
        pending=made.pending,
    )
