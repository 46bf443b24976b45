"""``visavis version`` and ``visavis doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.markup import escape
from rich.table import Table

from visavis.cli.output import HomeOption, JsonOption, print_json, stdout
from visavis.version import __version__

if TYPE_CHECKING:  # the examination imports everything it looks at
    from visavis.doctor import DoctorReport

_MARKS = {"fine": "[green]fine[/]", "warning": "[yellow]warning[/]", "broken": "[bold red]broken[/]"}


def register(app: typer.Typer) -> None:
    """Add the commands about visavis itself."""
    app.command()(version)
    app.command()(doctor)


def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def doctor(json: JsonOption = False, home: HomeOption = None) -> None:
    """Look whether everything visavis needs is here and works, and say what to do where it does not.

    Ends with 1 when something essential is broken.

    Examples:
      visavis doctor
      visavis doctor --json | jq .healthy
    """
    from visavis.doctor import examine

    report = examine(home)
    if json:
        print_json(report.as_json())
    else:
        _print(report)
    if not report.healthy:
        raise typer.Exit(1)


def _print(report: DoctorReport) -> None:
    stdout.print(f"visavis [bold]{report.version}[/], Python {report.python}, {report.platform}", highlight=False)
    for table in (_findings(report), _packages(report), _extras(report)):
        stdout.print(table)
    troubles = [finding for finding in report.findings if finding.remedy]
    for finding in troubles:
        told = escape(f"{finding.topic}: {finding.detail}. {finding.remedy}")
        stdout.print(f"{_MARKS[finding.health]} {told}", highlight=False)
    if not troubles:
        stdout.print("[green]Everything works.[/]")


def _findings(report: DoctorReport) -> Table:
    table = Table("looked at", "", "found")
    memory = report.machine["memory_bytes"]
    machine = f"{report.machine['cores']} cores" + (f", {memory / 1e9:.1f} GB memory" if memory else "")
    table.add_row("machine", _MARKS["fine"], machine)
    for finding in report.findings:
        table.add_row(finding.topic, _MARKS[finding.health], escape(finding.detail))
    return table


def _packages(report: DoctorReport) -> Table:
    table = Table("package", "version")
    for name, version in report.packages.items():
        table.add_row(name, version or "[red]missing[/]")
    return table


def _extras(report: DoctorReport) -> Table:
    table = Table("extra", "", "how to have it")
    for name, lacks in report.extras.items():
        how = f"pip install 'visavis[{name}]' (brings {', '.join(lacks)})" if lacks else ""
        table.add_row(name, "absent" if lacks else "[green]here[/]", escape(how))
    return table
