"""Encoders by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, NotFoundError
from visavis.home import expand_user

BUILTIN = "builtin"


@dataclass(frozen=True)
class _Kind:
    """A family of encoders that share the beginning of their names."""

    prefix: str
    pattern: str
    load: Callable[[str], Encoder]


def load_encoder(name: str = BUILTIN) -> Encoder:
    """The encoder of a name; cached.

    Args:
        name: ``builtin`` (or the stable name of its weights), ``folder:PATH`` for weights that were exported to a
            folder, ``openclip:MODEL/PRETRAINED`` for an open_clip model (extra ``hub``).

    Raises:
        NotFoundError: There is no such encoder, or its weights are missing.
        MissingExtraError: It needs a package that is not installed.
    """
    if not isinstance(name, str) or not name.strip():
        raise BadInputError("No encoder was named.", f"Known are: {_known()}.")
    return _load(name.strip())


@lru_cache(maxsize=8)
def _load(name: str) -> Encoder:
    for kind in _KINDS:
        if name == kind.prefix or (kind.prefix.endswith(":") and name.startswith(kind.prefix)):
            return kind.load(name.removeprefix(kind.prefix))
    builtin = _builtin_or_none()
    if builtin is not None and builtin.name == name:
        return _load(BUILTIN)
    raise NotFoundError(f"There is no encoder '{name}'.", f"Known are: {_known()}.")


def _known() -> str:
    return ", ".join(kind.pattern for kind in _KINDS)


def _builtin_or_none() -> Encoder | None:
    try:
        return _load(BUILTIN)
    except NotFoundError:
        return None


def _load_builtin(_: str) -> Encoder:
    from visavis.encoders.builtin import BuiltinEncoder

    return BuiltinEncoder()


def _load_folder(rest: str) -> Encoder:
    from visavis.encoders.builtin import BuiltinEncoder

    if not rest:
        raise BadInputError("'folder:' names no folder.", "Write folder:PATH, with the path of exported weights.")
    return BuiltinEncoder(expand_user(rest))


def _load_openclip(rest: str) -> Encoder:
    from visavis.encoders.openclip import OpenClipEncoder

    return OpenClipEncoder.load(rest)


_KINDS = (
    _Kind(BUILTIN, BUILTIN, _load_builtin),
    _Kind("folder:", "folder:PATH", _load_folder),
    _Kind("openclip:", "openclip:MODEL/PRETRAINED", _load_openclip),
)
