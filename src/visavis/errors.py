"""Errors that users see: each has a message and a remedy."""

from __future__ import annotations


class VisavisError(Exception):
    """An error that a user can act on; the command line prints it without a traceback.

    Attributes:
        remedy: What to do about it: one sentence, or an empty string.
        exit_code: The exit code of a command that ends with this error.
    """

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy

    @property
    def message(self) -> str:
        """The message without the remedy."""
        return str(self.args[0])

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class BadInputError(VisavisError, ValueError):
    """Invalid input: a wrong type, an empty text, a value out of range."""

    exit_code = 2


class NotFoundError(VisavisError, LookupError):
    """Something that was named does not exist."""

    exit_code = 3


class MissingExtraError(VisavisError, ImportError):
    """A feature needs a package that is not installed."""

    exit_code = 4

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra '{extra}'.", f"Install it with: pip install 'visavis[{extra}]'")


class BusyError(VisavisError):
    """Another process holds the lock."""

    exit_code = 5


class StorageError(VisavisError, OSError):
    """The disk is full, not writable, or its data is damaged."""

    exit_code = 6
