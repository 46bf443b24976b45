"""The address of a collection on a Qdrant server: ``qdrant://host:port/collection?shards=6&replicas=2``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from urllib.parse import parse_qsl, urlsplit

from visavis.errors import BadInputError
from visavis.stores.options import ServerOptions

SCHEMES = ("qdrant", "qdrants")
API_KEY_VARIABLE = "VISAVIS_QDRANT_API_KEY"
_DEFAULT_PORT = 6333
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}")
_EXAMPLE = "Write it like qdrant://localhost:6333/holidays, or qdrants://… for an encrypted connection."


@dataclass(frozen=True)
class ServerAddress:
    """A server, a collection on it, and its options."""

    host: str
    collection: str
    port: int = _DEFAULT_PORT
    encrypted: bool = False
    options: ServerOptions = field(default_factory=ServerOptions)

    @property
    def url(self) -> str:
        """The server's URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.encrypted else 'http'}://{host}:{self.port}"

    def __str__(self) -> str:
        return f"{'qdrants' if self.encrypted else 'qdrant'}://{self.host}:{self.port}/{self.collection}"


def parse_address(text: str) -> ServerAddress:
    """Parse an address.

    Raises:
        BadInputError: It is invalid; the message says what is missing.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise BadInputError(f"'{text}' is no address of a Qdrant server: {error}.", _EXAMPLE) from error
    if parts.username or parts.password:
        raise BadInputError(
            "The address of a Qdrant server holds a key, and addresses are written to logs.",
            f"Put the key in the variable {API_KEY_VARIABLE} instead.",
        )
    collection = parts.path.strip("/")
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise BadInputError(f"'{text}' is no address of a Qdrant server.", _EXAMPLE)
    if not _NAME.fullmatch(collection):
        raise BadInputError(f"'{text}' names no collection on the server.", _EXAMPLE)
    return ServerAddress(
        parts.hostname,
        collection,
        _DEFAULT_PORT if port is None else port,
        parts.scheme == "qdrants",
        _options(parts.query),
    )


def _options(query: str) -> ServerOptions:
    kinds = {each.name: float if each.name == "timeout" else int for each in fields(ServerOptions)}
    chosen: dict[str, int | float] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in kinds:
            raise BadInputError(f"A Qdrant address has no option '{name}'.", f"Known are: {', '.join(kinds)}.")
        try:
            chosen[name] = kinds[name](value)
        except ValueError as error:
            raise BadInputError(f"The option {name} of a Qdrant address must be a number, not '{value}'.") from error
    return ServerOptions(**chosen)  # type: ignore[arg-type]  # integers except for the time-out
