"""One search without a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from visavis.apps.server.library.cards import Card, cards
from visavis.apps.server.library.opened import Opened
from visavis.apps.server.models.collections import Found, SearchBody
from visavis.apps.server.models.common import Result
from visavis.collections.searching import request


def search(opened: Opened, wanted: SearchBody) -> Found:
    """Search by words, by a picture, or by both."""
    collection = opened.collection
    likes = (collection.picture(wanted.like).id,) if wanted.like else ()
    found = collection.search(
        wanted.text,
        wanted.offset + wanted.k,
        like=likes,
        avoid=wanted.without,
        filter=wanted.filter or None,
    )
    part = found.results[wanted.offset :]
    known = cards(collection.catalogue, (result.picture.id for result in part))
    results = [_result(result, known) for result in part]
    return Found(
        results=results, seconds=round(found.seconds, 6), nothing_fits=not found.results, message=found.message
    )


def search_like(opened: Opened, file: Path, k: int = 40) -> list[Result]:
    """Pictures that resemble one that need not be in the collection."""
    found = opened.collection.search(k=k, like=[file]).results
    known = cards(opened.catalogue, (result.picture.id for result in found))
    return [_result(result, known) for result in found]


def _result(result: request.Result, known: Mapping[str, Card]) -> Result:
    card = known[result.picture.id]
    return Result(
        id=card.id,
        score=round(result.score, 6),
        width=card.width,
        height=card.height,
        caption=card.caption,
        edited=card.edited,
    )
