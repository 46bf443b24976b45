"""Content blocks of answers: JSON text, thumbnails as images, originals as resource links."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from contextlib import suppress

from mcp_types import CallToolResult, ContentBlock, ImageContent, ResourceLink, TextContent
from pydantic import BaseModel

from visavis.errors import VisavisError
from visavis.pictures.picture import Picture
from visavis.server.dependencies import Services
from visavis.server.services.collections import OpenCollection
from visavis.server.services.images import MEDIA, browser_media

#: The longest side of a thumbnail that is stored already.
THUMBNAIL = 320
#: Suffixes of original files in the URIs of resources, by media type.
SUFFIXES = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
    "image/gif": "gif",
    "image/avif": "avif",
}


def answer(model: BaseModel, blocks: Sequence[ContentBlock] = ()) -> CallToolResult:
    """The result of a tool: structured content, the same as text for clients without it, then the blocks."""
    text = TextContent(type="text", text=model.model_dump_json(exclude_defaults=True))
    return CallToolResult(content=[text, *blocks], structured_content=model.model_dump(mode="json"))


def image_block(data: bytes, media: str = MEDIA["webp"]) -> ImageContent:
    """Image bytes as a block."""
    return ImageContent(type="image", data=b64encode(data).decode(), mime_type=media)


def picture_blocks(services: Services, opened: OpenCollection, ids: Iterable[str]) -> list[ContentBlock]:
    """The thumbnail of each picture and the link to its original; a picture that cannot be read has none."""
    blocks: list[ContentBlock] = []
    for id in ids:
        with suppress(VisavisError):
            picture = opened.bare.picture(id)
            thumbnail = services.thumbnails.get(opened, picture.id, THUMBNAIL)
            blocks += [image_block(thumbnail), resource_link(opened, picture)]
    return blocks


def resource_link(opened: OpenCollection, picture: Picture) -> ResourceLink:
    """The link to a picture in full size, which the client reads as a resource."""
    media = browser_media(picture)
    return ResourceLink(
        type="resource_link",
        uri=original_uri(opened.name, picture.id, SUFFIXES[media]),
        name=f"{picture.id[:8]}.{SUFFIXES[media]}",
        title=picture.caption or picture.title or None,
        description=f"The picture {picture.id} in full size, {picture.width} x {picture.height} pixels.",
        mime_type=media,
    )


def original_uri(collection: str, picture: str, suffix: str) -> str:
    """The URI of an original; with braces in place of values, the template of such URIs.

    >>> original_uri("demo", "0f3a", "jpg")
    'visavis://pictures/demo/0f3a.jpg'
    """
    return f"visavis://pictures/{collection}/{picture}.{suffix}"
