"""Parameters that several tools share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

CollectionName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        description="A collection's name; see list_collections.",
        examples=["demo"],
    ),
]
ConversationId = Annotated[
    str, Field(pattern=r"^[0-9a-f]{32}$", description="A conversation, as an earlier answer named it.")
]
PictureId = Annotated[str, Field(pattern=r"^[0-9a-f]{4,32}$", description="A picture's id, or its unique beginning.")]
Thumbnails = Annotated[int, Field(ge=0, le=24, description="How many results come with their thumbnails.")]
