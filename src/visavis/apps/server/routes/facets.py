"""What pictures can be filtered by."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from visavis.apps.server.library.facets import facets
from visavis.apps.server.models.collections import Facets
from visavis.apps.server.models.common import ID_PATTERN, CollectionName
from visavis.apps.server.security.identity import Reader
from visavis.apps.server.services import Services, services
from visavis.conversation.brief import NOTHING

router = APIRouter(tags=["collections"])
Home = Annotated[Services, Depends(services)]


@router.get("/collections/{collection}/facets")
async def read(
    who: Reader,
    home: Home,
    collection: CollectionName,
    fields: Annotated[str, Query(max_length=1000, description="Only these, with commas between.")] = "",
    conversation: Annotated[
        str | None, Query(pattern=ID_PATTERN, description="Count under the filters of this conversation.")
    ] = None,
) -> Facets:
    """Attributes with the values they have and how many pictures have each; numbers with their range."""

    def do() -> Facets:
        brief = home.talks.find(who.name, conversation).conversation.last.brief if conversation else NOTHING
        wanted = [name.strip() for name in fields.split(",") if name.strip()]
        return Facets(facets=facets(home.library.open(collection), wanted, brief))

    return await home.light.run(do)
