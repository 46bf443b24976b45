"""``visavis train``: the sub-commands add themselves to this app."""

from __future__ import annotations

import typer

train_app = typer.Typer(help="Train what visavis learns from data (extra 'train').", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add ``visavis train``."""
    app.add_typer(train_app, name="train")
