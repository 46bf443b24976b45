"""Run the command line in a separate process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

_DRIVER = Path(__file__).with_name("tiny_visavis.py")


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a process: this one's, so that it runs the same visavis, with the tests' support."""
    path = os.pathsep.join(filter(None, (str(_DRIVER.parent), os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "VISAVIS_HOME": str(home), "PYTHONPATH": path, **more}


def command(*args: object) -> list[str]:
    """The command line as a command of the system."""
    return [sys.executable, str(_DRIVER), *map(str, args)]


def start(home: Path, *args: object, **more: str) -> subprocess.Popen[str]:
    """A process that runs; its output is collected."""
    return subprocess.Popen(
        command(*args), env=environment(home, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(
    process: subprocess.Popen[str], *, ok: bool = True, timeout: float = 180
) -> subprocess.CompletedProcess[str]:
    """Wait for it; it must never end in a traceback. One that takes too long tells what it was doing."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"not ended after {timeout:.0f} s; {_doing(process)}") from None
    assert "Traceback" not in err, err
    if ok:
        assert process.returncode == 0, err
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _doing(process: subprocess.Popen[str]) -> str:
    """End a process, and return its processor time, the state of its threads and where they are in the code."""
    told = []
    for task in sorted(Path(f"/proc/{process.pid}/task").glob("*")):
        name, state = (task / "stat").read_text().split(" (", 1)[1].rsplit(") ", 1)
        fields = state.split()
        told.append(f"{name} {fields[0]} {(int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'):.1f} CPU s")
    process.send_signal(signal.SIGABRT)  # faulthandler prints the stacks
    return f"threads: {', '.join(told)}; {process.communicate()[1]}"


def visavis(home: Path, *args: object, ok: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return finish(start(home, *args, **more), ok=ok)


def visavis_json(home: Path, *args: object, **more: str) -> Any:
    """Run a command with ``--json`` and read what it prints."""
    return json.loads(visavis(home, *args, "--json", **more).stdout)
