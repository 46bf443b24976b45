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
    """One event; ``data`` becomes JSON on one line."""
    return event_of(name, json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def event_of(name: str, text: str) -> str:
    """One event from JSON that is written already, on one line."""
    return f"event: {name}\ndata: {text}\n\n"


class EventStream(StreamingResponse):
    """A stream of events that no proxy and no cache holds back."""

    media_type = MEDIA_TYPE

    def __init__(self, content: AsyncIterator[str], status_code: int = 200) -> None:
        super().__init__(content, status_code, headers=_HEADERS)


async def alive_until(task: asyncio.Task[Any], ready: asyncio.Queue[str]) -> AsyncIterator[str]:
    """What becomes ready while a task goes on, and signs of life; the task's outcome is not looked at."""
    yield ": working\n\n"
    while True:
        while not ready.empty():
            yield ready.get_nowait()
        if task.done():
            return
        more = asyncio.ensure_future(ready.get())
        try:
            await asyncio.wait({task, more}, timeout=KEEP_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if more.done():
                yield more.result()
            elif not task.done():
                yield KEEP_ALIVE
        finally:
            more.cancel()  # also when whoever listened has gone away
