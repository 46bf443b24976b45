"""Run the command line in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_DRIVER = Path(__file__).with_name("tiny_visavis.py")


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a process: this one's, so that it runs the same visavis, with the tests' support."""
    path = os.pathsep.join(filter(None, (str(_DRIVER.parent), os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "VISAVIS_HOME": str(home), "PYTHONPATH": path, **more}


def start(home: Path, *args: object, **more: str) -> subprocess.Popen[str]:
    """A process that runs; its output is collected."""
    command = [sys.executable, str(_DRIVER), *map(str, args)]
    return subprocess.Popen(
        command, env=environment(home, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(
    process: subprocess.Popen[str], *, ok: bool = True, timeout: float = 180
) -> subprocess.CompletedProcess[str]:
    """Wait for it; it must never end in a traceback."""
    out, err = process.communicate(timeout=timeout)
    assert "Traceback" not in err, err
    if ok:
        assert process.returncode == 0, err
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def visavis(home: Path, *args: object, ok: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return finish(start(home, *args, **more), ok=ok)


def visavis_json(home: Path, *args: object, **more: str) -> Any:
    """Run a command with ``--json`` and read what it prints."""
    return json.loads(visavis(home, *args, "--json", **more).stdout)
