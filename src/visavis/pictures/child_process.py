"""What the child processes that read files of strangers have in common: their limits and their pipes."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

_LARGEST_HEADER = 1 << 20
_PR_SET_PDEATHSIG = 1


def become_child(memory: int) -> IO[bytes]:
    """Take the limits of a child process; returns the pipe for its answers.

    Args:
        memory: Bytes that it may take beyond what it has now, where the system can tell.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    if sys.platform == "linux":  # do not outlive the parent
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    with suppress(ImportError, OSError, ValueError):
        import resource

        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return answers


def limit_time(seconds: float) -> None:
    """End this process after so much processor time, where the system can; 0 for no limit."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


# -- frames: the lengths of a JSON header and of a body, then both; no pickles, which a taken-over child could abuse


def write_frame(file: IO[bytes], header: dict[str, Any], body: bytes = b"") -> None:
    """Send a header and a body."""
    text = json.dumps(header).encode()
    file.write(len(text).to_bytes(4, "big") + len(body).to_bytes(8, "big") + text)
    file.write(body)
    file.flush()


def read_frame(file: IO[bytes], largest: int) -> tuple[dict[str, Any], bytes] | None:
    """The next header and body; None at the end.

    Raises:
        ValueError: It is no frame, or a body larger than allowed.
    """
    lengths = file.read(12)
    if len(lengths) < 12:
        return None
    header, body = int.from_bytes(lengths[:4], "big"), int.from_bytes(lengths[4:], "big")
    if header > _LARGEST_HEADER or body > largest:
        raise ValueError("The frame is too large.")
    text, content = file.read(header), file.read(body)
    return (dict(json.loads(text)), content) if len(content) == body else None
