"""Print the walk of one HTTP message through the package: files, functions, switches between rooms.

A search message and an edit message are sent to a real server in this process, on a small drawn collection; every
call of a function of the package is counted, in every thread. A room is a folder directly under ``visavis``
(what rooms share, ``types`` and ``errors``, is none); a switch is a call, within one thread, in another room than
the call before it.

    python tools/trace_message.py
    python tools/trace_message.py --walk search      # also every file, in the order of its first call
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import httpx

import visavis
from visavis.demo import showcase
from visavis.server.runner import serving
from visavis.server.settings import ServerSettings

_PACKAGE = str(Path(visavis.__file__).parent) + "/"
_PICTURES = 120
MESSAGES = {"search": "darker ones, no blue", "edit": "rotate the second one a little to the left and make it brighter"}


class Walk:
    """The calls of the package's functions, by thread, in order; ``noting`` switches it on and off."""

    noting = False

    def __init__(self) -> None:
        self._calls: dict[int, list[tuple[str, str]]] = defaultdict(list)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; handed to every thread as its profile function."""
        if self.noting and event == "call" and frame.f_code.co_filename.startswith(_PACKAGE):
            file = frame.f_code.co_filename.removeprefix(_PACKAGE)
            self._calls[threading.get_ident()].append((file, frame.f_code.co_qualname))

    def files(self) -> list[str]:
        """Every file, in the order of its first call."""
        return list(dict.fromkeys(file for calls in self._calls.values() for file, _ in calls))

    def figures(self) -> dict[str, int]:
        """Files, functions, calls and switches between rooms."""
        calls = [call for calls in self._calls.values() for call in calls]
        switches = sum(
            before != after
            for thread in self._calls.values()
            for before, after in pairwise(file.split("/", 1)[0] for file, _ in thread if "/" in file)
        )
        return {"files": len(self.files()), "functions": len(set(calls)), "calls": len(calls), "switches": switches}


def trace(home: Path) -> dict[str, Walk]:
    """The walks of the messages, each as the second of its kind: what is loaded once is not counted."""
    walks = {kind: Walk() for kind in MESSAGES}
    showcase.index_pictures(str(home), showcase.draw_pictures(str(home), _PICTURES), lambda *_: None).close()
    for kind, walk in walks.items():
        threading.setprofile(walk.note)  # for the threads that the server starts
        with serving(ServerSettings.of(home)) as url, httpx.Client(base_url=f"{url}/api/v1", timeout=60) as client:
            for walk.noting in (False, True):
                _talk(client, walk, MESSAGES[kind])
            walk.noting = False  # what closing the server calls is no part of the message
    threading.setprofile(None)
    return walks


def _talk(client: httpx.Client, walk: Walk, message: str) -> None:
    wanted, walk.noting = walk.noting, False
    talk = client.post("/conversations", json={"collection": showcase.COLLECTION}).json()["id"]
    client.post(f"/conversations/{talk}/messages", json={"text": "a dress"}).raise_for_status()
    walk.noting = wanted
    client.post(f"/conversations/{talk}/messages", json={"text": message}).raise_for_status()


def main() -> None:
    """Trace, then print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walk", choices=sorted(MESSAGES), help="print every file of this message too")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        walks = trace(Path(folder))
    if chosen.json:
        print(json.dumps({kind: walk.figures() | {"walk": walk.files()} for kind, walk in walks.items()}, indent=1))
        return
    for kind, walk in walks.items():
        figures = ", ".join(f"{value} {name}" for name, value in walk.figures().items())
        print(f"{kind} ({MESSAGES[kind]!r}): {figures}")
        if chosen.walk == kind:
            print(*(f"  {file}" for file in walk.files()), sep="\n")


if __name__ == "__main__":
    main()
