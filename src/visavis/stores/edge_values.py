"""Payload values as the embedded engine keeps them.

Its Python binding reads ``True`` in a condition as the number 1, so no filter could find a truth value. They are
kept as texts behind a mark, and read back as what they were.
"""

from __future__ import annotations

from typing import Any

from visavis.stores.base import Payload

#: No letter or digit follows the mark, so that no search for a word finds a truth value.
_MARK = "\x01"
_TRUE = _MARK + "+"
_FALSE = _MARK + "-"


def to_edge(payload: Payload) -> dict[str, Any]:
    """A payload as it is kept."""
    return {name: value_to_edge(value) for name, value in payload.items()}


def from_edge(payload: Payload | None) -> dict[str, Any]:
    """A payload as it was given."""
    return {name: value_from_edge(value) for name, value in (payload or {}).items()}


def value_to_edge(value: Any) -> Any:
    """One value as it is kept."""
    if isinstance(value, list | tuple):
        return [value_to_edge(each) for each in value]
    if isinstance(value, bool):
        return _TRUE if value else _FALSE
    if isinstance(value, str) and value.startswith(_MARK):
        return _MARK + value  # a text that begins with the mark gets a second one
    return value


def value_from_edge(value: Any) -> Any:
    """One value as it was given."""
    if isinstance(value, list):
        return [value_from_edge(each) for each in value]
    if not isinstance(value, str) or not value.startswith(_MARK):
        return value
    return value == _TRUE if value in (_TRUE, _FALSE) else value[len(_MARK) :]
