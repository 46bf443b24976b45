"""Users and their keys, ownership of conversations, share links, daily quotas."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Literal, get_args

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from visavis.database import now
from visavis.errors import BadInputError, NotFoundError
from visavis.server.database import OwnedRow, ServerDatabase, SessionRow, ShareRow, UsageRow, UserRow
from visavis.server.errors import TooMuchError

Role = Literal["read", "write", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
#: The one user of a server without a login.
LOCAL = "local"
_KEY_PREFIX = "vv_"
#: Sessions of one user; the oldest end first.
_MOST_SESSIONS = 50
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
QuotaKind = Literal["upload_bytes", "edits", "turns"]
_QUOTAS: dict[QuotaKind, str] = {"upload_bytes": "uploads", "edits": "edits", "turns": "turns"}


@dataclass(frozen=True)
class User:
    """A user of the server.

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
        """The user as JSON, without the key or its hash."""
        revoked = self.revoked_at.isoformat() if self.revoked_at else None
        return {"name": self.name, "role": self.role, "created_at": self.created_at.isoformat(), "revoked_at": revoked}


class _Records:
    """Records of one kind in the server's database."""

    def __init__(self, database: ServerDatabase) -> None:
        self._database = database


class Users(_Records):
    """The users of the server and their API keys."""

    def add(self, name: str, role: str) -> str:
        """Add a user, or give a revoked one a new key; returns the key, of which only the hash is stored."""
        if not _NAME.fullmatch(name) or name == LOCAL:
            raise BadInputError(f"'{name}' cannot name a user.", "Use letters, digits and . _ @ -, 64 at most.")
        role = role_of(role)
        key = _KEY_PREFIX + secrets.token_urlsafe(32)
        with self._database.transaction(writes=True) as session:
            row = session.get(UserRow, name)
            if row is not None and row.revoked_at is None:
                raise BadInputError(f"There is a user '{name}' already.", f"First: visavis user revoke {name}")
            if row is None:
                session.add(UserRow(name=name, role=role, key_hash=hash_of(key)))
            else:
                row.role, row.key_hash, row.created_at, row.revoked_at = role, hash_of(key), now(), None
        return key

    def list(self) -> Sequence[User]:
        """All users, in the order of names."""
        with self._database.transaction() as session:
            return [_user(row) for row in session.scalars(select(UserRow).order_by(UserRow.name))]

    def revoke(self, name: str) -> None:
        """Revoke a key at once, with its sessions and the links that the user shared; the conversations stay."""
        with self._database.transaction(writes=True) as session:
            row = session.get(UserRow, name)
            if row is None or row.revoked_at is not None:
                raise NotFoundError(f"There is no user '{name}' with a key.", "See: visavis user list")
            row.revoked_at = now()
            session.execute(delete(SessionRow).where(SessionRow.user == name))
            owned = select(OwnedRow.id).where(OwnedRow.owner == name)
            session.execute(delete(ShareRow).where(ShareRow.conversation_id.in_(owned)))

    def by_key(self, key: str) -> User | None:
        """The user with this key; None for a wrong or revoked one."""
        with self._database.transaction() as session:
            row = session.scalar(select(UserRow).where(UserRow.key_hash == hash_of(key), UserRow.revoked_at.is_(None)))
            return _user(row) if row else None

    def by_name(self, name: str) -> User | None:
        """The user of this name; None for an unknown or revoked one."""
        with self._database.transaction() as session:
            row = session.get(UserRow, name)
            return _user(row) if row and row.revoked_at is None else None

    def any_active(self) -> bool:
        """Whether any user has a valid key."""
        with self._database.transaction() as session:
            count = session.scalar(select(func.count()).select_from(UserRow).where(UserRow.revoked_at.is_(None)))
            return bool(count)


class Sessions(_Records):
    """Sessions of users, from login to logout."""

    def start(self, user: str, seconds: float) -> str:
        """Start a session and forget those that are older than so many seconds; returns its id."""
        id = secrets.token_urlsafe(18)
        with self._database.transaction(writes=True) as session:
            session.execute(delete(SessionRow).where(SessionRow.started_at < now() - timedelta(seconds=seconds)))
            latest = select(SessionRow.id_hash).where(SessionRow.user == user).order_by(SessionRow.started_at.desc())
            surplus = session.scalars(latest.offset(_MOST_SESSIONS - 1)).all()
            session.execute(delete(SessionRow).where(SessionRow.id_hash.in_(surplus)))
            session.add(SessionRow(id_hash=hash_of(id), user=user))
        return id

    def holds(self, id: str) -> bool:
        """Whether a session has not ended."""
        with self._database.transaction() as session:
            return session.get(SessionRow, hash_of(id)) is not None

    def end(self, id: str) -> None:
        """End a session."""
        with self._database.transaction(writes=True) as session:
            session.execute(delete(SessionRow).where(SessionRow.id_hash == hash_of(id)))


def hash_of(secret: str) -> str:
    """The hash of a key or token. They are random and long, so that one round of SHA-256 is enough."""
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


@dataclass(frozen=True)
class OwnedConversation:
    """A conversation and its owner."""

    id: str
    owner: str
    collection: str
    name: str
    started_at: datetime


