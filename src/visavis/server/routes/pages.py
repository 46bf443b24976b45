"""Routes of the built web app, and a plain page where it is not built."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from visavis.errors import NotFoundError, VisavisError
from visavis.server.dependencies import Services, ServicesDep
from visavis.server.services.web_app import INDEX, Asset, Assets, InitialData, initial_data

router = APIRouter(include_in_schema=False)
#: The icon of the app.
_ICON = "mark.svg"
#: What addresses of pages begin with; all of them are the same file, which looks at the address itself.
_PAGES = ("c", "s", "study", "login")
#: The theme that somebody chose, so that the page never flashes in the other one (web/src/state/preferences.ts).
_THEME = "visavis-theme"
_FOREVER = "public, max-age=31536000, immutable"
_PLAIN = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>visavis</title></head><body>
<h1>visavis is running</h1>
<p>The web app was not built into this installation. The interface is here:
<a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p>
<p>To build the app: <code>make web</code> in the source, or install a released package.</p></body></html>"""


@lru_cache(maxsize=4)
def _assets(folder: Path) -> Assets:
    return Assets(folder)


@router.get("/{path:path}")
async def static(request: Request, services: ServicesDep, path: str) -> Response:
    """A file of the web app; pages of the app itself are all the same file."""
    if path == "api" or path.startswith("api/"):
        raise NotFoundError(f"There is no /{path[:100]} here.", "See /api/v1/openapi.json.")
    assets = _assets(services.settings.static)
    path = _ICON if path == "favicon.ico" else path  # some browsers ask for it whatever the page names
    asset = assets.get(path) if path != INDEX else None
    if asset is not None:
        return _file(request, asset, _FOREVER if path.startswith("assets/") else "no-cache")
    known = not path or path.partition("/")[0] in _PAGES
    if not known and "text/html" not in request.headers.get("accept", ""):
        raise NotFoundError(f"There is no /{path[:100]} here.", "Go to the first page.")
    index = assets.get(INDEX)
    if index is None:
        return HTMLResponse(_PLAIN, headers={"Cache-Control": "no-store"})
    first = await _opening(request, services, path)
    page = first.into(index.data.decode("utf-8"), request.cookies.get(_THEME))
    # A person who followed a wrong link is told so by the page, with a way out.
    return HTMLResponse(page, 200 if known else 404, headers={"Cache-Control": "private, no-cache"})


def _file(request: Request, asset: Asset, cache: str) -> Response:
    headers = {"Cache-Control": cache, "ETag": f'"{asset.tag}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    if not asset.packed:
        return Response(asset.data, media_type=asset.media, headers=headers)
    headers["Vary"] = "Accept-Encoding"
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(asset.data, media_type=asset.media, headers=headers)
    return Response(asset.packed, media_type=asset.media, headers={**headers, "Content-Encoding": "gzip"})


async def _opening(request: Request, services: Services, path: str) -> InitialData:
    """The initial data of a page; empty without a login, from a link of another site, or when the queue is full."""
    elsewhere = request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
    if elsewhere or path.startswith(("s/", "login")):  # how long it takes tells another site nothing
        return InitialData()
    try:
        return await services.readers.run(
            lambda: initial_data(services, services.authenticator.identify(request), path)
        )
    except VisavisError:
        return InitialData()
