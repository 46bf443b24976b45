"""Serving a store to the other processes of this machine."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from typing import Any

from visavis.collections.batches import batches
from visavis.collections.sharing.wire import FAMILY, METHODS, STREAMS, Meeting
from visavis.errors import BadInputError, BusyError, NotFoundError, StorageError, VisavisError
from visavis.stores.base import Store

_log = logging.getLogger(__name__)
_KNOWN = (BadInputError, BusyError, NotFoundError, StorageError, VisavisError)
_IDS_AT_ONCE = 10_000
#: How long a host that closes waits for the calls under way.
_FAREWELL_SECONDS = 30.0
#: After a greeting that failed; without it, a host out of file handles would do nothing but try.
_BREATH_SECONDS = 0.05


class StoreHost:
    """Listens on a local socket and answers calls to the store, a thread for each guest."""

    def __init__(self, store: Store, meeting_file: Path) -> None:
        """Start to listen and tell the guests where.

        Args:
            store: What is shared; stays owned by the caller.
            meeting_file: Where guests look for the address.
        """
        self._store = store
        self._file = meeting_file
        self._meeting = Meeting.arrange(meeting_file)
        with contextlib.suppress(FileNotFoundError):
            Path(self._meeting.address).unlink()
        self._listener = Listener(self._meeting.address, FAMILY, backlog=16, authkey=self._meeting.key)
        self._guests: set[Connection[Any, Any]] = set()
        self._lock = Lock()
        self._idle = Condition()
        self._calls = 0
        self._closing = Event()
        self._meeting.publish(meeting_file)
        Thread(target=self._accept, name="visavis-host", daemon=True).start()

    def close(self) -> None:
        """Stop listening and send the guests away once their present call is answered."""
        with self._idle:
            self._closing.set()
            self._idle.wait_for(lambda: not self._calls, timeout=_FAREWELL_SECONDS)
        with contextlib.suppress(OSError, ValueError):
            if Meeting.read(self._file) == self._meeting:
                self._file.unlink()
        self._listener.close()
        with self._lock:
            for guest in self._guests:
                guest.close()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                guest = self._listener.accept()
            except AuthenticationError:
                continue
            except (OSError, EOFError):
                # A guest went away in the middle of the greeting, or no file can be opened for one more.
                if self._closing.wait(_BREATH_SECONDS):
                    return
                continue
            Thread(target=self._serve, args=(guest,), name="visavis-guest", daemon=True).start()

    def _serve(self, guest: Connection[Any, Any]) -> None:
        with self._lock:
            self._guests.add(guest)
        try:
            while not self._closing.is_set():
                method, args, kwargs = guest.recv()
                with self._call():
                    self._answer(guest, method, args, kwargs)
        except (EOFError, OSError, TypeError, ValueError):
            pass  # the guest, or this host, has gone
        finally:
            with self._lock:
                self._guests.discard(guest)
            guest.close()

    @contextlib.contextmanager
    def _call(self) -> Iterator[None]:
        """Count the calls under way, so that the store is not closed beneath one; none begins after the farewell."""
        with self._idle:
            if self._closing.is_set():
                raise EOFError
            self._calls += 1
        try:
            yield
        finally:
            with self._idle:
                self._calls -= 1
                self._idle.notify_all()

    def _answer(self, guest: Connection[Any, Any], method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            if method not in METHODS:
                raise BadInputError(f"A shared store has no '{method}'.")  # noqa: TRY301
            result = getattr(self._store, method)(*args, **kwargs)
            if method in STREAMS:
                for batch in batches(result, _IDS_AT_ONCE) if method == "ids" else result:
                    if self._closing.is_set():
                        raise EOFError  # noqa: TRY301
                    guest.send(("more", batch))
                result = None
            guest.send(("done", result))
        except (EOFError, BrokenPipeError, ConnectionError):
            raise
        except Exception as error:  # the guest raises it
            _log.debug("a guest's call to %s failed", method, exc_info=True)
            # Only errors of our own are sure to arrive whole; any other is told in its words.
            told = (
                error if type(error) in _KNOWN else StorageError(f"The process that holds the vectors said: {error!r}.")
            )
            guest.send(("error", told))
