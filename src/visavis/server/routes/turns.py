"""Routes that add a turn: messages, commands, clicks, changed wishes, rollback, undo, redo, edits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from visavis.assistant.assistant import Watch
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError
from visavis.language.commands import Edit as EditCommand
from visavis.language.commands import Redo, Rollback, Undo
from visavis.server.dependencies import HeavyReader, HeavyWriter, Services, ServicesDep
from visavis.server.errors import request_id
from visavis.server.events import MEDIA_TYPE, EventStream, TurnStream
from visavis.server.models.common import CollectionName, ConversationId
from visavis.server.models.conversations import (
    BriefPreview,
    Changes,
    Commands,
    ConversationModel,
    EditBody,
    MessageBody,
    PreviewedChanges,
    ResultList,
    Steps,
    ToTurn,
    TurnModel,
)
from visavis.server.security import Identity
from visavis.server.services import turns
from visavis.server.services.conversations import OpenConversation
from visavis.server.services.rankings import preview_changes, rank_again, ranked_turn
from visavis.server.services.rendering import brief_model, conversation_model, result_models

router = APIRouter(tags=["turns"])
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The turn; as a stream of events where `Accept: text/event-stream` asks for it.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}, "example": 'event: turn\ndata: {"number":1}\n\n'}},
    }
}


@dataclass(frozen=True)
class TurnRequest:
    """A request for one more turn of a conversation."""

    request: Request
    who: Identity
    services: Services
    id: str

    async def answer(self, after: int | None, do: turns.Do) -> TurnModel | Response:
        """One turn as JSON, or as events: results first, then the reasons, then the question.

        Results and reasons come as soon as they are saved, before the question is looked for; the turn is finished
        whether or not anybody still listens.
        """
        workers, made = self.services.workers, partial(turns.make_turn, self.services, self.who, self.id, after, do)
        if MEDIA_TYPE not in self.request.headers.get("accept", ""):
            return await workers.run(made, key=self.id)
        stream = TurnStream(request_id(self.request.scope))
        task = workers.start(partial(made, stream), key=self.id)
        await stream.accepted(task)
        return EventStream(stream.events(task))


# Coroutines, so that no thread of the pool is taken for them.
async def _reader(request: Request, who: HeavyReader, services: ServicesDep, id: ConversationId) -> TurnRequest:
    return TurnRequest(request, who, services, id)


async def _writer(request: Request, who: HeavyWriter, services: ServicesDep, id: ConversationId) -> TurnRequest:
    return TurnRequest(request, who, services, id)


async def _steps(body: Steps | None = None) -> Steps:
    return body or Steps()


ReaderTurn = Annotated[TurnRequest, Depends(_reader)]
WriterTurn = Annotated[TurnRequest, Depends(_writer)]
StepsBody = Annotated[Steps, Depends(_steps)]


@router.post("/conversations/{id}/messages", response_model=TurnModel, responses=_STREAM)
async def message(asked: ReaderTurn, body: MessageBody) -> TurnModel | Response:
    """Say something. Answers with the turn, or streams it (`Accept: text/event-stream`).

    Events: `turn`, `results` (without reasons), `reasons`, then `question` and `done` with the whole of it; or `error`.
    What they tell is saved before it is told.
    """

    def do(talk: OpenConversation, watch: Watch | None) -> Turn:
        may_edit = turns.may_edit(asked.services, asked.who)
        return turns.say(
            talk,
            body.text,
            watch,
            picture=body.picture,
            columns=body.columns,
            shown=body.shown,
            may_edit=may_edit,
            retriever=body.retriever,
        )

    return await asked.answer(body.after, do)


@router.post(
    "/collections/{collection}/messages",
    status_code=201,
    response_model=ConversationModel,
    responses={201: {**_STREAM[200], "description": "The conversation with its first turn, or that turn as events."}},
)
async def first_message(
    request: Request,
    answer: Response,
    who: HeavyReader,
    services: ServicesDep,
    collection: CollectionName,
    body: MessageBody,
) -> ConversationModel | Response:
    """Say something in a new conversation; the header `Location` tells where it goes on.

    Answers with the conversation and its first turn, or streams the turn as `messages` of a conversation does.
    """
    async with services.begun(who.name, collection) as begun:
        id = begun.conversation.id
        made = await message(TurnRequest(request, who, services, id), body)
    place = {"Location": f"/api/v1/conversations/{id}"}
    if isinstance(made, Response):
        made.headers.update(place)
        made.status_code = 201
        return made
    answer.headers.update(place)
    return await services.readers.run(lambda: conversation_model(services.conversations.page(who.name, id)))


@router.post("/conversations/{id}/commands", response_model=TurnModel, responses=_STREAM)
async def commands(asked: ReaderTurn, body: Commands) -> TurnModel | Response:
    """Do something without words: commands in their text form, or a click on a picture."""
    if bool(body.commands) == bool(body.point):
        raise BadInputError("There is nothing to do, or twice.", "Give either commands or a point.")
    lines = turns.read_lines(body.commands)

    def do(talk: OpenConversation, watch: Watch | None) -> Turn:
        wanted, said = turns.click_commands(talk, body.point) if body.point else (lines, "; ".join(map(str, lines)))
        may_edit = turns.may_edit(asked.services, asked.who)
        told = body.message or said
        return turns.do(talk, wanted, told, watch, may_edit=may_edit, retriever=body.retriever)

    return await asked.answer(body.after, do)


@router.post("/conversations/{id}/brief", response_model=TurnModel, responses=_STREAM)
async def brief(asked: ReaderTurn, body: Changes) -> TurnModel | Response:
    """Change wishes without words: `off 1.1`, `on 1.1`, `weight 1.1 2`, `pin 1.1`, `unpin 1.1`, `remove 1.1`.

    `retriever chatir` lets another retriever rank from now on.
    """

    def do(talk: OpenConversation, watch: Watch | None) -> Turn:
        return talk.opened.assistant.revise(talk.conversation, *body.changes)

    return await asked.answer(body.after, do)


@router.post("/conversations/{id}/brief/preview")
async def preview(who: HeavyReader, services: ServicesDep, id: ConversationId, body: PreviewedChanges) -> BriefPreview:
    """What changes of wishes would show; nothing is saved."""

    def do() -> BriefPreview:
        talk = services.conversations.find(who.name, id)
        wishes, results = preview_changes(talk.opened, talk.conversation, body.changes)
        told = result_models(results, wishes, talk.opened.catalogue)
        return BriefPreview(results=told, brief=brief_model(wishes))

    return await services.workers.run(do)


@router.post("/conversations/{id}/rollback", response_model=TurnModel, responses=_STREAM)
async def rollback(asked: ReaderTurn, body: ToTurn) -> TurnModel | Response:
    """Back to what an earlier turn showed; nothing is erased, this is a new turn that points at the old one."""

    def do(talk: OpenConversation, _: Watch | None) -> Turn:
        talk.conversation.turn(body.turn)
        return turns.do(talk, [Rollback(body.turn)], f"back to turn {body.turn}", may_edit=False)

    return await asked.answer(body.after, do)


@router.post("/conversations/{id}/undo", response_model=TurnModel, responses=_STREAM)
async def undo(asked: ReaderTurn, steps: StepsBody) -> TurnModel | Response:
    """Take back the last step."""
    return await asked.answer(steps.after, lambda talk, _: turns.step(talk, Undo(steps.steps)))


@router.post("/conversations/{id}/redo", response_model=TurnModel, responses=_STREAM)
async def redo(asked: ReaderTurn, steps: StepsBody) -> TurnModel | Response:
    """Take back an undo."""
    return await asked.answer(steps.after, lambda talk, _: turns.step(talk, Redo(steps.steps)))


@router.post("/conversations/{id}/edit", response_model=TurnModel, responses=_STREAM)
async def edit(asked: WriterTurn, body: EditBody) -> TurnModel | Response:
    """Edit a picture: the result is a new picture, which is in hand then; undo takes it back."""
    lines = turns.read_lines(body.commands)
    if not all(isinstance(line, EditCommand) for line in lines):
        raise BadInputError("Only edits are carried out here.", "Send other commands to …/commands.")
    await asked.services.readers.run(lambda: turns.check_edit_quota(asked.services, asked.who))
    return await asked.answer(body.after, lambda talk, _: turns.edit(talk, body.picture, body.commands))


@router.post("/conversations/{id}/more")
async def more(
    who: HeavyReader,
    services: ServicesDep,
    id: ConversationId,
    turn: Annotated[int, Query(ge=1, le=1_000_000)],
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> ResultList:
    """A part further down in the ranking of a turn, down to 10,000; nothing is saved."""

    def do() -> ResultList:
        talk = services.conversations.find(who.name, id)
        opened, made = talk.opened, ranked_turn(talk.conversation, turn)
        key = f"{id}:{made.number}:{opened.view.state()}"
        shown = talk.conversation.turn(turn).results
        wanted = min(limit, max(0, services.settings.limits.deepest - offset))
        found = services.rankings.page(
            key, shown, lambda depth: rank_again(opened, talk.conversation, made, depth), offset, wanted
        )
        return ResultList(results=result_models(found, made.brief, opened.catalogue))

    return await services.workers.run(do)
