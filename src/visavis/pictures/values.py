"""Convert values of a table or of JSON to attributes that can be filtered on."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from visavis.pictures.picture import AttributeValue

_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
#: No leading zeros: an article number 00712 or a postcode stays a text.
_INTEGER = re.compile(r"[+-]?(0|[1-9]\d*)", re.ASCII)
#: An exponent only after a point: 12E4 is an article number, 1.2E4 is not.
_DECIMAL = re.compile(r"[+-]?(0|[1-9]\d*)?\.\d+([eE][+-]?\d+)?|[+-]?[1-9]\d*\.", re.ASCII)
#: Lone surrogates, and NUL, which PostgreSQL refuses.
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
#: Maximum length of a name, the width of its column in PostgreSQL.
_LONGEST_NAME = 100
#: Stores hold integers in 64 bits; a longer row of digits is an identifier, not a quantity.
_LARGEST = 2**63 - 1
#: Objects inside objects that are flattened; a file nested deeper is made to exhaust the stack.
_DEEPEST = 20
#: A longer list in a table's cell stays a text: parsing takes a hundred times its memory.
_LONGEST_LIST = 100_000


def from_cell(text: str) -> AttributeValue | None:
    """Parse a table's cell: an integer, a decimal, a boolean, a list, else a text; None for an empty one."""
    text = text.strip()
    if text.lower() in _MISSING:
        return None
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if _INTEGER.fullmatch(text) and len(text) <= 20 and abs(int(text)) <= _LARGEST:
        return int(text)
    if _DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    values = _list_in(text)
    return text if values is None else from_json(values)


def from_json(value: Any) -> AttributeValue | None:
    """Convert a JSON scalar or list to an attribute; None for an empty one. JSON is typed, so a text stays a text."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return writable(value).strip() or None
    if isinstance(value, list):
        items = (from_json(item) for item in value if not isinstance(item, list))
        return [str(item) for item in items if item is not None] or None
    return None


def flat_attributes(values: Mapping[str, Any]) -> dict[str, AttributeValue]:
    """Flatten named values into attributes: nested objects become ``outer_inner``, empty values are left out."""
    named = ((attribute_name(name), from_json(value)) for name, value in _leaves(values))
    return {name: value for name, value in named if name and value is not None}


def attribute_name(name: str) -> str:
    """Remove characters that are invisible or have a meaning in filters (spaces, points, brackets, quotes)."""
    name = "".join(letter if letter.isprintable() else " " for letter in name)
    return re.sub(r"[\s.,:;\[\]{}()\"'`<>=!]+", "_", name.strip())[:_LONGEST_NAME].strip("_")


def writable(text: str) -> str:
    """Replace characters that UTF-8 cannot encode, though JSON can contain them, and that databases refuse."""
    return _UNWRITABLE.sub("\ufffd", text)


def texts_in(value: Any) -> list[str]:
    """Return the texts of a caption column: one, or several in a list."""
    if isinstance(value, str):
        listed = _list_in(value.strip()) if value.lstrip().startswith("[") else None
        value = [value] if listed is None else listed
    if not isinstance(value, list):
        return []
    return [writable(text).strip() for text in value if isinstance(text, str) and text.strip()]


def _leaves(values: Mapping[str, Any], prefix: str = "", depth: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if not isinstance(value, Mapping):
            yield f"{prefix}{name}", value
        elif depth > 0:
            yield from _leaves(value, f"{prefix}{name}_", depth - 1)


def _list_in(text: str) -> list[Any] | None:
    """Parse a list written as JSON, as Python or with bars (``red|blue``); None for any other text."""
    if len(text) > _LONGEST_LIST:
        return None
    if text.startswith("[") and text.endswith("]"):
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            return value if isinstance(value, list) else None
        return None
    parts = [part.strip() for part in text.split("|")]
    return parts if len(parts) > 1 and all(parts) else None
