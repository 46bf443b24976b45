"""Stores by their address: a folder, or a collection on a server.

``qdrant://host:port/collection?shards=6&replicas=2`` is a collection on a Qdrant server,
``postgresql://user@host/database?collection=holidays`` one in PostgreSQL.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from visavis.errors import BadInputError
from visavis.home import expand_user
from visavis.stores.base import ServerOptions, Store, StoreOptions

QDRANT_SCHEMES = ("qdrant", "qdrants")
API_KEY_VARIABLE = "VISAVIS_QDRANT_API_KEY"
_DEFAULT_PORT = 6333
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}")
_QDRANT_EXAMPLE = "Write it like qdrant://localhost:6333/holidays, or qdrants://… for an encrypted connection."
POSTGRES_SCHEMES = ("postgresql", "postgres")
_POSTGRES_EXAMPLE = "Write it like postgresql://user@localhost/pictures?collection=holidays"
#: An identifier has 63 bytes; the prefix and a part of a hash need some of them.
_LONGEST_NAME = 36


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
        raise BadInputError(f"'{text}' is no address of a Qdrant server: {error}.", _QDRANT_EXAMPLE) from error
    if parts.username or parts.password:
        raise BadInputError(
            "The address of a Qdrant server holds a key, and addresses are written to logs.",
            f"Put the key in the variable {API_KEY_VARIABLE} instead.",
        )
    collection = parts.path.strip("/")
    if parts.scheme not in QDRANT_SCHEMES or not parts.hostname:
        raise BadInputError(f"'{text}' is no address of a Qdrant server.", _QDRANT_EXAMPLE)
    if not _NAME.fullmatch(collection):
        raise BadInputError(f"'{text}' names no collection on the server.", _QDRANT_EXAMPLE)
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


@dataclass(frozen=True)
class PostgresAddress:
    """A database, the collection whose vectors it keeps, and how often a request is tried when the server is away."""

    url: URL
    collection: str
    attempts: int = 8

    @property
    def schema(self) -> str:
        """The schema of the collection's tables; no two collections share one."""
        plain = re.sub(r"[^a-z0-9_]", "_", self.collection.lower())[:_LONGEST_NAME]
        if plain != self.collection:
            plain = f"{plain}_{hashlib.blake2b(self.collection.encode(), digest_size=4).hexdigest()}"
        return f"visavis_vectors_{plain}"

    def __str__(self) -> str:
        return f"{self.url.render_as_string()} ({self.collection})"


def parse_postgres_address(text: str) -> PostgresAddress:
    """Parse an address.

    Raises:
        BadInputError: It is invalid, or names no collection.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise BadInputError("The address of the PostgreSQL store cannot be read.", _POSTGRES_EXAMPLE) from error
    collection = url.query.get("collection", "")
    if url.get_backend_name() not in POSTGRES_SCHEMES or not url.database:
        raise BadInputError(f"'{url.render_as_string()}' names no PostgreSQL database.", _POSTGRES_EXAMPLE)
    if not isinstance(collection, str) or not collection:
        raise BadInputError(f"'{url.render_as_string()}' names no collection.", _POSTGRES_EXAMPLE)
    attempts = str(url.query.get("attempts", PostgresAddress.attempts))
    if not attempts.isdigit() or int(attempts) < 1:
        raise BadInputError(f"The option attempts must be a number from 1, not '{attempts}'.", _POSTGRES_EXAMPLE)
    plain = url.difference_update_query(["collection", "attempts"]).set(drivername="postgresql+psycopg")
    return PostgresAddress(plain, collection, int(attempts))


def is_server_address(where: Path | str) -> bool:
    """Return whether it is a server's address rather than a folder."""
    return has_scheme(where, QDRANT_SCHEMES) or has_scheme(where, POSTGRES_SCHEMES)


def has_scheme(where: Path | str, schemes: tuple[str, ...]) -> bool:
    """Return whether it is an address with one of these schemes."""
    scheme, separator, _ = str(where).partition("://")
    return bool(separator) and scheme in schemes


def with_collection(address: str, name: str) -> str:
    """Add the name of a collection to a server's address that has none.

    >>> with_collection("qdrant://localhost:6333?replicas=2", "photos")
    'qdrant://localhost:6333/photos?replicas=2'
    >>> with_collection("postgresql://anna@db/pictures", "photos")
    'postgresql://anna@db/pictures?collection=photos'
    """
    if has_scheme(address, POSTGRES_SCHEMES):
        return _with_postgres_collection(address, name)
    server, _, options = address.partition("?")
    if server.rstrip("/").count("/") == 2:
        server = f"{server.rstrip('/')}/{name}"
    return f"{server}?{options}" if options else server


def _with_postgres_collection(address: str, name: str) -> str:
    if re.search(r"[?&]collection=", address):
        return address
    return f"{address}{'&' if '?' in address else '?'}collection={name}"


def open_store(
    where: Path | str,
    *,
    dimension: int | None = None,
    options: StoreOptions | None = None,
    api_key: str | None = None,
    wait: float = 0.0,
) -> Store:
    """Open a store, or create it when there is none and the dimension is given.

    Args:
        where: A folder, or ``qdrant://host:port/collection`` (``qdrants://`` for an encrypted connection), with
            ``?shards=6&replicas=2&write_consistency=1&timeout=30`` as options; or
            ``postgresql://user@host/database?collection=NAME``.
        dimension: The length of the vectors: required to create a store, checked for an existing one.
        options: The options of a new store.
        api_key: For a server; VISAVIS_QDRANT_API_KEY when None.
        wait: Seconds to wait for another process that has the folder open.

    Raises:
        NotFoundError: There is no store and no dimension to create one.
        BadInputError: The address is wrong, the key is refused, or the vectors have another dimension.
        BusyError: Another process has the folder open.
        StorageError: It is damaged or not writable, or the server cannot be reached.
        MissingExtraError: A server's address, and the extra ``qdrant`` or ``postgres`` is not installed.
    """
    if dimension is not None and dimension < 1:
        raise BadInputError(f"Vectors cannot have {dimension} numbers.")
    if has_scheme(where, POSTGRES_SCHEMES):
        from visavis.stores.postgres import connect_postgres

        found = parse_postgres_address(str(where))
        return connect_postgres(found, dimension=dimension, options=options)
    if has_scheme(where, QDRANT_SCHEMES):
        address = parse_address(str(where))
        from visavis.settings import Environment
        from visavis.stores.server import connect

        key = api_key or Environment().qdrant_api_key
        return connect(address, api_key=key, dimension=dimension, options=options)
    if "://" in str(where):
        raise BadInputError(
            f"'{where}' is no store.",
            "Give a folder, or an address like qdrant://localhost:6333/holidays or postgresql://host/db?collection=holidays",
        )
    from visavis.stores.edge import EdgeStore

    return EdgeStore(expand_user(where), dimension=dimension, options=options, wait=wait)
