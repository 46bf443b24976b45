"""Routes that export a conversation or share it by a link."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response, StreamingResponse

from visavis.errors import NotFoundError
from visavis.server.dependencies import HeavyReader, Services, ServicesDep, Writer
from visavis.server.models.common import ConversationId, PictureId
from visavis.server.models.conversations import Before, ConversationModel, Link, PageLimit
from visavis.server.routes.pictures import image_answer
from visavis.server.services.conversations import PAGE_TURNS
from visavis.server.services.images import MEDIA
from visavis.server.services.rendering import conversation_model, html_page, json_file, page_policy

router = APIRouter(tags=["sharing"])
Token = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{16,64}$", description="The end of a link.")]
_FILES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {}, "text/html": {}}, "description": "The file."}
}
_IMAGE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/webp": {}}, "description": "The picture."}}


@router.get("/conversations/{id}/export", responses=_FILES, response_class=Response)
async def export(
    who: HeavyReader,
    services: ServicesDep,
    id: ConversationId,
    kind: Annotated[Literal["json", "html"], Query(alias="format")] = "json",
) -> Response:
    """A conversation as a file: JSON to take in again, or a page that stands alone, thumbnails inside."""

    def do() -> Response:
        talk, turns = services.conversations.each_turn(who.name, id)
        headers = {"Content-Disposition": f'attachment; filename="conversation-{id[:8]}.{kind}"'}
        if kind == "json":
            return StreamingResponse(json_file(talk, turns), media_type="application/json", headers=headers)
        headers["Content-Security-Policy"] = page_policy()
        return StreamingResponse(html_page(talk, turns), media_type="text/html; charset=utf-8", headers=headers)

    return await services.workers.run(do)


@router.post("/conversations/{id}/share", status_code=201)
async def share(request: Request, who: Writer, services: ServicesDep, id: ConversationId) -> Link:
    """A link with which anybody can read this conversation and see small copies of its pictures."""

    def do() -> str:
        talk = services.conversations.find(who.name, id)
        return services.shares.make(id, talk.opened.name)

    token = await services.readers.run(do)
    return Link(url=f"{str(request.base_url).rstrip('/')}/s/{token}", token=token)


@router.delete("/conversations/{id}/share", status_code=204)
async def unshare(who: Writer, services: ServicesDep, id: ConversationId) -> Response:
    """Take back every link to this conversation."""

    def do() -> None:
        services.conversations.find(who.name, id)
        services.shares.revoke(id)

    await services.readers.run(do)
    return Response(status_code=204)


#: Rows of a comparison that would lead strangers to somebody's door.
_WHERE = frozenset(("latitude", "longitude"))
#: The same in words, as the reply lists them.
_WHERE_TOLD = re.compile(r"\b(?:latitude|longitude): [^;]*(?:; |$)")


def _shared(services: Services, token: str) -> tuple[str, str]:
    """The conversation of a link, and its collection."""
    found = services.shares.find(token)
    if found is None:
        raise NotFoundError("This link leads nowhere (any more).", "Ask for a new one.")
    return found


@router.get("/shared/{token}")
async def read(
    services: ServicesDep, token: Token, before: Before = None, limit: PageLimit = PAGE_TURNS
) -> ConversationModel:
    """The conversation that a link leads to, with its latest turns or those before another one.

    Nobody needs to be logged in. Where pictures were taken stays with whoever has the collection.
    """

    def do() -> ConversationModel:
        page = conversation_model(services.conversations.shared_page(*_shared(services, token), before, limit))
        for turn in page.turns:
            if turn.comparison is not None:
                turn.comparison.rows = [row for row in turn.comparison.rows if row.name not in _WHERE]
                turn.reply = _WHERE_TOLD.sub("", turn.reply)
        return page

    return await services.readers.run(do)


@router.get("/shared/{token}/thumbnail/{picture}", responses=_IMAGE, response_class=Response)
async def thumbnail(
    request: Request,
    services: ServicesDep,
    token: Token,
    picture: PictureId,
    size: Annotated[int, Query(ge=320, le=1280, description="The longest side: 320, or 1280 for all above.")] = 320,
) -> Response:
    """A small copy of a picture that the shared conversation shows, or one as large as a screen; of no other."""

    def do() -> bytes:
        opened = services.conversations.shared_picture(*_shared(services, token), picture)
        if opened is None:
            raise NotFoundError("The shared conversation does not show this picture.", "Open its link.")
        return services.thumbnails.get(opened, picture, wanted)

    wanted = 320 if size == 320 else 1280  # two copies at most, however often somebody asks
    pool = services.readers if wanted == 320 else services.workers
    return image_answer(request, await pool.run(do), MEDIA["webp"], f"{picture}-{wanted}")
