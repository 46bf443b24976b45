"""Routes of the session: identity, login, logout; health and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from sqlalchemy import text

from visavis.errors import VisavisError
from visavis.server.dependencies import Admin, Reader, ServicesDep
from visavis.server.errors import NotLoggedInError
from visavis.server.models.common import HealthModel, Login, Me
from visavis.server.security import COOKIE, SESSION_SECONDS, client_address
from visavis.server.services.accounts import LOCAL
from visavis.version import __version__

router = APIRouter(tags=["session"])


@router.get("/me")
async def me(who: Reader, services: ServicesDep) -> Me:
    """Who you are here, and what you may do."""
    return Me(user=who.name, role=who.role, mode=services.settings.mode, version=__version__)


@router.post("/session")
async def log_in(request: Request, services: ServicesDep, body: Login, response: Response) -> Me:
    """Log in with a key: sets a cookie, so that the page need not keep the key."""
    if services.settings.mode == "local":
        return Me(user=LOCAL, role="admin", mode="local", version=__version__)
    services.failed_logins.take(client_address(request))
    user = await services.readers.run(lambda: services.users.by_key(body.key))
    if user is None:
        raise NotLoggedInError("The key is not known.", "Check it, or ask for a new one.")
    secure = services.settings.secure_cookies or request.url.scheme == "https"
    response.set_cookie(
        COOKIE,
        await services.readers.run(lambda: services.sessions.make(user)),
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=secure,
        path="/",
    )
    return Me(user=user.name, role=user.role, mode="keys", version=__version__)


@router.delete("/session", status_code=204)
async def log_out(request: Request, services: ServicesDep) -> Response:
    """Log out: ends the session, also for copies of its cookie."""
    if cookie := request.cookies.get(COOKIE):
        await services.readers.run(lambda: services.sessions.end(cookie))
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


@router.get("/health", responses={503: {"model": HealthModel, "description": "It lives, but cannot work."}})
async def health(services: ServicesDep) -> Response:
    """Whether the server lives, and whether it can work."""

    def ask() -> bool:
        try:
            with services.database.transaction() as session:
                return bool(session.scalar(text("SELECT 1")))
        except VisavisError:
            return False

    try:
        ready = await services.readers.run(ask)
    except VisavisError:
        ready = False
    told = HealthModel(ready=ready, version=__version__, pending=services.workers.pending)
    return JSONResponse(told.model_dump(), 200 if ready else 503)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(who: Admin, services: ServicesDep) -> Response:
    """What is counted, for Prometheus."""
    return Response(services.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
