"""Run the attacks of docs/security.md in full size, once, and print what each costs.

    python tools/attacks.py                # all of them, each in a process of its own with a limit of 16 GB
    python tools/attacks.py ignore scans   # some

Every attack prints the seconds, the processor time and the peak of memory of the process that met it (40 MB are
Python's, 300 those of a server with its encoder), and what it was told.
The server that is attacked listens on 127.0.0.1 and ends with its attack.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import _attacks_by_files  # noqa: F401  # they add themselves to the list
import _attacks_on_the_server  # noqa: F401
from _attack_meter import ATTACKS, meter

_LIMIT = 16 << 30
_SECONDS = 600


def run(name: str) -> None:
    """Run one attack in this process and print what it took."""
    resource.setrlimit(resource.RLIMIT_AS, (_LIMIT, _LIMIT))
    from visavis.pictures.decoder_process import shared_pool

    with tempfile.TemporaryDirectory(prefix="visavis-attack-") as folder:
        told = ATTACKS[name](Path(folder))
        shared_pool().close()
        print(f"{name:24} {meter.told()}  {told}", flush=True)


def main() -> None:
    """Start a process for each attack that was asked for."""
    for name in sys.argv[1:] or ATTACKS:
        try:
            ended = subprocess.run(  # noqa: S603  # this program
                [sys.executable, __file__, "--one", name], timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            print(f"{name:24} did not end within {_SECONDS} s", flush=True)
            continue
        if ended.returncode:
            print(f"{name:24} ended with {ended.returncode}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run(sys.argv[2])
    else:
        main()
