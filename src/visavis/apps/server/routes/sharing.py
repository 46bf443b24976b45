"""Conversations for others: exported as files, shared by a link."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse, Response

from visavis.apps.server.library.pictures import MEDIA
from visavis.apps.server.models.common import ConversationId, PictureId
from visavis.apps.server.models.conversations import ConversationModel, Link
from visavis.apps.server.routes.pictures import image_answer
from visavis.apps.server.security.identity import Reader, Writer, address_of
from visavis.apps.server.services import Services, services
from visavis.apps.server.talking.page import page, page_policy
from visavis.apps.server.talking.talks import Talk
from visavis.apps.server.talking.telling import conversation_model
from visavis.conversation.exporting import export_conversation
from visavis.errors import NotFoundError

router = APIRouter(tags=["sharing"])
Home = Annotated[Services, Depends(services)]
Token = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{16,64}$", description="The end of a link.")]
_FILES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {}, "text/html": {}}, "description": "The file."}
}
_IMAGE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/webp": {}}, "description": "The picture."}}


@router.get("/conversations/{id}/export", responses=_FILES, response_class=Response)
async def export(
    who: Reader,
    home: Home,
    id: ConversationId,
    kind: Annotated[Literal["json", "html"], Query(alias="format")] = "json",
) -> Response:
    """A conversation as a file: JSON to take in again, or a page that stands alone, thumbnails inside."""

    def do() -> Response:
        talk = home.talks.find(who.name, id)
        headers = {"Content-Disposition": f'attachment; filename="conversation-{id[:8]}.{kind}"'}
        if kind == "json":
            told = export_conversation(talk.conversation, talk.opened.name) | {"name": talk.name}
            return JSONResponse(told, headers=headers)
        headers["Content-Security-Policy"] = page_policy()
        return Response(page(talk), media_type="text/html; charset=utf-8", headers=headers)

    return await home.work.run(do)


@router.post("/conversations/{id}/share", status_code=201)
async def share(request: Request, who: Writer, home: Home, id: ConversationId) -> Link:
    """A link with which anybody can read this conversation and see small copies of its pictures."""

    def do() -> str:
        talk = home.talks.find(who.name, id)
        return home.shares.make(id, talk.opened.name)

    token = await home.light.run(do)
    return Link(url=f"{str(request.base_url).rstrip('/')}/s/{token}", token=token)


@router.delete("/conversations/{id}/share", status_code=204)
async def unshare(who: Writer, home: Home, id: ConversationId) -> Response:
    """Take back every link to this conversation."""

    def do() -> None:
        home.talks.find(who.name, id)
        home.shares.revoke(id)

    await home.light.run(do)
    return Response(status_code=204)


def _shared(home: Services, token: str) -> Talk:
    found = home.shares.find(token)
    if found is None:
        raise NotFoundError("This link leads nowhere (any more).", "Ask for a new one.")
    return home.talks.shared(*found)


@router.get("/shared/{token}")
async def read(request: Request, home: Home, token: Token) -> ConversationModel:
    """The conversation that a link leads to; nobody needs to be logged in."""
    home.visitors.take(address_of(request))
    return await home.light.run(lambda: conversation_model(_shared(home, token)))


@router.get("/shared/{token}/thumbnail/{picture}", responses=_IMAGE, response_class=Response)
async def thumbnail(request: Request, home: Home, token: Token, picture: PictureId) -> Response:
    """A small copy of a picture that the shared conversation shows; of no other."""
    home.visitors.take(address_of(request))

    def do() -> bytes:
        talk = _shared(home, token)
        if picture not in _pictures(talk):
            raise NotFoundError("The shared conversation does not show this picture.", "Open its link.")
        return home.copies.get(talk.opened, picture, 320)

    return image_answer(request, await home.light.run(do), MEDIA["webp"], f"{picture}-320")


def _pictures(talk: Talk) -> set[str]:
    """Every picture that a conversation shows."""
    shown: set[str] = set()
    for turn in talk.conversation.turns:
        shown.update(result.id for result in turn.results)
        shown.update(wish.picture for wish in turn.brief if wish.picture)
        if turn.hand is not None:
            shown.update((turn.hand.picture, turn.hand.source))
    return shown
