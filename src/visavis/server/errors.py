"""Errors of the HTTP interface: refusals with a status of their own, and every error as a JSON response."""

from __future__ import annotations

import math
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import Scope

from visavis.errors import BadInputError, BusyError, MissingExtraError, NotFoundError, StorageError, VisavisError

#: The HTTP status and code of each error of visavis; the first class that matches.
_KINDS: tuple[tuple[type[VisavisError], int, str], ...] = (
    (NotFoundError, 404, "not_found"),
    (BusyError, 409, "busy"),
    (BadInputError, 422, "bad_input"),
    (MissingExtraError, 501, "missing_extra"),
    (StorageError, 507, "storage"),
    (VisavisError, 500, "failed"),
)
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported", 400: "bad_request"}


class RefusedError(VisavisError):
    """A request that is refused.

    Attributes:
        status: The HTTP status.
        code: A code for programs.
        retry_after: Seconds after which the client may try again, or None.
    """

    status = 400
    code = "refused"

    def __init__(self, message: str, remedy: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, remedy)
        self.retry_after = retry_after


class FailedError(RefusedError):
    """An unexpected error."""

    status, code = 500, "failed"


class NotLoggedInError(RefusedError):
    """The request has no valid key or session."""

    status, code = 401, "not_logged_in"


class NotAllowedError(RefusedError):
    """The user may not do this."""

    status, code = 403, "not_allowed"


class BadMethodError(RefusedError):
    """The method is none of HTTP's."""

    status, code = 405, "method_not_allowed"


class SlowBodyError(RefusedError):
    """The body of the request did not arrive in time."""

    status, code = 408, "too_slow"


class StaleError(RefusedError):
    """The conversation has changed since the client read it."""

    status, code = 409, "stale"


class TooLargeError(RefusedError):
    """The body is larger than is allowed."""

    status, code = 413, "too_large"


class TooMuchError(RefusedError):
    """Too many requests, or a quota is used up."""

    status, code = 429, "too_much"


class OverloadedError(RefusedError):
    """The queue of work is full."""

    status, code = 503, "overloaded"


class TooSlowError(RefusedError):
    """The work takes longer than the request may; it continues."""

    status, code = 504, "too_slow"


def error_body(error: VisavisError, request_id: str) -> dict[str, Any]:
    """The JSON of an error."""
    _, code = status_of(error)
    return {
        "error": {"code": code, "message": error.message, "remedy": error.remedy, "request_id": request_id},
    }


def status_of(error: VisavisError) -> tuple[int, str]:
    """The HTTP status and the code of an error."""
    if isinstance(error, RefusedError):
        return error.status, error.code
    return next((status, code) for kind, status, code in _KINDS if isinstance(error, kind))


def error_response(error: VisavisError, scope: Scope) -> JSONResponse:
    """The response for an error."""
    status, _ = status_of(error)
    headers = {}
    if isinstance(error, RefusedError) and error.retry_after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if isinstance(error, NotLoggedInError):
        headers["WWW-Authenticate"] = 'Bearer realm="visavis"'
    return JSONResponse(error_body(error, request_id(scope)), status, headers)


def request_id(scope: Scope) -> str:
    """The id of the request."""
    return str(scope.get("state", {}).get("request_id", ""))


def _plain(scope: Scope, status: int, code: str, message: str, remedy: str = "") -> JSONResponse:
    body = {"code": code, "message": message, "remedy": remedy, "request_id": request_id(scope)}
    return JSONResponse({"error": body}, status)


async def _on_visavis(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, VisavisError)
    return error_response(error, request.scope)


async def _on_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "refused")
    answer = _plain(request.scope, error.status_code, code, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


async def _on_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0] if error.errors() else {"loc": (), "msg": "It is not understood"}
    where = ".".join(str(part) for part in first["loc"])
    return _plain(request.scope, 422, "bad_input", f"{where}: {first['msg']}.", "See /api/v1/openapi.json.")


def add_error_handlers(app: FastAPI) -> None:
    """Register the handlers that turn errors into JSON responses."""
    app.add_exception_handler(VisavisError, _on_visavis)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_invalid)
