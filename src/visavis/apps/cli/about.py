"""``visavis version``."""

from __future__ import annotations

import typer

from visavis.version import __version__


def register(app: typer.Typer) -> None:
    """Add the commands about visavis itself."""
    app.command()(version)


def version() -> None:
    """Print the version."""
    typer.echo(__version__)
