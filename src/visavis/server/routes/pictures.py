"""Routes of pictures: metadata, image files, previews of edits, search by region."""

from __future__ import annotations

import io
import tempfile
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, BinaryIO
from urllib.parse import quote

from fastapi import APIRouter, File, Query, Request, UploadFile
from fastapi import Path as ApiPath
from fastapi.responses import JSONResponse, Response
from PIL import Image

from visavis.errors import BadInputError, NotFoundError, VisavisError
from visavis.language.commands import Known, Like, Reset
from visavis.pictures.thumbnails import make_thumbnail
from visavis.server.dependencies import HeavyReader, HeavyWriter, Reader, Services, ServicesDep
from visavis.server.errors import NotAllowedError, request_id
from visavis.server.file_answers import file_answer
from visavis.server.models.common import CollectionName, ConversationId, Id, PictureId
from visavis.server.models.conversations import TurnModel
from visavis.server.models.pictures import (
    EditMask,
    EditPreview,
    MaskModel,
    OperationModel,
    PictureModel,
    Region,
    RegionAnswer,
)
from visavis.server.security import Identity
from visavis.server.services import turns
from visavis.server.services.edits import operations
from visavis.server.services.images import (
    MEDIA,
    Format,
    browser_copy,
    browser_file,
    download_file,
    picture_model,
)
from visavis.server.services.rankings import search_like

