"""The built web app: its files, and the initial data that is put into its page."""

from __future__ import annotations

import gzip
import json
import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from visavis.errors import VisavisError
from visavis.server.dependencies import Services
from visavis.server.models.common import Me
from visavis.server.security import Identity
from visavis.server.services.catalogue import cached_suggestions, collection_summaries
from visavis.server.services.rendering import conversation_model
from visavis.server.services.wall import wall
from visavis.version import __version__

INDEX = "index.html"
#: Media types that are worth compressing.
_TEXT = ("text/", "application/javascript", "application/json", "image/svg+xml")
_COMPRESSION = 9
#: The first page of the wall (web/src/state/wall.ts).
_FIRST = 60
#: Thumbnails that the browser preloads: about one screen.
_AHEAD = 18
#: The screens for which the page uses thumbnails of this size (web/src/api/addresses.ts).
_MEDIA = "(max-resolution: 1.6dppx), (max-width: 600px)"


@dataclass(frozen=True)
class Asset:
    """A file of the web app.

    Attributes:
        data: Its bytes.
        packed: The bytes compressed with gzip; empty where that does not help.
        media: The media type.
        tag: A hash of the content.
    """

    data: bytes
    packed: bytes
    media: str
    tag: str


class Assets:
    """The files of one folder, read and compressed once; a file that changes is read again.

    Args:
        folder: The built app.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._read: dict[Path, tuple[int, Asset]] = {}

    def get(self, path: str) -> Asset | None:
        """The file at a path; None for a path outside the folder."""
        if not path or "\0" in path:
            return None
        try:
            file = (self._folder / path).resolve()
            if not file.is_relative_to(self._folder) or not file.is_file():
                return None
            changed = file.stat().st_mtime_ns
            kept = self._read.get(file)
            if kept is None or kept[0] != changed:
                self._read[file] = kept = (changed, _asset(file))
        except (OSError, ValueError):
            return None
        return kept[1]


def _asset(file: Path) -> Asset:
    data = file.read_bytes()
    media = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    packed = gzip.compress(data, _COMPRESSION, mtime=0) if media.startswith(_TEXT) else b""
    return Asset(data, packed if len(packed) < len(data) else b"", media, sha256(data).hexdigest()[:20])


@dataclass
class InitialData:
    """The data that is put into a page, so that the first pictures need no further request.

    Attributes:
        data: The responses that the page would request, by name.
        thumbnails: The URLs of the pictures that it shows first.
    """

    data: dict[str, Any] = field(default_factory=dict)
    thumbnails: list[str] = field(default_factory=list)

    def into(self, page: str, theme: str | None) -> str:
        """The page with the data in it."""
        links = "".join(
            f'<link rel="preload" as="image" href="{escape(address)}" media="{_MEDIA}" />'
            for address in self.thumbnails
        )
        # A data block is not executed; "<" is escaped so that nothing in it can end it.
        told = json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        block = f'<script type="application/json" id="opening">{told}</script>' if self.data else ""
        if theme in ("light", "dark"):
            page = page.replace("<html ", f'<html data-theme="{theme}" ', 1)
        return page.replace("</head>", f"{links}</head>", 1).replace("</body>", f"{block}</body>", 1)


def initial_data(services: Services, who: Identity, path: str) -> InitialData:
    """The initial data of the page at a path; the page requests what is missing, and gets the error."""
    made = InitialData()
    me = Me(user=who.name, role=who.role, mode=services.settings.mode, version=__version__)
    made.data["me"] = me.model_dump(mode="json")
    made.data["collections"] = [one.model_dump(mode="json") for one in collection_summaries(services.collections)]
    parts = path.split("/")
    try:
        if len(parts) == 3 and parts[0] == "c":
            _conversation(services, who, made, parts[1], parts[2])
        elif len(parts) == 2 and parts[0] == "c":
            _wall(services, made, parts[1])
    except VisavisError:
        pass
    return made


def _wall(services: Services, made: InitialData, collection: str) -> None:
    opened = services.collections.open(collection)
    first = wall(opened, 0, _FIRST)
    made.data["wall"] = {"collection": collection, **first.model_dump(mode="json")}
    if messages := cached_suggestions(opened):
        made.data["suggestions"] = {"collection": collection, "messages": messages}
    made.thumbnails = _addresses(collection, [one.id for one in first.pictures])


def _conversation(services: Services, who: Identity, made: InitialData, collection: str, id: str) -> None:
    talk = services.conversations.page(who.name, id)
    if talk.opened.name != collection:
        return
    made.data["conversation"] = conversation_model(talk).model_dump(mode="json")
    if talk.page.turns:
        made.thumbnails = _addresses(collection, [result.id for result in talk.page.turns[-1].results])


def _addresses(collection: str, ids: Sequence[str]) -> list[str]:
    base = f"/api/v1/collections/{quote(collection, safe='')}/pictures"
    return [f"{base}/{id}/thumbnail?size=320" for id in ids[:_AHEAD]]
