"""Encoders by name; each says whether it is available, and what to install where it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec

from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, NotFoundError
from visavis.home import expand_user

BUILTIN = "builtin"


@dataclass(frozen=True)
class EncoderInfo:
    """One way to get an encoder.

    Attributes:
        name: What to ask for; capitals stand for what to fill in.
        summary: What it is, in a few words.
        available: Whether it can be used here and now.
        remedy: How to make it available, or an empty string.
    """

    name: str
    summary: str
    available: bool
    remedy: str = ""


@dataclass(frozen=True)
class _Kind:
    """A family of encoders that share the beginning of their names."""

    prefix: str
    pattern: str
    summary: str
    load: Callable[[str], Encoder]
    missing: Callable[[], str]


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


def available_encoders() -> list[EncoderInfo]:
    """Every encoder that can be asked for, those that are ready first."""
    infos = [EncoderInfo(k.pattern, k.summary, not k.missing(), k.missing()) for k in _KINDS]
    return sorted(infos, key=lambda info: not info.available)


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


def _missing_builtin() -> str:
    from visavis.encoders.base import read_description
    from visavis.encoders.builtin import WEIGHTS

    try:
        read_description(WEIGHTS)
    except NotFoundError as error:
        return error.remedy
    return ""


def _missing_openclip() -> str:
    return "" if find_spec("open_clip") else "Install it with: pip install 'visavis[hub]'"


_KINDS = (
    _Kind(BUILTIN, BUILTIN, "the encoder that ships with visavis", _load_builtin, _missing_builtin),
    _Kind("folder:", "folder:PATH", "weights exported by 'visavis train encoder'", _load_folder, str),
    _Kind("openclip:", "openclip:MODEL/PRETRAINED", "a model of open_clip", _load_openclip, _missing_openclip),
)
