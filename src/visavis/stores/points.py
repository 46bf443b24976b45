"""Validate points before they reach an engine: the error has the id and the problem."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError
from visavis.stores.base import StoredPoint
from visavis.types import Payload

_ID = re.compile(r"[0-9a-f]{32}")
#: Tolerance of a unit vector in half precision; within it vectors pass unchanged.
_LENGTH_TOLERANCE = 2e-3
_SHORTEST = 1e-6
_LARGEST_INTEGER = 2**63


def check_id(id: str) -> str:
    """Validate an id.

    Raises:
        BadInputError: It is not 32 hexadecimal digits.
    """
    if not isinstance(id, str) or not _ID.fullmatch(id):
        raise BadInputError(f"{id!r} is no picture id.", "An id is 32 hexadecimal digits, in lower case.")
    return id


def check_points(points: Sequence[StoredPoint], dimension: int) -> list[StoredPoint]:
    """Validate and normalise points: unit vectors, clean payloads, one point an id (the last one given).

    Raises:
        BadInputError: An id, a vector or a payload is invalid; nothing has been stored then.
    """
    last = {check_id(point.id): point for point in points}
    return [_checked(point, dimension) for point in last.values()]


def _checked(point: StoredPoint, dimension: int) -> StoredPoint:
    whole = unit_vectors(point.whole, dimension, f"The vector of {point.id}", rank=1)
    regions = point.regions
    if regions is not None and len(regions) > 0:
        regions = unit_vectors(regions, dimension, f"A region vector of {point.id}", rank=2)
    else:
        regions = None
    return replace(point, whole=whole, regions=regions, payload=check_payload(point.payload, point.id))


def unit_vectors(vectors: FloatArray, dimension: int, what: str, *, rank: int) -> FloatArray:
    """Normalise vectors to unit length.

    Args:
        vectors: ``[d]`` or ``[n, d]``.
        dimension: The expected ``d``.
        what: Their name in an error.
        rank: The expected number of axes.

    Raises:
        BadInputError: Another shape, a value that is not finite, or a zero vector.
    """
    array = np.asarray(vectors, dtype=np.float32)
    if array.ndim != rank or array.shape[-1] != dimension:
        raise BadInputError(
            f"{what} has the shape {list(array.shape)}, but this store keeps vectors of {dimension} numbers.",
            "Use the encoder that the store was made with.",
        )
    if array.size == 0:
        return array
    squares = np.einsum("...i,...i->...", array, array)  # few calls into numpy: every query runs this
    shortest, longest = float(squares.min()) ** 0.5, float(squares.max()) ** 0.5
    if not (shortest > _SHORTEST and longest < math.inf):  # the reverse comparison would let a NaN pass
        raise BadInputError(f"{what} has no direction: it is zero or holds a value that is no number.")
    if shortest >= 1.0 - _LENGTH_TOLERANCE and longest <= 1.0 + _LENGTH_TOLERANCE:
        return array
    lengths = np.sqrt(squares)[..., None]
    return np.where(np.abs(lengths - 1.0) > _LENGTH_TOLERANCE, array / lengths, array).astype(np.float32)


def check_payload(payload: Payload, id: str) -> dict[str, Any]:
    """Validate a payload and drop None values.

    Raises:
        BadInputError: A value has a type that filters do not support.
    """
    return {_name(name, id): _value(value, name, id) for name, value in payload.items() if value is not None}


def _name(name: Any, id: str) -> str:
    if not isinstance(name, str) or not name or not _is_unicode(name):
        raise BadInputError(f"{id} has a field with the name {name!r}.", "Names of fields are texts.")
    return name


def _value(value: Any, name: str, id: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        return [_value(each, name, id) for each in value if each is not None]
    if _storable(value):
        return value
    raise BadInputError(
        f"The field '{name}' of {id} cannot be stored: {str(value)[:60]!r} ({type(value).__name__}).",
        "Values are texts, finite numbers, true or false, or lists of these.",
    )


def _storable(value: Any) -> bool:
    match value:
        case bool():
            return True
        case str():
            return _is_unicode(value)
        case int():
            return -_LARGEST_INTEGER <= value < _LARGEST_INTEGER
        case float():
            return math.isfinite(value)
        case _:
            return False


def _is_unicode(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8; a lone surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
