"""Text of others in messages and log lines: file names must not look like lines or terminal codes of our own."""

from __future__ import annotations

import logging


def printable(text: str) -> str:
    r"""Escape line breaks, terminal codes and other characters that cannot be seen.

    >>> printable("a\nERROR b\x1b[2J")
    'a\\nERROR b\\x1b[2J'
    """
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


class _OneLine(logging.Filter):
    """Makes each record one printable line."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = printable(record.getMessage()), ()
        return True


def line_logger(name: str) -> logging.Logger:
    """Return a logger whose records are one printable line each, whatever the names of files in them."""
    logger = logging.getLogger(name)
    logger.addFilter(_OneLine())
    return logger
