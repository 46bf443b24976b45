"""``visavis serve``."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from typer import Argument, Option

from visavis.cli.output import (
    CatalogueOption,
    DatabaseOption,
    HomeOption,
    OpenOption,
    PortOption,
    StoreOption,
    stderr,
    stdout,
)
from visavis.errors import BadInputError
from visavis.home import expand_user

if TYPE_CHECKING:
    from visavis.server.dependencies import Services


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)


def serve(
    folder: Annotated[Path | None, Argument(help="A folder to index first; the page shows how far it is.")] = None,
    collection: Annotated[
        str, Option("--collection", "-c", help="The folder's collection; its own name when not given.")
    ] = "",
    host: Annotated[str, Option(help="Where to listen; beyond 127.0.0.1 users need keys.")] = "127.0.0.1",
    port: PortOption = None,
    open_browser: OpenOption = True,
    keys: Annotated[bool, Option("--keys", help="Ask for a key on this machine too (behind a proxy).")] = False,
    workers: Annotated[int, Option(min=1, max=64, help="Processes; more than one need servers below.")] = 1,
    store: StoreOption = None,
    catalogue: CatalogueOption = None,
    database: DatabaseOption = None,
    secure_cookies: Annotated[
        bool, Option("--secure-cookies", help="Cookies over HTTPS only (behind a proxy that speaks it).")
    ] = False,
    proxy: Annotated[
        list[str] | None,
        Option(help="A reverse proxy to believe when it says where requests come from; may be repeated."),
    ] = None,
    home: HomeOption = None,
) -> None:
    """Open the web app: find and edit pictures by talking, in a browser.

    On this machine nobody needs to log in. For others, add users first; see docs/server.md.

    [bold]Examples[/]

      visavis serve ~/Pictures

      visavis serve --port 8000 --no-open

      visavis user add anna --role write && visavis serve --host 0.0.0.0
    """
    from visavis.server import runner
    from visavis.server.security import is_loopback
    from visavis.server.settings import ServerSettings

    settings = ServerSettings.of(
        home,
        mode="keys" if keys or not is_loopback(host) else "local",
        database=database,
        store=store,
        catalogue=catalogue,
        secure_cookies=secure_cookies,
        proxies=tuple(proxy or ()),
        workers=workers,
        warm=True,
    )
    runner.check(settings, host)
    if folder is not None and workers > 1:
        raise BadInputError("Several workers cannot begin with a folder.", "First: visavis index FOLDER -c NAME")
    name = _collection_for(folder, collection) if folder is not None else ""
    address, bound = runner.free_address(host, port)

    def ready(services: Services) -> None:
        if folder is not None:
            _begin(services, name, folder)
        stdout.print(address.url, highlight=False, soft_wrap=True)
        stderr.print("Ctrl-C ends it.", highlight=False)
        if open_browser:
            open_page(f"{address.url}c/{name}" if name else address.url)

    if workers > 1:
        stdout.print(address.url, highlight=False, soft_wrap=True)
    runner.run(settings, bound, ready)


def _collection_for(folder: Path, given: str) -> str:
    """The collection that a folder goes into: the one named, or one called like the folder."""
    path = expand_user(folder).absolute()
    if not path.exists():
        raise BadInputError(f"There is no folder {folder}.", "Check the path.")
    return given or re.sub(r"[^A-Za-z0-9._-]+", "-", path.name).strip("-._")[:64] or "pictures"


def _begin(services: Services, name: str, folder: Path) -> None:
    """Begin to index in the background; the page shows how far it is."""
    if name not in services.collections.names():
        services.collections.create(name)
    services.jobs.index("local", name, str(expand_user(folder).absolute()))
    stderr.print(
        f"Indexing {escape(str(folder))} into '{escape(name)}'; the page shows how far it is.", highlight=False
    )


def open_page(url: str) -> None:
    """Open a page in a browser, where there is one."""
    import webbrowser

    headless = sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if sys.stdout.isatty() and not headless:
        webbrowser.open(url)
