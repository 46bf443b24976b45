"""``visavis bench``: scores of what visavis is made of, on data of your own; one module a benchmark."""

from __future__ import annotations

from importlib import import_module

import typer

bench_app = typer.Typer(help="Measure how good the parts are, on data of your own.", no_args_is_help=True)
#: In the order of ``visavis bench --help``; each module adds its commands when it is imported.
BENCHMARKS = ("encoder", "talk", "dialogs", "chatir", "dialog")


def register(app: typer.Typer) -> None:
    """Add ``visavis bench``."""
    for name in BENCHMARKS:
        import_module(f"{__name__}.{name}")
    app.add_typer(bench_app, name="bench")
