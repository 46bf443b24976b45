"""The built web app, and a plain page where it is not there."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from visavis.apps.server.security.identity import address_of
from visavis.apps.server.services import Services, services
from visavis.errors import NotFoundError

router = APIRouter(include_in_schema=False)
Home = Annotated[Services, Depends(services)]
_INDEX = "index.html"
#: What addresses of pages begin with; all of them are the same file, which looks at the address itself.
_PAGES = ("c", "s", "login")
_PLAIN = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>visavis</title></head><body>
<h1>visavis is running</h1>
<p>The web app was not built into this installation. The interface is here:
<a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p>
<p>To build the app: <code>make web</code> in the source, or install a released package.</p></body></html>"""


@router.get("/{path:path}")
async def static(request: Request, home: Home, path: str) -> Response:
    """A file of the web app; pages of the app itself are all the same file."""
    home.visitors.take(address_of(request))
    if path == "api" or path.startswith("api/"):
        raise NotFoundError(f"There is no /{path[:100]} here.", "See /api/v1/openapi.json.")
    folder = home.settings.static.resolve()
    file = _inside(folder, path)
    if file is not None:
        hashed = path.startswith("assets/")
        cache = "public, max-age=31536000, immutable" if hashed else "no-cache"
        media = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return FileResponse(file, media_type=media, headers={"Cache-Control": cache})
    if path and path.partition("/")[0] not in _PAGES:
        raise NotFoundError(f"There is no /{path[:100]} here.", "Go to the first page.")
    index = folder / _INDEX
    if not index.is_file():
        return HTMLResponse(_PLAIN, headers={"Cache-Control": "no-store"})
    return FileResponse(index, media_type="text/html; charset=utf-8", headers={"Cache-Control": "no-cache"})


def _inside(folder: Path, path: str) -> Path | None:
    """The file at a path below the folder, and nothing outside it however the path is written."""
    if not path or "\0" in path or path == _INDEX:
        return None
    try:
        file = (folder / path).resolve()
        return file if file.is_relative_to(folder) and file.is_file() else None
    except (OSError, ValueError):
        return None
