"""A turn as events, told as far as it is there: results, then reasons, then the question, then the whole."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from visavis.apps.server.answers import error_body
from visavis.apps.server.events import KEEP_ALIVE_SECONDS, alive_until, event, event_of
from visavis.apps.server.models.common import Result
from visavis.apps.server.models.conversations import TurnModel
from visavis.apps.server.observing.logs import LOGGER
from visavis.apps.server.talking.telling import Teller
from visavis.conversation.turns import Turn
from visavis.errors import VisavisError

_log = logging.getLogger(LOGGER)


class TurnStream:
    """Passes what a thread knows of a turn in the making on to whoever listens.

    Results and reasons are a look ahead: the turn is saved before the question is told, and whether or not anybody
    still listens. Make it in the loop that the events are read in.

    Args:
        request_id: Names the request in errors.
    """

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Queue[str] = asyncio.Queue()
        self._told: set[str] = set()
        self._accepted: asyncio.Future[None] = self._loop.create_future()

    def accept(self) -> None:
        """Nothing stands against the turn; called in the thread that makes it."""
        self._in_loop(self._accept)

    async def begun(self, task: asyncio.Task[TurnModel]) -> None:
        """Until the turn is accepted; what is refused is raised here, so that it has a status of its own."""
        waited_for: set[asyncio.Future[Any]] = {task, self._accepted}
        await asyncio.wait(waited_for, timeout=KEEP_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if task.done() and not self._accepted.done():
            task.result()

    def see(self, teller: Teller, turn: Turn) -> None:
        """Tell of a turn that is saved but has no question yet; called in the thread that makes it."""
        found = teller.results(turn.results, turn.brief)
        self._put("turn", _begun(turn.number, turn.message, map(str, turn.commands)))
        self._put("results", _results(found))
        self._put("reasons", _reasons(found))

    async def events(self, task: asyncio.Task[TurnModel]) -> AsyncIterator[str]:
        """Everything that there is to tell, until the task is done and all of it is told."""
        async for told in alive_until(task, self._ready):
            yield told
        try:
            turn = task.result()
        except VisavisError as error:
            yield event("error", error_body(error, self._request_id))
            return
        except Exception as error:  # the stream has begun: the error is one more event in it
            _log.error("a turn failed", exc_info=error, extra={"request_id": self._request_id})
            wrong = VisavisError("Something went wrong here.", "Tell the administrator the request id.")
            yield event("error", error_body(wrong, self._request_id))
            return
        if "results" not in self._told:
            yield event("turn", _begun(turn.number, turn.message, turn.commands))
            yield event("results", _results(turn.results))
            yield event("reasons", _reasons(turn.results))
        yield event("question", {"question": turn.question.model_dump(mode="json") if turn.question else None})
        yield event_of("done", f'{{"turn":{turn.model_dump_json()}}}')

    def _put(self, name: str, data: object) -> None:
        self._told.add(name)
        self._in_loop(self._ready.put_nowait, event(name, data))

    def _accept(self) -> None:
        if not self._accepted.done():
            self._accepted.set_result(None)

    def _in_loop(self, do: Callable[..., object], *args: object) -> None:
        with suppress(RuntimeError):  # the server has gone down: nobody listens, the turn is finished all the same
            self._loop.call_soon_threadsafe(do, *args)


def _begun(number: int, message: str, commands: Iterable[str]) -> dict[str, Any]:
    return {"number": number, "message": message, "commands": list(commands)}


def _results(found: Sequence[Result]) -> dict[str, Any]:
    """Without reasons: those are told by themselves."""
    return {"results": [{**one.model_dump(mode="json"), "because": []} for one in found], "total_known": len(found)}


def _reasons(found: Sequence[Result]) -> dict[str, Any]:
    return {"because": {one.id: [reason.model_dump(mode="json") for reason in one.because] for one in found}}
