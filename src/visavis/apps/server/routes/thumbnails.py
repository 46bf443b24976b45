"""Many small copies in one answer, for a wall that is scrolled through."""

from __future__ import annotations

from base64 import b64encode
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from visavis.apps.server.models.common import CollectionName, Id
from visavis.apps.server.routes.pictures import FOREVER
from visavis.apps.server.security.identity import Reader
from visavis.apps.server.services import Services, services
from visavis.errors import VisavisError

router = APIRouter(tags=["pictures"])
#: As many as the page asks for at once (web/src/wall/thumbnails.ts).
_MOST = 64
Ids = Annotated[list[Id], Query(alias="id", min_length=1, max_length=_MOST, description="Pictures, each by its id.")]


@router.get("/collections/{collection}/thumbnails")
async def thumbnails(
    answer: Response,
    who: Reader,
    home: Annotated[Services, Depends(services)],
    collection: CollectionName,
    ids: Ids,
) -> dict[str, str]:
    """Small WebP copies (320 pixels) of several pictures: base64 by id, without those that cannot be shown.

    A request costs the browser and the server more than the few kilobytes of a thumbnail do.
    """
    wanted = list(dict.fromkeys(ids))

    def do() -> dict[str, str]:
        opened = home.library.open(collection)
        found = {}
        for id in wanted:
            try:
                found[id] = b64encode(home.copies.get(opened, id, 320)).decode()
            except VisavisError:
                continue
        return found

    found = await home.light.run(do)
    # What is missing now may be there later: only a whole answer is kept.
    answer.headers["Cache-Control"] = FOREVER if len(found) == len(wanted) else "no-store"
    return found
