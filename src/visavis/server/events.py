"""Server-sent events: their format, keep-alive, and the stream of one turn."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from visavis.conversation.turns import Turn
from visavis.errors import VisavisError
from visavis.server.errors import TooMuchError, error_body
from visavis.server.models.common import ResultModel
from visavis.server.models.conversations import TurnModel
from visavis.server.services.rendering import TurnRenderer
from visavis.server.settings import LOGGER

MEDIA_TYPE = "text/event-stream"
#: Seconds of silence after which a comment keeps the connection alive.
KEEP_ALIVE_SECONDS = 10.0
KEEP_ALIVE = ": still here\n\n"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_log = logging.getLogger(LOGGER)


def event(name: str, data: Any) -> str:
    """One event; ``data`` becomes JSON on one line."""
    return event_of(name, json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def event_of(name: str, text: str) -> str:
    """One event from JSON text, on one line."""
    return f"event: {name}\ndata: {text}\n\n"


class ClosingResponse(StreamingResponse):
    """A streamed response that tells when it has ended."""

    #: Called when the response has ended.
    on_end: Callable[[], None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the content, then tell that it has ended, also where the client never read a byte of it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self.on_end is not None:
                self.on_end()


class EventStream(ClosingResponse):
    """A response of events that no proxy buffers and no cache stores."""

    media_type = MEDIA_TYPE

    def __init__(
        self, content: AsyncIterator[str], status_code: int = 200, on_end: Callable[[], None] | None = None
    ) -> None:
        super().__init__(content, status_code, headers=_HEADERS)
        self.on_end = on_end


class StreamCounter:
    """Counts the open streams of each user.

    Args:
        most: How many one user may have.
        what: What one that has so many is told.
    """

    def __init__(self, most: int, what: str) -> None:
        self._most = most
        self._what = what
        self._open: Counter[str] = Counter()

    def open(self, user: str) -> Callable[[], None]:
        """Count one more stream; returns what is called at its end.

        Raises:
            TooMuchError: The user has too many.
        """
        if self._open[user] >= self._most:
            raise TooMuchError(f"{self._what} ({self._most}).", "Close some pages, or wait for the others first.", 10)
        self._open[user] += 1
        return partial(self._close, user)

    def _close(self, user: str) -> None:
        self._open[user] -= 1
        if not self._open[user]:
            del self._open[user]


async def events_until(task: asyncio.Task[Any], ready: asyncio.Queue[str]) -> AsyncIterator[str]:
    """The queued events until a task is done, with keep-alive comments; the task's result is not read."""
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
            more.cancel()  # also when the client has disconnected


class TurnStream:
    """Streams a turn as events while a thread makes it.

    Results and reasons are sent before the question is known; the turn is saved and finished whether or not the client
    is still connected. Create it in the event loop that reads the events.

    Args:
        request_id: The id of the request, for errors.
    """

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Queue[str] = asyncio.Queue()
        self._sent: set[str] = set()
        self._acceptance: asyncio.Future[None] = self._loop.create_future()

    def accept(self) -> None:
        """Report that the turn was not refused; called in the thread that makes it."""
        self._in_loop(self._accept)

    async def accepted(self, task: asyncio.Task[TurnModel]) -> None:
        """Wait until the turn is accepted; a refusal is raised here, so that it has an HTTP status of its own."""
        waited_for: set[asyncio.Future[Any]] = {task, self._acceptance}
        await asyncio.wait(waited_for, timeout=KEEP_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if task.done() and not self._acceptance.done():
            task.result()

    def send(self, renderer: TurnRenderer, turn: Turn) -> None:
        """Send a turn that is saved but has no question yet; called in the thread that makes it."""
        found = renderer.results(turn.results, turn.brief)
        self._put("turn", _turn_event(turn.number, turn.message, map(str, turn.commands)))
        self._put("results", _results_event(found))
        self._put("reasons", _reasons_event(found))

    async def events(self, task: asyncio.Task[TurnModel]) -> AsyncIterator[str]:
        """All events, until the task is done."""
        async for text in events_until(task, self._ready):
            yield text
        try:
            turn = task.result()
        except VisavisError as error:
            yield event("error", error_body(error, self._request_id))
            return
        except Exception as error:  # the response has started, so the error is an event
            _log.error("a turn failed", exc_info=error, extra={"request_id": self._request_id})
            wrong = VisavisError("Something went wrong here.", "Tell the administrator the request id.")
            yield event("error", error_body(wrong, self._request_id))
            return
        if "results" not in self._sent:
            yield event("turn", _turn_event(turn.number, turn.message, turn.commands))
            yield event("results", _results_event(turn.results))
            yield event("reasons", _reasons_event(turn.results))
        yield event("question", {"question": turn.question.model_dump(mode="json") if turn.question else None})
        yield event_of("done", f'{{"turn":{turn.model_dump_json()}}}')

    def _put(self, name: str, data: object) -> None:
        self._sent.add(name)
        self._in_loop(self._ready.put_nowait, event(name, data))

    def _accept(self) -> None:
        if not self._acceptance.done():
            self._acceptance.set_result(None)

    def _in_loop(self, do: Callable[..., object], *args: object) -> None:
        with suppress(RuntimeError):  # the server has shut down: the turn is finished all the same
            self._loop.call_soon_threadsafe(do, *args)


def _turn_event(number: int, message: str, commands: Iterable[str]) -> dict[str, Any]:
    return {"number": number, "message": message, "commands": list(commands)}


def _results_event(found: Sequence[ResultModel]) -> dict[str, Any]:
    """The results without their reasons, which are an event of their own."""
    return {"results": [{**one.model_dump(mode="json"), "because": []} for one in found], "total_known": len(found)}


def _reasons_event(found: Sequence[ResultModel]) -> dict[str, Any]:
    return {"because": {one.id: [reason.model_dump(mode="json") for reason in one.because] for one in found}}
