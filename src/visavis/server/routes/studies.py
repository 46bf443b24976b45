"""Routes of studies with people: begin, say, end, take back, export."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from visavis.server.dependencies import Admin, HeavyReader, Reader, Services, ServicesDep
from visavis.server.models.common import ConversationId, ResultModel
from visavis.server.models.conversations import NewStudy, StudyEnd, StudyMessage, StudyModel, StudyTurnModel
from visavis.server.services.studies import TURNS, Study
from visavis.server.services.turns import take_turns
from visavis.server.services.wall import Card, cards

router = APIRouter(tags=["studies"])
_LINES: dict[int | str, dict[str, Any]] = {200: {"content": {"application/x-ndjson": {}}, "description": "The runs."}}


@router.post("/studies", status_code=201)
async def start(who: HeavyReader, services: ServicesDep, body: NewStudy) -> StudyModel:
    """Begin a study: a picture to look for is drawn; nothing is kept without consent."""

    def do() -> StudyModel:
        take_turns(services, who, 1)
        begun = services.studies.start(who.name, body.collection, body.retriever, consent=body.consent)
        return _model(services, begun)

    return await services.workers.run(do)


@router.get("/studies/export", responses=_LINES, response_class=Response)
async def export(
    who: Admin,
    services: ServicesDep,
    collection: Annotated[str, Query(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", description="The collection.")],
) -> Response:
    """All studies about a collection as protocol runs, for ``visavis bench study``; without who took part."""
    lines = await services.readers.run(lambda: services.studies.export(collection))
    headers = {"Content-Disposition": f'attachment; filename="study-{collection}.jsonl"'}
    return Response(lines, media_type="application/x-ndjson", headers=headers)


@router.get("/studies/{id}")
async def read(who: Reader, services: ServicesDep, id: ConversationId) -> StudyModel:
    """A study as far as it went."""
    return await services.readers.run(lambda: _model(services, services.studies.find(who.name, id)))


@router.post("/studies/{id}/messages")
async def say(who: HeavyReader, services: ServicesDep, id: ConversationId, body: StudyMessage) -> StudyModel:
    """Say something; the first five pictures are shown."""

    def do() -> StudyModel:
        take_turns(services, who, 1)
        return _model(services, services.studies.say(who.name, id, body.text))

    return await services.workers.run(do, key=id)


@router.post("/studies/{id}/finish")
async def finish(who: Reader, services: ServicesDep, id: ConversationId, body: StudyEnd) -> StudyModel:
    """End a study: the picture is there, or not."""
    return await services.workers.run(
        lambda: _model(services, services.studies.finish(who.name, id, found=body.found)), key=id
    )


@router.delete("/studies/{id}", status_code=204)
async def withdraw(who: Reader, services: ServicesDep, id: ConversationId) -> Response:
    """Take the consent back: the study and its conversation are forgotten."""
    await services.workers.run(lambda: services.studies.withdraw(who.name, id), key=id)
    return Response(status_code=204)


def _model(services: Services, study: Study) -> StudyModel:
    wanted = {study.target, *(id for turn in study.turns for id, _ in turn.top)}
    known = cards(services.collections.open(study.collection).catalogue, wanted)
    turns = [
        StudyTurnModel(
            said=turn.said,
            reply=turn.reply,
            question=turn.question,
            results=[_result(known[id], score) for id, score in turn.top if id in known],
        )
        for turn in study.turns
    ]
    return StudyModel(
        id=study.id,
        collection=study.collection,
        target=_result(known[study.target], 1.0),
        most=TURNS,
        turns=turns,
        done=study.done,
        found=study.found,
    )


def _result(card: Card, score: float) -> ResultModel:
    """A picture without its caption: the person describes what there is to see."""
    return ResultModel(id=card.id, score=score, width=card.width, height=card.height, edited=card.edited)
