"""Who sends a request, and whether they may: keys, session cookies, roles, the CSRF check, rate limits."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network
from threading import Lock
from urllib.parse import urlsplit

from cachetools import LRUCache
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from visavis.server.errors import NotAllowedError, NotLoggedInError, TooMuchError
from visavis.server.services.accounts import LOCAL, ROLES, Role, Sessions, User, Users
from visavis.server.settings import Mode

COOKIE = "visavis_session"
#: How long a login is valid.
SESSION_SECONDS = 30 * 24 * 3600
#: A page of another site can set this header only after a CORS preflight request, which is refused.
CSRF_HEADER = "X-Visavis"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
API = "/api/"
_SHARED = "/api/v1/shared/"
_PUBLIC = frozenset({"/api/v1/session", "/api/v1/health", "/api/v1/openapi.json"})
#: Keys whose buckets are kept; a full bucket that is dropped is the same as one that is kept.
_CACHED_KEYS = 10_000


@dataclass(frozen=True)
class Identity:
    """The user behind a request.

    Attributes:
        name: The user's name.
        role: What they may do.
    """

    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Whether they may do what needs this role."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def check(self, role: Role) -> None:
        """Refuse what needs a role that the user does not have.

        Raises:
            NotAllowedError: They may not.
        """
        if not self.may(role):
            raise NotAllowedError(f"This needs the role '{role}'; yours is '{self.role}'.", "Ask an administrator.")


class RateLimiter:
    """A token bucket for each key: ``burst`` requests at once and ``rate`` a second in the long run.

    Args:
        rate: Tokens a second; 0 for no limit.
        burst: Tokens that a full bucket holds.
        clock: Tells the time, in seconds.
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._levels: LRUCache[str, tuple[float, float]] = LRUCache(_CACHED_KEYS)
        self._lock = Lock()

    def take(self, key: str) -> None:
        """Take one token.

        Raises:
            TooMuchError: There is none; it says when there will be.
        """
        if not self._rate:
            return
        with self._lock:
            now = self._clock()
            level, since = self._levels.get(key, (float(self._burst), now))
            level = min(float(self._burst), level + (now - since) * self._rate)
            if level < 1:
                wait = (1 - level) / self._rate
                raise TooMuchError("That was too much at once.", "Wait a moment, then try again.", wait)
            self._levels[key] = (level - 1, now)


class SessionCookies:
    """Signs and reads session cookies; the database knows which sessions have not ended, so that all workers do.

    Args:
        secret: The secret that signs them.
        sessions: The sessions.
    """

    def __init__(self, secret: str, sessions: Sessions) -> None:
        self._signer = URLSafeTimedSerializer(secret, salt="visavis-session")
        self._sessions = sessions

    def make(self, user: User) -> str:
        """The cookie of a new session; it holds a part of the key's hash, so that it is invalid once the key is."""
        id = self._sessions.start(user.name, SESSION_SECONDS)
        return str(self._signer.dumps([user.name, user.key_hash[:16], id]))

    def read(self, cookie: str) -> tuple[str, str] | None:
        """The user's name and the part of the hash, or None for a forged, expired or ended session."""
        read = self._read(cookie)
        return read[:2] if read and self._sessions.holds(read[2]) else None

    def end(self, cookie: str) -> None:
        """End the session of a cookie, for every copy of it; nothing happens for a forged or expired one."""
        if read := self._read(cookie):
            self._sessions.end(read[2])

    def _read(self, cookie: str) -> tuple[str, str, str] | None:
        try:
            name, part, id = self._signer.loads(cookie, max_age=SESSION_SECONDS)
        except (BadSignature, ValueError, TypeError):
            return None
        return str(name), str(part), str(id)


