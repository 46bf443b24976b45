"""The address of a store in PostgreSQL: ``postgresql://user@host/database?collection=holidays``."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from visavis.errors import BadInputError

SCHEMES = ("postgresql", "postgres")
_EXAMPLE = "Write it like postgresql://user@localhost/pictures?collection=holidays"
#: An identifier has 63 bytes; the prefix and a part of a hash need some of them.
_LONGEST_NAME = 36


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
        raise BadInputError("The address of the PostgreSQL store cannot be read.", _EXAMPLE) from error
    collection = url.query.get("collection", "")
    if url.get_backend_name() not in SCHEMES or not url.database:
        raise BadInputError(f"'{url.render_as_string()}' names no PostgreSQL database.", _EXAMPLE)
    if not isinstance(collection, str) or not collection:
        raise BadInputError(f"'{url.render_as_string()}' names no collection.", _EXAMPLE)
    attempts = str(url.query.get("attempts", PostgresAddress.attempts))
    if not attempts.isdigit() or int(attempts) < 1:
        raise BadInputError(f"The option attempts must be a number from 1, not '{attempts}'.", _EXAMPLE)
    plain = url.difference_update_query(["collection", "attempts"]).set(drivername="postgresql+psycopg")
    return PostgresAddress(plain, collection, int(attempts))


def with_collection(address: str, name: str) -> str:
    """Add the name of a collection to an address that has none.

    >>> with_collection("postgresql://anna@db/pictures", "photos")
    'postgresql://anna@db/pictures?collection=photos'
    """
    if re.search(r"[?&]collection=", address):
        return address
    return f"{address}{'&' if '?' in address else '?'}collection={name}"
