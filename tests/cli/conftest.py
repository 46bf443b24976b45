"""The command line inside the test's own process, with the tiny encoder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tiny_encoder import TinyEncoder


@dataclass
class Ended:
    code: int
    stdout: str
    stderr: str


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def visavis(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run a command; ``ok=False`` where it is meant to fail."""
    from visavis.cli.main import main

    monkeypatch.setenv("VISAVIS_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "500")
    monkeypatch.setattr("visavis.collections.collection._load_encoder", lambda _: TinyEncoder())

    def run(*args: object, ok: bool = True) -> Ended:
        capfd.readouterr()
        monkeypatch.setattr("sys.argv", ["visavis", *map(str, args)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        code = ended.value.code
        result = Ended(code if isinstance(code, int) else int(bool(code)), out, err)
        if ok:
            assert result.code == 0, err
        return result

    return run
