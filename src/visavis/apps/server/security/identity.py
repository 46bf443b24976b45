"""Who asks, and whether they may."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from visavis.apps.server.records.users import LOCAL, ROLES, Role, User
from visavis.apps.server.security.errors import NotAllowedError, NotLoggedInError
from visavis.apps.server.security.sessions import COOKIE
from visavis.apps.server.services import Services, services

#: The header that a page of another site cannot set without being asked about first, and is refused.
CSRF_HEADER = "X-Visavis"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Identity:
    """Who asks.

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
        """Refuse what needs this role to those who do not have it.

        Raises:
            NotAllowedError: They may not.
        """
        if not self.may(role):
            raise NotAllowedError(f"This needs the role '{role}'; yours is '{self.role}'.", "Ask an administrator.")


def identify(request: Request, home: Services) -> Identity:
    """Who asks; whoever asks too often, or from the page of another site, is refused.

    Raises:
        NotLoggedInError: There is no key, or a wrong one.
        NotAllowedError: It is a request that another site made.
    """
    refuse_other_sites(request)
    if home.settings.mode == "local":
        return Identity(LOCAL, "admin")
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme:
        user = home.users.by_key(key.strip()) if scheme.lower() == "bearer" else None
        if user is None:
            home.strangers.take(address_of(request))
            raise NotLoggedInError("The key is not known.", "Ask for one: visavis user add NAME")
        return Identity(user.name, user.role)
    user = _from_cookie(request, home)
    if user is None:
        (home.strangers if COOKIE in request.cookies else home.visitors).take(address_of(request))
        raise NotLoggedInError("Nobody is logged in.", "Send 'Authorization: Bearer KEY', or log in.")
    if request.method not in _SAFE and request.headers.get(CSRF_HEADER) != "1":
        raise NotAllowedError("The request does not come from our own page.", f"Send the header {CSRF_HEADER}: 1.")
    return Identity(user.name, user.role)


def _from_cookie(request: Request, home: Services) -> User | None:
    told = home.sessions.read(request.cookies.get(COOKIE, ""))
    user = home.users.by_name(told[0]) if told else None
    if told is None or user is None or not secrets.compare_digest(told[1], user.key_hash[:16]):
        return None
    return user


def refuse_other_sites(request: Request) -> None:
    """Browsers say which page a request that changes something comes from.

    Raises:
        NotAllowedError: It is the page of another site.
    """
    if request.method in _SAFE:
        return
    origin = request.headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host", "")
    if foreign or request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise NotAllowedError("The request comes from the page of another site.", "Use visavis's own page.")


def address_of(request: Request) -> str:
    """Where a request comes from, for the limit on wrong keys."""
    return request.client.host if request.client else "unknown"


def check_sender(request: Request, home: Services) -> None:
    """Ask who sends files before a byte of them is read: a stranger's would fill the disk while they are taken apart.

    Raises:
        NotLoggedInError: Nobody knows the sender.
        NotAllowedError: They may not send files.
    """
    identify(request, home).check("write")


def needs(role: Role, *, heavy: bool = False) -> Callable[..., Awaitable[Identity]]:
    """What a route depends on: somebody with this role who has not asked too often.

    Args:
        role: The least role.
        heavy: Whether it ranks, edits or encodes, which has a limit of its own.
    """

    async def check(request: Request, home: Annotated[Services, Depends(services)]) -> Identity:
        if home.settings.mode == "local":  # nothing to look up, so no thread is needed
            who = identify(request, home)
        else:
            who = await run_in_threadpool(identify, request, home)
        request.state.user = who.name
        (home.heavy_requests if heavy else home.requests).take(who.name)
        who.check(role)
        return who

    return check


Reader = Annotated[Identity, Depends(needs("read"))]
Talker = Annotated[Identity, Depends(needs("read", heavy=True))]
Writer = Annotated[Identity, Depends(needs("write"))]
Maker = Annotated[Identity, Depends(needs("write", heavy=True))]
Admin = Annotated[Identity, Depends(needs("admin"))]
