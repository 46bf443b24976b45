"""What a host and its guests say to each other, and where they meet."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path

#: The store's methods a guest may call; anything else is refused.
METHODS = frozenset(
    {
        "upsert", "set_payload", "delete", "query", "recommend", "count", "facets", "vectors", "payloads",
        "scroll", "ids", "index_field", "fields", "optimize", "flush", "info",
    }
)  # fmt: skip
#: Calls whose answer comes in parts.
STREAMS = frozenset({"scroll", "ids"})
#: Calls that take as long as they take; a guest waits for any other only so long.
PATIENT = STREAMS | {"upsert", "index_field", "optimize", "flush"}

FAMILY = "AF_UNIX" if hasattr(socket, "AF_UNIX") else "AF_PIPE"


@dataclass(frozen=True)
class Meeting:
    """Where a host listens, the key that both must know, and who it is."""

    address: str
    key: bytes
    process: int

    @classmethod
    def arrange(cls, file: Path) -> Meeting:
        """Choose an address and a key for a new host; ``file`` is where the guests will look."""
        name = hashlib.blake2b(str(file).encode(errors="surrogateescape"), digest_size=8).hexdigest()
        if FAMILY == "AF_PIPE":
            address = rf"\\.\pipe\visavis-{name}-{os.getpid()}"
        else:
            # Not in the collection's folder: the path of a Unix socket may have only about 100 bytes.
            address = str(_private_folder() / f"{name}-{os.getpid()}.sock")
        return cls(address, secrets.token_bytes(32), os.getpid())

    @classmethod
    def read(cls, file: Path) -> Meeting:
        """Read where the present host listens."""
        content = json.loads(file.read_text())
        return cls(content["address"], bytes.fromhex(content["key"]), content["process"])

    def publish(self, file: Path) -> None:
        """Tell the guests; the file appears whole, and only this user can read it."""
        draft = file.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            json.dump({"address": self.address, "key": self.key.hex(), "process": self.process}, stream)
        draft.replace(file)


def _private_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"visavis-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077 or folder.is_symlink():
        return Path(tempfile.mkdtemp(prefix="visavis-"))  # somebody else was there first: stay away from it
    return folder
