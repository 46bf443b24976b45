"""visavis: find a picture by talking about it, then talk it into shape."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from visavis.version import __version__

if TYPE_CHECKING:
    from visavis.api import Collection, open_collection

__all__ = ["Collection", "__version__", "open_collection"]

#: Where each public name lives. Loaded on first use, so that ``import visavis`` costs nothing.
_HOMES = {
    "Collection": "visavis.api",
    "open_collection": "visavis.api",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'visavis' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