class Ownership(_Records):
    """The owners of conversations."""

    def add(self, id: str, owner: str, collection: str, name: str = "") -> None:
        """Add a conversation."""
        with self._database.transaction(writes=True) as session:
            session.add(OwnedRow(id=id, owner=owner, collection=collection, name=name))

    def find(self, id: str) -> OwnedConversation | None:
        """The conversation with its owner, or None."""
        with self._database.transaction() as session:
            row = session.get(OwnedRow, id)
            return _owned(row) if row else None

    def of(self, owner: str) -> Sequence[OwnedConversation]:
        """All conversations of a user."""
        with self._database.transaction() as session:
            return [_owned(row) for row in session.scalars(select(OwnedRow).where(OwnedRow.owner == owner))]

    def all_ids(self) -> set[str]:
        """The ids of all conversations with an owner."""
        with self._database.transaction() as session:
            return set(session.scalars(select(OwnedRow.id)))

    def count(self, owner: str) -> int:
        """How many conversations a user has."""
        with self._database.transaction() as session:
            return session.scalar(select(func.count()).select_from(OwnedRow).where(OwnedRow.owner == owner)) or 0

    def rename(self, id: str, name: str) -> None:
        """Rename a conversation."""
        with self._database.transaction(writes=True) as session:
            session.execute(update(OwnedRow).where(OwnedRow.id == id).values(name=name))

    def remove(self, id: str) -> None:
        """Delete the row of a conversation and its share links."""
        with self._database.transaction(writes=True) as session:
            session.execute(delete(OwnedRow).where(OwnedRow.id == id))
            session.execute(delete(ShareRow).where(ShareRow.conversation_id == id))

    def remove_collection(self, collection: str) -> None:
        """Delete the rows of a collection that was removed."""
        with self._database.transaction(writes=True) as session:
            session.execute(delete(OwnedRow).where(OwnedRow.collection == collection))
            session.execute(delete(ShareRow).where(ShareRow.collection == collection))


def _owned(row: OwnedRow) -> OwnedConversation:
    return OwnedConversation(row.id, row.owner, row.collection, row.name, row.started_at)


class ShareLinks(_Records):
    """Share links of conversations. Only the hashes of their tokens are stored."""

    def make(self, conversation: str, collection: str) -> str:
        """Create a link; returns its token."""
        token = secrets.token_urlsafe(24)
        with self._database.transaction(writes=True) as session:
            session.add(ShareRow(token_hash=hash_of(token), conversation_id=conversation, collection=collection))
        return token

    def find(self, token: str) -> tuple[str, str] | None:
        """The conversation and the collection of a token, or None."""
        with self._database.transaction() as session:
            row = session.get(ShareRow, hash_of(token))
            if row is None:
                return None
            owner = select(OwnedRow.owner).where(OwnedRow.id == row.conversation_id).scalar_subquery()
            revoked = session.scalar(select(UserRow.revoked_at).where(UserRow.name == owner))
            return None if revoked else (row.conversation_id, row.collection)

    def revoke(self, conversation: str) -> None:
        """Delete all links of a conversation."""
        with self._database.transaction(writes=True) as session:
            session.execute(delete(ShareRow).where(ShareRow.conversation_id == conversation))


class DailyQuotas(_Records):
    """Daily quotas (UTC)."""

    def take(self, user: str, kind: QuotaKind, amount: int, most: int) -> None:
        """Use an amount, or refuse it.

        Raises:
            TooMuchError: It would be more than a day allows.
        """
        with self._database.transaction(writes=True) as session:
            total = _add(session, user, kind, amount)
            if total > most:  # which rolls the addition back
                raise _too_much(kind, total - amount, most)

    def check(self, user: str, kind: QuotaKind, amount: int, most: int) -> None:
        """Refuse an amount that is more than a day allows, and count nothing.

        Raises:
            TooMuchError: It would be too much.
        """
        used = self.used(user, kind)
        if used + amount > most:
            raise _too_much(kind, used, most)

    def used(self, user: str, kind: QuotaKind) -> int:
        """The amount that a user has used today."""
        with self._database.transaction() as session:
            row = session.get(UsageRow, (user, _today(), kind))
            return row.amount if row else 0

    def count(self, user: str, kind: QuotaKind, amount: int) -> None:
        """Add an amount that was used."""
        with self._database.transaction(writes=True) as session:
            _add(session, user, kind, amount)


def _add(session: Session, user: str, kind: QuotaKind, amount: int) -> int:
    """Add an amount, in one statement so that processes do not lose updates; returns the sum."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    new = insert(UsageRow).values(user=user, day=_today(), kind=kind, amount=amount)
    added = new.on_conflict_do_update(
        index_elements=[UsageRow.user, UsageRow.day, UsageRow.kind], set_={"amount": UsageRow.amount + amount}
    )
    return session.execute(added.returning(UsageRow.amount)).scalar_one()


def _too_much(kind: QuotaKind, used: int, most: int) -> TooMuchError:
    return TooMuchError(
        f"Today's {_QUOTAS[kind]} are used up ({used:,} of {most:,}).", "Go on tomorrow.", _to_midnight()
    )


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _to_midnight() -> float:
    time = datetime.now(UTC)
    return 86400.0 - (time.hour * 3600 + time.minute * 60 + time.second)
