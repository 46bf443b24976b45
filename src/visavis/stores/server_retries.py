"""Retry requests to a server after transient failures, and translate the client's errors."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from json import JSONDecodeError
from typing import TypeVar

from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from visavis.errors import BadInputError, NotFoundError, StorageError, VisavisError
from visavis.stores.registry import API_KEY_VARIABLE

Answer = TypeVar("Answer")

#: Time-out, too many requests, or an unavailable node.
_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 15.0


class RetryPolicy:
    """Retries transient failures with exponential backoff and jitter.

    The jitter spreads clients that failed together. Retrying is safe: every request of a store
    is idempotent.
    """

    def __init__(self, where: str, attempts: int, sleep: Callable[[float], None] = time.sleep) -> None:
        self._where = where
        self._retrying = Retrying(
            sleep=sleep,
            stop=stop_after_attempt(attempts),
            retry=retry_if_exception(_is_passing),
            wait=_pause,
            reraise=True,
        )

    def ask(self, request: Callable[[], Answer]) -> Answer:
        """Send a request, with retries.

        Raises:
            StorageError: The server cannot be reached, or keeps failing.
            BadInputError: It refuses the key or the request.
            NotFoundError: The collection does not exist.
        """
        try:
            return self._retrying(request)
        except Exception as error:  # unknown exceptions are raised unchanged
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> Exception:
        match error:
            case UnexpectedResponse():
                return _refusal(self._where, error)
            case ResourceExhaustedResponse():
                return StorageError(f"{self._where} has too much to do: {error}.", "Try again later.")
            case ResponseHandlingException():
                return _unreachable(self._where, error.source)
            case JSONDecodeError():
                return _unreachable(self._where, error)
            case ValueError() if not isinstance(error, VisavisError) and "not found" in str(error):
                return NotFoundError(f"There is no collection at {self._where}.", "Index some pictures into it first.")
            case _:
                return error


def _is_passing(error: BaseException) -> bool:
    if isinstance(error, UnexpectedResponse):
        return error.status_code in _PASSING_STATUS
    if isinstance(error, ResponseHandlingException):
        return not _is_foreign(error.source)
    return isinstance(error, ResourceExhaustedResponse)


def _is_foreign(source: Exception) -> bool:
    """Return whether the response is not from Qdrant (a web page, say)."""
    return isinstance(source, ValueError)


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, ResourceExhaustedResponse):
        return min(float(error.retry_after_s), _LONGEST_PAUSE_SECONDS)
    longest = min(_FIRST_PAUSE_SECONDS * 2 ** (state.attempt_number - 1), _LONGEST_PAUSE_SECONDS)
    return float(longest * random.uniform(0.5, 1.0))  # jitter, no cryptography


def _unreachable(where: str, source: Exception) -> VisavisError:
    if _is_foreign(source):
        return BadInputError(f"What answers at {where} is no Qdrant server.", "Check host and port of the address.")
    reason = str(source) or type(source).__name__
    return StorageError(
        f"The Qdrant server of {where} cannot be reached: {reason}.",
        "Check that it runs, and host, port and encryption (qdrant:// or qdrants://) of the address.",
    )


def _refusal(where: str, error: UnexpectedResponse) -> VisavisError:
    body = error.content.decode(errors="replace")[:300]
    match error.status_code:
        case 401 | 403:
            return BadInputError(
                f"The Qdrant server of {where} refuses the API key.", f"Set {API_KEY_VARIABLE} to a key that may write."
            )
        case 404:
            return NotFoundError(f"There is no collection at {where}.", "Check its name, or index pictures into it.")
        case 507:
            return StorageError(f"The Qdrant server of {where} is out of room.", "Give it more disk space.")
        case status if status in _PASSING_STATUS:
            return StorageError(f"The Qdrant server of {where} keeps failing ({status}): {body}.", "Look at its log.")
        case status:
            return BadInputError(f"The Qdrant server of {where} refuses the request ({status}): {body}.")
