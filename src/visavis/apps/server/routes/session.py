"""Who you are, logging in and out; whether the server is well."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from sqlalchemy import text

from visavis.apps.server.models.session import Health, Login, Me
from visavis.apps.server.records.users import LOCAL
from visavis.apps.server.security.errors import NotLoggedInError
from visavis.apps.server.security.identity import Admin, Reader, address_of, refuse_other_sites
from visavis.apps.server.security.sessions import COOKIE, SECONDS
from visavis.apps.server.services import Services, services
from visavis.errors import VisavisError
from visavis.version import __version__

router = APIRouter(tags=["session"])
Home = Annotated[Services, Depends(services)]


@router.get("/me")
async def me(who: Reader, home: Home) -> Me:
    """Who you are here, and what you may do."""
    return Me(user=who.name, role=who.role, mode=home.settings.mode, version=__version__)


@router.post("/session")
async def log_in(request: Request, home: Home, body: Login, response: Response) -> Me:
    """Log in with a key: sets a cookie, so that the page need not keep the key."""
    refuse_other_sites(request)
    if home.settings.mode == "local":
        return Me(user=LOCAL, role="admin", mode="local", version=__version__)
    home.strangers.take(address_of(request))
    user = await home.light.run(lambda: home.users.by_key(body.key))
    if user is None:
        raise NotLoggedInError("The key is not known.", "Check it, or ask for a new one.")
    secure = home.settings.secure_cookies or request.url.scheme == "https"
    response.set_cookie(
        COOKIE, home.sessions.make(user), max_age=SECONDS, httponly=True, samesite="strict", secure=secure, path="/"
    )
    return Me(user=user.name, role=user.role, mode="keys", version=__version__)


@router.delete("/session", status_code=204)
async def log_out(request: Request) -> Response:
    """Log out: forgets the cookie."""
    refuse_other_sites(request)
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


@router.get("/health", responses={503: {"model": Health, "description": "It lives, but cannot work."}})
async def health(home: Home) -> Response:
    """Whether the server lives, and whether it can work."""

    def ask() -> bool:
        try:
            with home.records.transaction() as session:
                return bool(session.scalar(text("SELECT 1")))
        except VisavisError:
            return False

    try:
        ready = await home.light.run(ask)
    except VisavisError:
        ready = False
    told = Health(ready=ready, version=__version__, pending=home.work.pending)
    return JSONResponse(told.model_dump(), 200 if ready else 503)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(who: Admin, home: Home) -> Response:
    """What is counted, for Prometheus."""
    return Response(home.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
