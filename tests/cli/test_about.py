"""``visavis version`` and ``visavis doctor`` as a person and as a script see them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from visavis.cli import about
from visavis.version import __version__


@pytest.fixture
def run():
    app = typer.Typer()
    about.register(app)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("way", ["--version", "-V", "version"])
def test_the_version_is_told_as_people_ask_for_it(visavis, way: str) -> None:
    assert visavis(way).stdout.strip() == __version__


def test_the_package_runs_as_a_module() -> None:
    run = subprocess.run([sys.executable, "-m", "visavis", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == __version__


def test_the_command_line_starts_without_what_only_some_commands_need() -> None:
    code = "import sys; from visavis.cli.main import _register_all; _register_all(); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in run.stdout.split()}
    assert "typer" in loaded
    assert not loaded & {"numpy", "scipy", "PIL", "sqlalchemy", "onnxruntime", "pydantic", "fastapi"}


def test_doctor_tells_a_person(run, tmp_path: Path) -> None:
    result = run("doctor", "--home", tmp_path)
    assert result.exit_code == 0
    for word in ("pillow", "onnxruntime", "encoder", "cores", "disk", "heic"):
        assert word in result.stdout


def test_doctor_tells_a_script(run, tmp_path: Path) -> None:
    result = run("doctor", "--json", "--home", tmp_path)
    report = json.loads(result.stdout)
    assert report["healthy"] is True
    assert report["version"] == __version__
    assert report["packages"]["numpy"]
    assert report["machine"]["cores"] >= 1
    assert report["machine"]["disk_free_bytes"] > 0
    assert {"topic", "health", "detail", "remedy"} == set(report["findings"][0])


def test_doctor_ends_with_one_and_a_remedy_when_something_is_broken(run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("doctor", "--home", tmp_path / "file")
    assert result.exit_code == 1
    assert "broken" in result.stdout
    assert "VISAVIS_HOME" in result.stdout
    script = run("doctor", "--json", "--home", tmp_path / "file")
    assert script.exit_code == 1
    assert json.loads(script.stdout)["healthy"] is False
