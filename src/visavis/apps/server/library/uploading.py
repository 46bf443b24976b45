"""Taking in pictures that somebody sent: by what they are, not by what they are called."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath

from visavis.apps.server.library.opened import Opened
from visavis.apps.server.models.collections import Added, RefusedFile
from visavis.apps.server.settings import Limits
from visavis.errors import BadInputError
from visavis.pictures import decoding
from visavis.pictures.opening import open_scaled
from visavis.pictures.picture import Details, Origin, Picture, content_id

_SHOWN_NAME = 120


@dataclass
class Uploaded:
    """What became of files."""

    added: list[Added] = field(default_factory=list)
    refused: list[RefusedFile] = field(default_factory=list)


def take_in(opened: Opened, data: bytes, name: str, limits: Limits, done: Uploaded) -> None:
    """Take in one file, or note why not."""
    shown = _shown(name)
    try:
        check(data, shown, limits)
        title = PurePath(shown).stem
        picture = opened.collection.add(data, details=Details((), {"title": title}))
    except BadInputError as error:
        done.refused.append(RefusedFile(name=shown, reason=str(error)))
        return
    done.added.append(Added(id=picture.id, name=shown))


def hand_over(opened: Opened, data: bytes, name: str, limits: Limits) -> Picture:
    """Take in a picture only to search with it: it counts as made here, so that searches leave it out."""
    check(data, _shown(name), limits)
    known = opened.collection.catalogue.picture(content_id(data))
    if known is not None:
        return known
    return opened.collection.add(data, origin=Origin(content_id(data), ()))


def check(data: bytes, name: str, limits: Limits) -> None:
    """Refuse what is too large or is no picture, before it is decoded in full.

    Raises:
        BadInputError: It cannot be used.
    """
    if len(data) > limits.file_bytes:
        raise BadInputError(f"{name} is larger than {limits.file_bytes:,} bytes.", "Scale it down.")
    open_scaled(data, 64, limits=decoding.Limits(limits.pixels, limits.file_bytes), name=name)


def _shown(name: str) -> str:
    """A file's bare name, without ways and control characters in it."""
    bare = PurePath(name.replace("\\", "/")).name
    return "".join(letter for letter in bare if letter.isprintable())[-_SHOWN_NAME:] or "picture"
