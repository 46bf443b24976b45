"""The Typer app; errors are printed as sentences and end with their exit code."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import Annotated

import typer
from rich.markup import escape
from typer import Option

from visavis.cli.output import stderr
from visavis.errors import StorageError, VisavisError
from visavis.logs import printable
from visavis.version import __version__

#: One module a command (or a family of commands), in the order of ``visavis --help``.
COMMANDS = (
    "about",
    "index",
    "search",
    "understand",
    "chat",
    "edit",
    "export",
    "collections",
    "serve",
    "mcp",
    "user",
    "demo",
    "train.datasets",
    "bench",
    "train",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


app = typer.Typer(
    name="visavis",
    help="Find a picture by talking about it, then talk it into shape.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _options(
    version: Annotated[
        bool, Option("--version", "-V", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Options before any command."""


@cache
def _register_all() -> None:
    """Add every command; only once in a process."""
    for name in COMMANDS:
        family = import_module(f"visavis.cli.{name}")
        for part in getattr(family, "MODULES", ()):
            import_module(f"{family.__name__}.{part}")
        family.register(app)


def main() -> None:
    """Run the command line; an error a person can act on is printed as a sentence, never as a traceback."""
    _register_all()
    try:
        app()
    except VisavisError as error:
        _fail(error)
    except BrokenPipeError:  # the reader of a pipe has gone (`visavis search ... | head`): no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except MemoryError as error:
        _fail(
            VisavisError(f"The memory is not enough: {error or 'the system gave no more'}", "Take a smaller picture.")
        )
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        _fail(
            StorageError(f"The system refused{where}: {error.strerror or error}.", "Check its rights and free space.")
        )


def _fail(error: VisavisError) -> None:
    message = "\n".join(map(printable, error.message.split("\n")))
    stderr.print(f"[bold red]error:[/] {escape(message)}", highlight=False, soft_wrap=True)
    if error.remedy:
        stderr.print(f"  {escape(error.remedy)}", highlight=False, soft_wrap=True)
    sys.exit(error.exit_code)
