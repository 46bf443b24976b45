"""Going on with a conversation: messages, clicks, changes of wishes, steps back and forth, edits."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from visavis.apps.server.answers import request_id
from visavis.apps.server.events import MEDIA_TYPE, EventStream
from visavis.apps.server.models.common import CollectionName, ConversationId
from visavis.apps.server.models.conversations import (
    Changes,
    Commands,
    ConversationModel,
    Edit,
    Message,
    Preview,
    PreviewedChanges,
    Results,
    Steps,
    ToTurn,
    TurnModel,
)
from visavis.apps.server.security.errors import TooSlowError
from visavis.apps.server.security.identity import Identity, Maker, Talker
from visavis.apps.server.services import Services, services
from visavis.apps.server.talking import continuing
from visavis.apps.server.talking.looking import further, ranked_turn, with_changes
from visavis.apps.server.talking.streaming import TurnStream
from visavis.apps.server.talking.talks import Talk
from visavis.apps.server.talking.telling import brief_model, conversation_model, result_models
from visavis.assistant.interfaces import Watch
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError, VisavisError
from visavis.language.commands import Edit as EditCommand
from visavis.language.commands import Redo, Rollback, Undo

router = APIRouter(tags=["turns"])
Home = Annotated[Services, Depends(services)]
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The turn; as a stream of events where `Accept: text/event-stream` asks for it.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}, "example": 'event: turn\ndata: {"number":1}\n\n'}},
    }
}


async def _answer(
    request: Request, home: Services, who: Identity, id: str, after: int | None, do: continuing.Do
) -> TurnModel | Response:
    """One turn as JSON, or as events: results first, then the reasons, then the question.

    Results and reasons come as soon as they are saved, before the question is looked for; the turn is finished whether
    or not anybody still listens.
    """
    if MEDIA_TYPE not in request.headers.get("accept", ""):
        return await home.work.run(lambda: continuing.go_on(home, who, id, after, do), key=id)
    told = TurnStream(request_id(request.scope))
    task = home.work.start(lambda: continuing.go_on(home, who, id, after, do, told), key=id)
    await told.begun(task)
    return EventStream(told.events(task))


@router.post("/conversations/{id}/messages", response_model=TurnModel, responses=_STREAM)
async def message(request: Request, who: Talker, home: Home, id: ConversationId, body: Message) -> TurnModel | Response:
    """Say something. Answers with the turn, or streams it (`Accept: text/event-stream`).

    Events: `turn`, `results` (without reasons), `reasons`, then `question` and `done` with the whole of it; or `error`.
    What they tell is saved before it is told.
    """

    def do(talk: Talk, watch: Watch | None) -> Turn:
        edits = continuing.may_edit(home, who)
        return continuing.say(talk, body.text, watch, picture=body.picture, columns=body.columns, edits=edits)

    return await _answer(request, home, who, id, body.after, do)


@router.post(
    "/collections/{collection}/messages",
    status_code=201,
    response_model=ConversationModel,
    responses={201: {**_STREAM[200], "description": "The conversation with its first turn, or that turn as events."}},
)
async def first_message(
    request: Request, answer: Response, who: Talker, home: Home, collection: CollectionName, body: Message
) -> ConversationModel | Response:
    """Say something in a new conversation; the header `Location` tells where it goes on.

    Answers with the conversation and its first turn, or streams the turn as `messages` of a conversation does.
    """
    begun = await home.light.run(lambda: home.talks.start(who.name, collection))
    id = begun.conversation.id
    place = {"Location": f"/api/v1/conversations/{id}"}
    try:
        made = await message(request, who, home, id, body)
    except VisavisError as error:
        if not isinstance(error, TooSlowError):  # whose work goes on; otherwise nothing was said in it
            await home.light.run(lambda: home.talks.delete(who.name, id, edits=False))
        raise
    if isinstance(made, Response):
        made.headers.update(place)
        made.status_code = 201
        return made
    answer.headers.update(place)
    return await home.light.run(lambda: conversation_model(home.talks.find(who.name, id)))


@router.post("/conversations/{id}/commands", response_model=TurnModel, responses=_STREAM)
async def commands(
    request: Request, who: Talker, home: Home, id: ConversationId, body: Commands
) -> TurnModel | Response:
    """Do something without words: commands in their text form, or a click on a picture."""
    if bool(body.commands) == bool(body.point):
        raise BadInputError("There is nothing to do, or twice.", "Give either commands or a point.")
    lines = continuing.read_lines(body.commands)

    def do(talk: Talk, watch: Watch | None) -> Turn:
        wanted, said = continuing.pointed(talk, body.point) if body.point else (lines, "; ".join(map(str, lines)))
        edits = continuing.may_edit(home, who)
        return continuing.do(talk, wanted, body.message or said, watch, edits=edits)

    return await _answer(request, home, who, id, body.after, do)


@router.post("/conversations/{id}/brief", response_model=TurnModel, responses=_STREAM)
async def brief(request: Request, who: Talker, home: Home, id: ConversationId, body: Changes) -> TurnModel | Response:
    """Change wishes without words: `off 1.1`, `on 1.1`, `weight 1.1 2`, `pin 1.1`, `unpin 1.1`, `remove 1.1`."""

    def do(talk: Talk, watch: Watch | None) -> Turn:
        return talk.opened.assistant().revise(talk.conversation, *body.changes)

    return await _answer(request, home, who, id, body.after, do)


@router.post("/conversations/{id}/brief/preview")
async def preview(who: Talker, home: Home, id: ConversationId, body: PreviewedChanges) -> Preview:
    """What changes of wishes would show; nothing is saved."""

    def do() -> Preview:
        talk = home.talks.find(who.name, id)
        wishes, results = with_changes(talk.opened, talk.conversation, body.changes)
        told = result_models(results, wishes, talk.opened.catalogue)
        return Preview(results=told, brief=brief_model(wishes))

    return await home.work.run(do)


@router.post("/conversations/{id}/rollback", response_model=TurnModel, responses=_STREAM)
async def rollback(request: Request, who: Talker, home: Home, id: ConversationId, body: ToTurn) -> TurnModel | Response:
    """Back to what an earlier turn showed; nothing is erased, this is a new turn that points at the old one."""

    def do(talk: Talk, _: Watch | None) -> Turn:
        talk.conversation.turn(body.turn)
        return continuing.do(talk, [Rollback(body.turn)], f"back to turn {body.turn}", edits=False)

    return await _answer(request, home, who, id, body.after, do)


@router.post("/conversations/{id}/undo", response_model=TurnModel, responses=_STREAM)
async def undo(
    request: Request, who: Talker, home: Home, id: ConversationId, body: Steps | None = None
) -> TurnModel | Response:
    """Take back the last step."""
    wanted = body or Steps()

    def do(talk: Talk, _: Watch | None) -> Turn:
        talk.conversation.undone(wanted.steps)
        return continuing.do(talk, [Undo(wanted.steps)], "undo", edits=False)

    return await _answer(request, home, who, id, wanted.after, do)


@router.post("/conversations/{id}/redo", response_model=TurnModel, responses=_STREAM)
async def redo(
    request: Request, who: Talker, home: Home, id: ConversationId, body: Steps | None = None
) -> TurnModel | Response:
    """Take back an undo."""
    wanted = body or Steps()

    def do(talk: Talk, _: Watch | None) -> Turn:
        talk.conversation.redone(wanted.steps)
        return continuing.do(talk, [Redo(wanted.steps)], "redo", edits=False)

    return await _answer(request, home, who, id, wanted.after, do)


@router.post("/conversations/{id}/edit", response_model=TurnModel, responses=_STREAM)
async def edit(request: Request, who: Maker, home: Home, id: ConversationId, body: Edit) -> TurnModel | Response:
    """Edit a picture: the result is a new picture, which is in hand then; undo takes it back."""
    lines = continuing.read_lines(body.commands)
    if not all(isinstance(line, EditCommand) for line in lines):
        raise BadInputError("Only edits are carried out here.", "Send other commands to …/commands.")
    if home.settings.mode != "local":
        await home.light.run(lambda: home.usage.check(who.name, "edits", 1, home.settings.limits.edits_a_day))
    return await _answer(
        request, home, who, id, body.after, lambda talk, _: continuing.edit(talk, body.picture, body.commands)
    )


@router.post("/conversations/{id}/more")
async def more(
    who: Talker,
    home: Home,
    id: ConversationId,
    turn: Annotated[int, Query(ge=1, le=1_000_000)],
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Results:
    """A part further down in the ranking of a turn, down to 10,000; nothing is saved."""

    def do() -> Results:
        talk = home.talks.find(who.name, id)
        opened, made = talk.opened, ranked_turn(talk.conversation, turn)
        key = f"{id}:{made.number}:{opened.surroundings.state()}"
        shown = talk.conversation.turn(turn).results
        wanted = min(limit, max(0, home.settings.limits.deepest - offset))
        found = home.depths.part(
            key, shown, lambda depth: further(opened, talk.conversation, made, depth), offset, wanted
        )
        return Results(results=result_models(found, made.brief, opened.catalogue))

    return await home.work.run(do)
