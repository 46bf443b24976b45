"""``visavis mcp``."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Option

from visavis.cli.output import CatalogueOption, DatabaseOption, HomeOption, StoreOption, stderr, stdout
from visavis.errors import BadInputError, MissingExtraError

#: Clients are configured with it, so that it does not move when it is taken.
_PORT = 8766


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(mcp)


def mcp(
    http: Annotated[bool, Option("--http", help="Streamable HTTP instead of stdio.")] = False,
    role: Annotated[
        str, Option(help="The most that agents may do: read, write (edited copies) or admin (indexing).")
    ] = "admin",
    host: Annotated[str, Option(help="With --http: where to listen; beyond 127.0.0.1 agents need keys.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="With --http: 0 for any free one.")] = _PORT,
    keys: Annotated[bool, Option("--keys", help="With --http: ask for a key on this machine too.")] = False,
    store: StoreOption = None,
    catalogue: CatalogueOption = None,
    database: DatabaseOption = None,
    proxy: Annotated[list[str] | None, Option(help="With --http: a reverse proxy to believe; may be repeated.")] = None,
    home: HomeOption = None,
) -> None:
    """Give agents the collections as tools of the Model Context Protocol (docs/mcp.md).

    Over stdio a client starts the command by itself. Over HTTP it is a server with the keys and roles of visavis serve.

    [bold]Examples[/]

      visavis mcp

      visavis mcp --role read

      visavis user add agent --role write && visavis mcp --http --keys
    """
    from visavis.server import runner
    from visavis.server.dependencies import Services
    from visavis.server.security import is_loopback
    from visavis.server.services.accounts import role_of
    from visavis.server.settings import ServerSettings

    try:
        from visavis.mcp.server import PATH, create_server, http_app
    except ImportError as error:
        raise MissingExtraError("The MCP server", "mcp") from error

    most = role_of(role)
    settings = ServerSettings.of(
        home,
        mode="keys" if http and (keys or not is_loopback(host)) else "local",
        database=database,
        store=store,
        catalogue=catalogue,
        proxies=tuple(proxy or ()),
        warm=True,
    )
    if not http:
        if keys or proxy or not is_loopback(host):
            raise BadInputError("--host, --keys and --proxy are for HTTP.", "Add --http.")
        create_server(Services.of(settings), most).run("stdio")
        return
    runner.check(settings, host)
    address, bound = runner.free_address(host, port)

    def ready(_: Services) -> None:
        stdout.print(f"{address.url.rstrip('/')}{PATH}", highlight=False, soft_wrap=True)
        stderr.print("Ctrl-C ends it.", highlight=False)

    runner.run(settings, bound, ready, http_app(Services.of(settings), most))
