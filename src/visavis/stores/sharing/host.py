"""The process that serves an embedded store to others: its protocol, its address file, its requests."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from typing import Any

from visavis.errors import BadInputError, BusyError, NotFoundError, StorageError, VisavisError
from visavis.files import replacing
from visavis.stores.base import Store
from visavis.types import batches

#: The store's methods a client may call; anything else is refused.
METHODS = frozenset(
    {
        "upsert", "set_payload", "delete", "query", "count", "facets", "vectors", "payloads",
        "scroll", "ids", "index_field", "fields", "optimize", "flush", "info",
    }
)  # fmt: skip
#: Calls with a streamed answer.
STREAMS = frozenset({"scroll", "ids"})
#: Calls without a time-out.
PATIENT = STREAMS | {"upsert", "index_field", "optimize", "flush"}

FAMILY = "AF_UNIX" if hasattr(socket, "AF_UNIX") else "AF_PIPE"
_log = logging.getLogger(__name__)
_KNOWN = (BadInputError, BusyError, NotFoundError, StorageError, VisavisError)
_IDS_AT_ONCE = 10_000
#: How long a closing host waits for calls in progress.
_CLOSE_SECONDS = 30.0
#: Pause after a failed handshake; a host out of file handles would otherwise retry in a busy loop.
_RETRY_SECONDS = 0.05


@dataclass(frozen=True)
class HostAddress:
    """The socket, the shared key and the process of a host."""

    address: str
    key: bytes
    process: int

    @classmethod
    def choose(cls, file: Path) -> HostAddress:
        """Choose a socket and a key for a new host; ``file`` is its address file."""
        name = hashlib.blake2b(str(file).encode(errors="surrogateescape"), digest_size=8).hexdigest()
        if FAMILY == "AF_PIPE":
            address = rf"\\.\pipe\visavis-{name}-{os.getpid()}"
        else:
            # Not in the collection's folder: the path of a Unix socket is limited to about 100 bytes.
            address = str(_private_folder() / f"{name}-{os.getpid()}.sock")
        return cls(address, secrets.token_bytes(32), os.getpid())

    @classmethod
    def read(cls, file: Path) -> HostAddress:
        """Read the address of the current host."""
        content = json.loads(file.read_text())
        return cls(content["address"], bytes.fromhex(content["key"]), content["process"])

    def publish(self, file: Path) -> None:
        """Write the address file, atomically and readable by this user only."""
        content = {"address": self.address, "key": self.key.hex(), "process": self.process}
        with replacing(file, mode=0o600) as stream:
            stream.write(json.dumps(content).encode())


def _private_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"visavis-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077 or folder.is_symlink():
        return Path(tempfile.mkdtemp(prefix="visavis-"))  # another user has taken that name
    return folder


class StoreHost:
    """Listens on a local socket and answers calls to the store, one thread a client."""

    def __init__(self, store: Store, address_file: Path) -> None:
        """Start to listen and publish the address.

        Args:
            store: The shared store; the caller closes it.
            address_file: The file for the address.
        """
        self._store = store
        self._file = address_file
        self._address = HostAddress.choose(address_file)
        with contextlib.suppress(FileNotFoundError):
            Path(self._address.address).unlink()
        self._listener = Listener(self._address.address, FAMILY, backlog=16, authkey=self._address.key)
        self._clients: set[Connection[Any, Any]] = set()
        self._lock = Lock()
        self._idle = Condition()
        self._calls = 0
        self._closing = Event()
        self._address.publish(address_file)
        Thread(target=self._accept, name="visavis-host", daemon=True).start()

    def close(self) -> None:
        """Stop listening and disconnect the clients after their current call."""
        with self._idle:
            self._closing.set()
            self._idle.wait_for(lambda: not self._calls, timeout=_CLOSE_SECONDS)
        with contextlib.suppress(OSError, ValueError):
            if HostAddress.read(self._file) == self._address:
                self._file.unlink()
        self._listener.close()
        with self._lock:
            for client in self._clients:
                client.close()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                client = self._listener.accept()
            except AuthenticationError:
                continue
            except (OSError, EOFError):
                # A client disconnected during the handshake, or no file handle is left.
                if self._closing.wait(_RETRY_SECONDS):
                    return
                continue
            Thread(target=self._serve, args=(client,), name="visavis-guest", daemon=True).start()

    def _serve(self, client: Connection[Any, Any]) -> None:
        with self._lock:
            self._clients.add(client)
        try:
            while not self._closing.is_set():
                method, args, kwargs = client.recv()
                with self._call():
                    self._answer(client, method, args, kwargs)
        except (EOFError, OSError, TypeError, ValueError):
            pass  # the client has disconnected, or this host is closing
        finally:
            with self._lock:
                self._clients.discard(client)
            client.close()

    @contextlib.contextmanager
    def _call(self) -> Iterator[None]:
        """Count a call in progress, so that the store is not closed during it; refuse calls after closing."""
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

    def _answer(self, client: Connection[Any, Any], method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            if method not in METHODS:
                raise BadInputError(f"A shared store has no '{method}'.")  # noqa: TRY301
            result = getattr(self._store, method)(*args, **kwargs)
            if method in STREAMS:
                for batch in batches(result, _IDS_AT_ONCE) if method == "ids" else result:
                    if self._closing.is_set():
                        raise EOFError  # noqa: TRY301
                    client.send(("more", batch))
                result = None
            client.send(("done", result))
        except (EOFError, BrokenPipeError, ConnectionError):
            raise
        except Exception as error:  # the client raises it
            _log.debug("a guest's call to %s failed", method, exc_info=True)
            # Only our own exceptions can be unpickled for sure; any other is sent as its message.
            sent = (
                error if type(error) in _KNOWN else StorageError(f"The process that holds the vectors said: {error!r}.")
            )
            client.send(("error", sent))
