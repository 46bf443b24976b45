"""``visavis user ...``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table
from typer import Argument, Option

from visavis.cli.output import HomeOption, JsonOption, print_json, stderr, stdout

if TYPE_CHECKING:
    from visavis.server.services.accounts import Users

users = typer.Typer(help="Who may use the server beyond this machine.", no_args_is_help=True)
NameArgument = Annotated[str, Argument(help="The user's name.")]
DatabaseOption = Annotated[
    str | None, Option(envvar="VISAVIS_SERVER_DATABASE", help="The server's postgresql:// URL, if it has one.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(users, name="user")


@users.command()
def add(
    name: NameArgument,
    role: Annotated[str, Option(help="read, write or admin.")] = "read",
    json: JsonOption = False,
    database: DatabaseOption = None,
    home: HomeOption = None,
) -> None:
    """Add a user and print their key, which cannot be shown again.

    [bold]Examples[/]

      visavis user add anna --role write
    """
    with _users(home, database) as known:
        key = known.add(name, role)
    if json:
        print_json({"name": name, "role": role, "key": key})
        return
    stdout.print(key, highlight=False, soft_wrap=True)
    stderr.print(
        f"The key of '{escape(name)}' ({role}). Keep it: it is not stored and not shown again.", highlight=False
    )


@users.command("list")
def list_users(json: JsonOption = False, database: DatabaseOption = None, home: HomeOption = None) -> None:
    """List the users.

    [bold]Examples[/]

      visavis user list --json
    """
    with _users(home, database) as known:
        found = known.list()
    if json:
        print_json({"users": [user.as_json() for user in found]})
        return
    table = Table("name", "role", "since", "revoked", box=None)
    for user in found:
        since, until = (f"{time:%Y-%m-%d %H:%M}" if time else "" for time in (user.created_at, user.revoked_at))
        table.add_row(escape(user.name), user.role, since, until)
    stdout.print(table)


@users.command()
def revoke(
    name: NameArgument, json: JsonOption = False, database: DatabaseOption = None, home: HomeOption = None
) -> None:
    """Make a user's key worthless at once; their conversations stay.

    [bold]Examples[/]

      visavis user revoke anna
    """
    with _users(home, database) as known:
        known.revoke(name)
    if json:
        print_json({"revoked": name})
    else:
        stderr.print(f"The key of '{escape(name)}' is worthless now.", highlight=False)


@contextmanager
def _users(home: str | None, database: str | None) -> Iterator[Users]:
    from visavis.home import home_folder
    from visavis.server.database import ServerDatabase
    from visavis.server.services.accounts import Users

    records = ServerDatabase(home_folder(home), database)
    try:
        yield Users(records)
    finally:
        records.close()