router = APIRouter(tags=["pictures"])
#: The longest side of a picture with something marked in it.
_MARKED_SIDE = 640
#: For bytes that never change.
FOREVER = "private, max-age=31536000, immutable"
_IMAGE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/*": {}}, "description": "The picture."}}
#: As many as the page asks for at once (web/src/wall/thumbnails.ts).
_MOST = 64
Ids = Annotated[list[Id], Query(alias="id", min_length=1, max_length=_MOST, description="Pictures, each by its id.")]


def image_answer(request: Request, data: bytes, media: str, tag: str, **headers: str) -> Response:
    """Bytes that never change, so that a browser asks once."""
    return _unchanged(request, tag) or Response(data, media_type=media, headers={**_forever(tag), **headers})


def _unchanged(request: Request, tag: str) -> Response | None:
    """The answer to a browser that has it already."""
    return (
        Response(status_code=304, headers=_forever(tag)) if request.headers.get("if-none-match") == f'"{tag}"' else None
    )


def _forever(tag: str) -> dict[str, str]:
    return {"ETag": f'"{tag}"', "Cache-Control": FOREVER}


@router.get("/collections/{collection}/pictures/{id}")
async def read(who: Reader, services: ServicesDep, collection: CollectionName, id: PictureId) -> PictureModel:
    """Everything that is known of a picture."""
    return await services.readers.run(lambda: picture_model(services.collections.open(collection), id))


@router.get("/collections/{collection}/pictures/{id}/thumbnail", responses=_IMAGE, response_class=Response)
async def thumbnail(
    request: Request,
    who: Reader,
    services: ServicesDep,
    collection: CollectionName,
    id: PictureId,
    size: Annotated[int, Query(ge=16, le=1280)] = 320,
) -> Response:
    """A small WebP copy; up to 320 pixels it is there already, larger ones are made."""
    pool = services.readers if size <= 320 else services.workers
    data = await pool.run(lambda: services.thumbnails.get(services.collections.open(collection), id, size))
    return image_answer(request, data, MEDIA["webp"], f"{id}-{max(size, 320)}")


@router.get("/collections/{collection}/pictures/{id}/full", responses=_IMAGE, response_class=Response)
async def full(
    request: Request,
    who: Reader,
    services: ServicesDep,
    collection: CollectionName,
    id: PictureId,
) -> Response:
    """The picture in full size, as its file has it where a browser can show that."""
    tag = f"{id}-full"
    if (known := _unchanged(request, tag)) is not None:
        return known

    async def made() -> tuple[BinaryIO, str, Mapping[str, str]]:
        found = await services.readers.run(lambda: browser_file(services.collections.open(collection), id))
        if found is None:
            services.heavy_requests.take(who.name)
            found = await services.workers.run(lambda: browser_copy(services.collections.open(collection), id))
        return *found, _forever(tag)

    return await file_answer(services, who, made)


@router.get("/collections/{collection}/pictures/{id}/download", responses=_IMAGE, response_class=Response)
async def download(
    who: HeavyReader,
    services: ServicesDep,
    collection: CollectionName,
    id: PictureId,
    wanted: Annotated[Format | None, Query(alias="format", description="That of its own file where none is named.")] = (
        None
    ),
) -> Response:
    """The picture in full size as a file: its own one where it was not edited and no other format is wanted."""

    def do() -> tuple[BinaryIO, str, Mapping[str, str]]:
        file, media, name = download_file(services.collections.open(collection), id, wanted)
        plain = name.encode("ascii", "replace").decode().replace("?", "_")
        attached = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
        return file, media, {"Content-Disposition": attached}

    return await file_answer(services, who, lambda: services.workers.run(do))


@router.get("/editing/operations")
async def list_operations(who: Reader) -> list[OperationModel]:
    """The edits that can be offered, with the commands they stand for."""
    return list(operations())


@router.post("/collections/{collection}/pictures/{id}/preview", responses=_IMAGE, response_class=Response)
async def preview(
    request: Request,
    who: HeavyReader,
    services: ServicesDep,
    collection: CollectionName,
    id: PictureId,
    body: EditPreview,
) -> Response:
    """What edits would make of a picture, as WebP; nothing is stored.

    Answers 422 with a `question` where a thing was not surely found and `confirmed` is false.
    """

    def do() -> tuple[bytes, str, str | None]:
        opened = services.collections.open(collection)
        shown = _shown(services, who, body.conversation)
        picture = opened.bare.picture(id).id
        made = services.previews.make(opened, picture, body.commands, body.size, shown, confirmed=body.confirmed)
        return make_thumbnail(made.image, body.size), "; ".join(map(str, made.applied)), made.question

    data, applied, question = await services.workers.run(do)
    if question:
        problem = {"code": "unsure", "message": question, "remedy": "Send it again with confirmed: true."}
        error = {**problem, "request_id": request_id(request.scope)}
        return JSONResponse({"error": error, "question": question}, 422)
    header = applied.encode("ascii", "replace").decode()
    return Response(data, media_type=MEDIA["webp"], headers={"Cache-Control": "no-store", "X-Visavis-Commands": header})


@router.post("/collections/{collection}/pictures/{id}/mask")
async def mask(
    who: HeavyReader, services: ServicesDep, collection: CollectionName, id: PictureId, body: EditMask
) -> MaskModel:
    """What the last of some edits would touch, or keep, and how sure that is; nothing is stored.

    Clicks and strokes behind the thing correct it: `marked +512,300` adds what is seen at a place (in thousandths of
    the sides), `-512,300` takes it away; `+20:100,80,140,90` is a stroke of a brush, its radius in thousandths of the
    longer side. The same command then goes to the preview and to the edit.
    """

    def do() -> MaskModel:
        opened = services.collections.open(collection)
        shown = _shown(services, who, body.conversation)
        found = services.previews.find(opened, opened.bare.picture(id).id, body.commands, body.size, shown)
        alpha = found.located.mask
        file = io.BytesIO()
        Image.merge("LA", (Image.new("L", alpha.size, 255), alpha)).save(file, "PNG", compress_level=3)
        return MaskModel(
            thing=found.located.phrase,
            confidence=round(found.located.confidence, 3),
            sure=found.sure,
            width=alpha.width,
            height=alpha.height,
            mask=b64encode(file.getvalue()).decode(),
        )

    return await services.workers.run(do)


def _shown(services: Services, who: Identity, conversation: str | None) -> list[str]:
    """The pictures that #1, #2 ... mean in a conversation."""
    if conversation is None:
        return []
    return [result.id for result in services.conversations.find(who.name, conversation).conversation.last.results]


@router.get("/conversations/{id}/turns/{turn}/marked", responses=_IMAGE, response_class=Response)
async def marked(
    request: Request,
    who: HeavyReader,
    services: ServicesDep,
    id: ConversationId,
    turn: Annotated[int, ApiPath(ge=1, le=1_000_000)],
) -> Response:
    """The picture in hand with the thing marked that a waiting edit would touch and that was not surely found."""

    def do() -> bytes:
        talk = services.conversations.find(who.name, id)
        asked = talk.conversation.turn(turn)
        if asked.hand is None or not asked.pending:
            raise NotFoundError(f"No edit waits for an answer in turn {turn}.", "Look at the turn's `pending`.")
        shown = [result.id for result in asked.results]
        made = services.previews.make(
            talk.opened, asked.hand.picture, asked.pending, _MARKED_SIDE, shown, confirmed=False
        )
        return make_thumbnail(made.preview or made.image, _MARKED_SIDE)

    return image_answer(request, await services.workers.run(do), MEDIA["webp"], f"{id}-{turn}-marked")


@router.post("/collections/{collection}/pictures/{id}/region")
async def region(
    who: HeavyReader, services: ServicesDep, collection: CollectionName, id: PictureId, body: Region
) -> RegionAnswer:
    """Search with a part of a picture; as a turn of a conversation, or by itself."""
    left, top, right, bottom = body.box
    if right - left < 0.01 or bottom - top < 0.01:
        raise BadInputError("The box is empty.", "Draw a larger one.")

    def cut() -> bytes:
        image = services.collections.open(collection).bare.open_image(id)
        box = (left * image.width, top * image.height, right * image.width, bottom * image.height)
        part = image.crop((round(box[0]), round(box[1]), max(round(box[2]), 1), max(round(box[3]), 1)))
        file = io.BytesIO()
        part.save(file, "PNG")
        return file.getvalue()

    if body.conversation is None:

        def look() -> RegionAnswer:
            with tempfile.NamedTemporaryFile(suffix=".png") as file:
                file.write(cut())
                file.flush()
                return RegionAnswer(results=search_like(services.collections.open(collection), Path(file.name)))

        return await services.workers.run(look)
    talk_id = body.conversation
    if not who.may("write"):  # the part is kept with the conversation, as a picture of the collection
        raise NotAllowedError("Keeping a part of a picture needs the role 'write'.", "Leave the conversation out.")

    def talk() -> TurnModel:
        found = services.conversations.find(who.name, talk_id)
        if found.opened.name != collection:
            raise BadInputError("The conversation is about another collection.", "Start one about this.")
        part = turns.keep_query_picture(services, who, found, cut(), "region.png")
        like = Like(Known(part.id))
        return turns.make_turn(
            services, who, talk_id, None, lambda t, _: turns.do(t, [like], "search inside the box", may_edit=False)
        )

    return RegionAnswer(turn=await services.workers.run(talk, key=talk_id))


@router.post("/conversations/{id}/picture")
async def search_with_picture(
    who: HeavyWriter,
    services: ServicesDep,
    id: ConversationId,
    file: Annotated[UploadFile, File(description="A picture.")],
) -> TurnModel:
    """Search with a picture that was dropped or pasted; it is kept with the conversation, not shown in searches."""
    limits = services.settings.limits
    data = await file.read(limits.file_bytes + 1)
    name = file.filename or "picture"

    def do() -> TurnModel:
        talk = services.conversations.find(who.name, id)
        picture = turns.keep_query_picture(services, who, talk, data, name)
        commands = [Reset(), Like(Known(picture.id))]
        return turns.make_turn(
            services, who, id, None, lambda t, _: turns.do(t, commands, "search with my picture", may_edit=False)
        )

    return await services.workers.run(do, key=id)


@router.get("/collections/{collection}/thumbnails")
async def thumbnails(
    answer: Response,
    who: Reader,
    services: ServicesDep,
    collection: CollectionName,
    ids: Ids,
) -> dict[str, str]:
    """Small WebP copies (320 pixels) of several pictures: base64 by id, without those that cannot be shown.

    A request costs the browser and the server more than the few kilobytes of a thumbnail do.
    """
    wanted = list(dict.fromkeys(ids))

    def do() -> dict[str, str]:
        opened = services.collections.open(collection)
        found = {}
        for id in wanted:
            try:
                found[id] = b64encode(services.thumbnails.get(opened, id, 320)).decode()
            except VisavisError:
                continue
        return found

    found = await services.readers.run(do)
    # What is missing now may be there later: only a whole answer is kept.
    answer.headers["Cache-Control"] = FOREVER if len(found) == len(wanted) else "no-store"
    return found
