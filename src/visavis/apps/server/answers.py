"""Errors as answers: a status, a word for programs, a sentence and a remedy for people."""

from __future__ import annotations

import math
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import Scope

from visavis.apps.server.security.errors import NotLoggedInError, RefusedError
from visavis.errors import BadInputError, BusyError, MissingExtraError, NotFoundError, StorageError, VisavisError

#: What an error of visavis is in HTTP: the first kind that fits.
_KINDS: tuple[tuple[type[VisavisError], int, str], ...] = (
    (NotFoundError, 404, "not_found"),
    (BusyError, 409, "busy"),
    (BadInputError, 422, "bad_input"),
    (MissingExtraError, 501, "missing_extra"),
    (StorageError, 507, "storage"),
    (VisavisError, 500, "failed"),
)
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported", 400: "bad_request"}


def error_body(error: VisavisError, request_id: str) -> dict[str, Any]:
    """The JSON of an error."""
    _, code = status_of(error)
    return {
        "error": {"code": code, "message": error.message, "remedy": error.remedy, "request_id": request_id},
    }


def status_of(error: VisavisError) -> tuple[int, str]:
    """The status and the word of an error."""
    if isinstance(error, RefusedError):
        return error.status, error.code
    return next((status, code) for kind, status, code in _KINDS if isinstance(error, kind))


def error_response(error: VisavisError, scope: Scope) -> JSONResponse:
    """An error as an answer."""
    status, _ = status_of(error)
    headers = {}
    if isinstance(error, RefusedError) and error.retry_after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if isinstance(error, NotLoggedInError):
        headers["WWW-Authenticate"] = 'Bearer realm="visavis"'
    return JSONResponse(error_body(error, request_id(scope)), status, headers)


def request_id(scope: Scope) -> str:
    """The id that the request was given."""
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
    """Answer errors as the interface promises."""
    app.add_exception_handler(VisavisError, _on_visavis)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_invalid)
