"""Sessions: a signed cookie that says who logged in and with which key."""

from __future__ import annotations

from itsdangerous import BadSignature, URLSafeTimedSerializer

from visavis.apps.server.records.users import User

COOKIE = "visavis_session"
#: How long a login holds.
SECONDS = 30 * 24 * 3600


class Sessions:
    """Makes and reads the cookie; nothing is kept on the server, so that any worker process can read it."""

    def __init__(self, secret: str) -> None:
        self._signer = URLSafeTimedSerializer(secret, salt="visavis-session")

    def make(self, user: User) -> str:
        """The cookie of a user; it holds a part of the key's hash, so that it ends with the key."""
        return str(self._signer.dumps([user.name, user.key_hash[:16]]))

    def read(self, cookie: str) -> tuple[str, str] | None:
        """The user's name and the part of the hash, or None for a forged or old cookie."""
        try:
            name, part = self._signer.loads(cookie, max_age=SECONDS)
        except (BadSignature, ValueError, TypeError):
            return None
        return str(name), str(part)
