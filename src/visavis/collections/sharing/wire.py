"""The protocol between a host and its clients, and the host's address file."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path

from visavis.files import replacing

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
