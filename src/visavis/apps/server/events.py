"""Server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi.responses import StreamingResponse

MEDIA_TYPE = "text/event-stream"
#: How often a silent stream shows that it is alive.
KEEP_ALIVE_SECONDS = 10.0
KEEP_ALIVE = ": still here\n\n"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def event(name: str, data: Any) -> str:
    """One event; ``data`` is JSON on one line."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"


class EventStream(StreamingResponse):
    """A stream of events that no proxy and no cache holds back."""

    media_type = MEDIA_TYPE

    def __init__(self, content: AsyncIterator[str], status_code: int = 200) -> None:
        super().__init__(content, status_code, headers=_HEADERS)


async def alive_until(task: asyncio.Task[Any]) -> AsyncIterator[str]:
    """Signs of life until a task is done; its outcome is not looked at."""
    yield ": working\n\n"
    while not task.done():
        await asyncio.wait({task}, timeout=KEEP_ALIVE_SECONDS)
        if not task.done():
            yield KEEP_ALIVE
