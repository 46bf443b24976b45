"""Users and their keys."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal, get_args

from sqlalchemy import func, select

from visavis.apps.server.records.database import Records
from visavis.apps.server.records.tables import UserRow
from visavis.collections.tables import now
from visavis.errors import BadInputError, NotFoundError

Role = Literal["read", "write", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
#: The one user of a server without a login.
LOCAL = "local"
_PREFIX = "vv_"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


@dataclass(frozen=True)
class User:
    """Someone who may use the server.

    Attributes:
        name: What they are called.
        role: What they may do.
        key_hash: The hash of their key; a session holds only as long as the key does.
        created_at: Since when.
        revoked_at: Until when; None while the key holds.
    """

    name: str
    role: Role
    key_hash: str
    created_at: datetime
    revoked_at: datetime | None = None

    def as_json(self) -> dict[str, object]:
        """For scripts; never with the key or its hash."""
        revoked = self.revoked_at.isoformat() if self.revoked_at else None
        return {"name": self.name, "role": self.role, "created_at": self.created_at.isoformat(), "revoked_at": revoked}


class Users:
    """Adding, listing, revoking and recognising users."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def add(self, name: str, role: str) -> str:
        """A new user, or a new key for a revoked one; returns the key, which is not kept and cannot be shown again."""
        if not _NAME.fullmatch(name) or name == LOCAL:
            raise BadInputError(f"'{name}' cannot name a user.", "Use letters, digits and . _ @ -, 64 at most.")
        role = role_of(role)
        key = _PREFIX + secrets.token_urlsafe(32)
        with self._records.transaction(writes=True) as session:
            row = session.get(UserRow, name)
            if row is not None and row.revoked_at is None:
                raise BadInputError(f"There is a user '{name}' already.", f"First: visavis user revoke {name}")
            if row is None:
                session.add(UserRow(name=name, role=role, key_hash=hash_of(key)))
            else:
                row.role, row.key_hash, row.created_at, row.revoked_at = role, hash_of(key), now(), None
        return key

    def list(self) -> Sequence[User]:
        """Everybody, in the order of names."""
        with self._records.transaction() as session:
            return [_user(row) for row in session.scalars(select(UserRow).order_by(UserRow.name))]

    def revoke(self, name: str) -> None:
        """Make a key worthless at once; the user's conversations stay."""
        with self._records.transaction(writes=True) as session:
            row = session.get(UserRow, name)
            if row is None or row.revoked_at is not None:
                raise NotFoundError(f"There is no user '{name}' with a key.", "See: visavis user list")
            row.revoked_at = now()

    def by_key(self, key: str) -> User | None:
        """Whose key this is; None for a wrong or revoked one."""
        with self._records.transaction() as session:
            row = session.scalar(select(UserRow).where(UserRow.key_hash == hash_of(key), UserRow.revoked_at.is_(None)))
            return _user(row) if row else None

    def by_name(self, name: str) -> User | None:
        """The user of this name whose key holds."""
        with self._records.transaction() as session:
            row = session.get(UserRow, name)
            return _user(row) if row and row.revoked_at is None else None

    def any_active(self) -> bool:
        """Whether anybody could log in."""
        with self._records.transaction() as session:
            count = session.scalar(select(func.count()).select_from(UserRow).where(UserRow.revoked_at.is_(None)))
            return bool(count)


def hash_of(secret: str) -> str:
    """The hash of a key or token. They are random and long, so that one round of SHA-256 cannot be turned back."""
    return sha256(secret.encode()).hexdigest()


def role_of(name: str) -> Role:
    """The role of this name.

    Raises:
        BadInputError: There is none.
    """
    for role in ROLES:
        if role == name:
            return role
    raise BadInputError(f"'{name}' is no role.", f"Use one of {', '.join(ROLES)}.")


def _user(row: UserRow) -> User:
    return User(row.name, role_of(row.role), row.key_hash, row.created_at, row.revoked_at)
