"""What a page shows first, put into the page itself: no request has to come back before the first pictures hang."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import quote

from visavis.apps.server.library.cards import wall
from visavis.apps.server.library.looks import looks
from visavis.apps.server.library.suggesting import kept_suggestions
from visavis.apps.server.models.collections import Wall, WallPicture
from visavis.apps.server.models.session import Me
from visavis.apps.server.security.identity import Identity
from visavis.apps.server.services import Services
from visavis.apps.server.talking.telling import conversation_model
from visavis.errors import VisavisError
from visavis.version import __version__

#: As many as the page asks for at first, so that it need not ask (web/src/state/wall.ts).
_FIRST = 60
#: Thumbnails that the browser may fetch while it still reads the script: about what a screen shows at once.
_AHEAD = 18
#: Where these are the ones that the page is going to show (web/src/api/addresses.ts).
_MEDIA = "(max-resolution: 1.6dppx), (max-width: 600px)"


@dataclass
class Opening:
    """What is put into a page.

    Attributes:
        data: Answers that it would ask for, by what it calls them.
        thumbnails: Addresses of the pictures that it shows first.
    """

    data: dict[str, Any] = field(default_factory=dict)
    thumbnails: list[str] = field(default_factory=list)

    def into(self, page: str, theme: str | None) -> str:
        """The page with everything in it."""
        links = "".join(
            f'<link rel="preload" as="image" href="{escape(address)}" media="{_MEDIA}" />'
            for address in self.thumbnails
        )
        # A data block is no script to a browser, as long as nothing in it can end it.
        told = json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        block = f'<script type="application/json" id="opening">{told}</script>' if self.data else ""
        if theme in ("light", "dark"):
            page = page.replace("<html ", f'<html data-theme="{theme}" ', 1)
        return page.replace("</head>", f"{links}</head>", 1).replace("</body>", f"{block}</body>", 1)


def opening(home: Services, who: Identity, path: str) -> Opening:
    """What the page at a path begins with; what cannot be told here the page asks for itself, and is told why not."""
    made = Opening()
    me = Me(user=who.name, role=who.role, mode=home.settings.mode, version=__version__)
    made.data["me"] = me.model_dump(mode="json")
    made.data["collections"] = [one.model_dump(mode="json") for one in looks(home.library)]
    parts = path.split("/")
    try:
        if len(parts) == 3 and parts[0] == "c":
            _conversation(home, who, made, parts[1], parts[2])
        elif len(parts) == 2 and parts[0] == "c":
            _wall(home, made, parts[1])
    except VisavisError:
        pass
    return made


def _wall(home: Services, made: Opening, collection: str) -> None:
    opened = home.library.open(collection)
    total, found = wall(opened.catalogue, 0, _FIRST)
    pictures = [WallPicture(id=one.id, width=one.width, height=one.height, caption=one.caption) for one in found]
    made.data["wall"] = {"collection": collection, **Wall(total=total, pictures=pictures).model_dump(mode="json")}
    if messages := kept_suggestions(opened):
        made.data["suggestions"] = {"collection": collection, "messages": messages}
    made.thumbnails = _addresses(collection, [one.id for one in found])


def _conversation(home: Services, who: Identity, made: Opening, collection: str, id: str) -> None:
    talk = home.talks.find(who.name, id)
    if talk.opened.name != collection:
        return
    made.data["conversation"] = conversation_model(talk).model_dump(mode="json")
    if len(talk.conversation):
        made.thumbnails = _addresses(collection, [result.id for result in talk.conversation.last.results])


def _addresses(collection: str, ids: Sequence[str]) -> list[str]:
    base = f"/api/v1/collections/{quote(collection, safe='')}/pictures"
    return [f"{base}/{id}/thumbnail?size=320" for id in ids[:_AHEAD]]
