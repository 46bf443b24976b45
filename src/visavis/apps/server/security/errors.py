"""Refusals that have a status of their own in HTTP."""

from __future__ import annotations

from visavis.errors import VisavisError


class RefusedError(VisavisError):
    """A request that is not carried out.

    Attributes:
        status: The status of the answer.
        code: One word for programs.
        retry_after: Seconds after which trying again makes sense, or None.
    """

    status = 400
    code = "refused"

    def __init__(self, message: str, remedy: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, remedy)
        self.retry_after = retry_after


class FailedError(RefusedError):
    """Something went wrong that nobody expected."""

    status, code = 500, "failed"


class NotLoggedInError(RefusedError):
    """It is not known who asks."""

    status, code = 401, "not_logged_in"


class NotAllowedError(RefusedError):
    """Who asks may not do this."""

    status, code = 403, "not_allowed"


class StaleError(RefusedError):
    """The conversation went on elsewhere."""

    status, code = 409, "stale"


class TooLargeError(RefusedError):
    """The body is larger than is allowed."""

    status, code = 413, "too_large"


class TooMuchError(RefusedError):
    """Too many requests, or a quota is used up."""

    status, code = 429, "too_much"


class OverloadedError(RefusedError):
    """More work waits than can be done soon."""

    status, code = 503, "overloaded"


class TooSlowError(RefusedError):
    """It took longer than is waited for; what was begun goes on."""

    status, code = 504, "too_slow"