class Authenticator:
    """Finds the user behind a request.

    Args:
        mode: ``local`` for the one user of this machine, ``keys`` for users with API keys.
        users: The users and their keys.
        sessions: Their cookies.
        failed_logins: The rate limit for wrong keys, by address.
        anonymous_requests: The rate limit for requests without a login, by address.
        requests: The rate limit for requests of a user.
    """

    def __init__(
        self,
        mode: Mode,
        users: Users,
        sessions: SessionCookies,
        failed_logins: RateLimiter,
        anonymous_requests: RateLimiter,
        requests: RateLimiter,
    ) -> None:
        self.mode = mode
        self._users = users
        self._sessions = sessions
        self._failed_logins = failed_logins
        self._anonymous_requests = anonymous_requests
        self._requests = requests

    async def admit(self, request: Request) -> Identity | None:
        """The user behind a request, whose rate limit is used; None for what needs no user.

        It is called once for each request, before its body is read and whatever its method and path are.

        Raises:
            NotLoggedInError: The path needs a user, and there is no key, or a wrong one.
            NotAllowedError: A page of another site made the request.
            TooMuchError: The user or the address made too many requests.
        """
        check_site(request)
        if self.mode == "local":
            return Identity(LOCAL, "admin")
        if _is_public(request.scope["path"]):
            self._anonymous_requests.take(client_address(request))
            return None
        if has_credentials(request):
            user = await run_in_threadpool(self.identify, request)
        else:
            user = self.identify(request)  # nothing is looked up, so no thread is needed
        self._requests.take(user.name)
        return user

    def identify(self, request: Request) -> Identity:
        """The user behind a request.

        Raises:
            NotLoggedInError: There is no key, or a wrong one.
            NotAllowedError: A session changes something without the header that only our own page can send.
            TooMuchError: The address tried too many wrong keys.
        """
        if self.mode == "local":
            return Identity(LOCAL, "admin")
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        if scheme:
            user = self._users.by_key(key.strip()) if scheme.lower() == "bearer" else None
            if user is None:
                self._failed_logins.take(client_address(request))
                raise NotLoggedInError("The key is not known.", "Ask for one: visavis user add NAME")
            return Identity(user.name, user.role)
        user = self._by_cookie(request)
        if user is None:
            limiter = self._failed_logins if COOKIE in request.cookies else self._anonymous_requests
            limiter.take(client_address(request))
            raise NotLoggedInError("Nobody is logged in.", "Send 'Authorization: Bearer KEY', or log in.")
        if request.method not in _SAFE_METHODS and request.headers.get(CSRF_HEADER) != "1":
            raise NotAllowedError("The request does not come from our own page.", f"Send the header {CSRF_HEADER}: 1.")
        return Identity(user.name, user.role)

    def _by_cookie(self, request: Request) -> User | None:
        read = self._sessions.read(request.cookies.get(COOKIE, ""))
        user = self._users.by_name(read[0]) if read else None
        if read is None or user is None or not secrets.compare_digest(read[1], user.key_hash[:16]):
            return None
        return user


def check_site(request: Request) -> None:
    """Refuse a request that the page of another site makes, as browsers tell.

    A link to a page of the app may be followed from anywhere. All else is refused before any work, also where other
    sites could not read the answer: the time that it takes tells them something, a folder that exists say.

    Raises:
        NotAllowedError: It is the page of another site.
    """
    headers, safe = request.headers, request.method in _SAFE_METHODS
    origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
    page = safe and not request.scope["path"].startswith(API)
    foreign = not page and origin is not None and _place(origin) != headers.get("host", "")
    if site not in ("none", "same-origin"):
        followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        foreign = foreign or not (page and followed)
    if foreign:
        raise NotAllowedError("The request comes from the page of another site.", "Use visavis's own page.")


def _place(origin: str) -> str | None:
    """The host and the port of an origin; None for what is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def has_credentials(request: Request) -> bool:
    """Whether a request has a key or a session, right or wrong."""
    return "authorization" in request.headers or COOKIE in request.cookies


def _is_public(path: str) -> bool:
    """Whether a path needs no user: pages, and the parts of the interface that everybody may use."""
    return not path.startswith(API) or path in _PUBLIC or path.startswith(_SHARED)


def client_address(request: Request) -> str:
    """What requests from an address are counted under."""
    return address_group(request.client.host) if request.client else "unknown"


def address_group(host: str) -> str:
    """An address; of IPv6 the network that one customer gets, who could use each of its addresses once.

    >>> address_group("192.0.2.7"), address_group("2001:db8:1:2:3::4"), address_group("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7')
    """
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ip_network(f"{address}/64", strict=False))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
