"""Which index a field needs for the values it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def needs_float(values: Iterable[Any]) -> bool:
    """Whether a field holds a number with a fraction, which an index of integers would leave out.

    >>> needs_float([1, 2.0, "text", None]), needs_float([1, [2, 2.5]])
    (False, True)
    """
    for value in values:
        each = value if isinstance(value, list | tuple) else [value]
        if any(isinstance(number, float) and not number.is_integer() for number in each):
            return True
    return False
