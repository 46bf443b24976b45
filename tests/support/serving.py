"""Helpers for tests of the server."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from PIL import Image

Found = TypeVar("Found")
#: How long to wait for what should come at once: a loaded machine is slow, not wrong.
PATIENCE_SECONDS = 60.0


def eventually(look: Callable[[], Found]) -> Found:
    """Poll until there is a result."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := look()):
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.02)
    return found


def start_talk(client: Any, collection: str = "colours") -> str:
    """The id of a new conversation."""
    answer = client.post("/conversations", json={"collection": collection})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def say(client: Any, talk: str, text: str, **more: object) -> dict[str, Any]:
    """Send a message, and return its turn."""
    answer = client.post(f"/conversations/{talk}/messages", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    turn: dict[str, Any] = answer.json()
    return turn


def png(colour: tuple[int, int, int] = (220, 20, 20), side: int = 8, *, noise: bool = False) -> bytes:
    """The bytes of a small picture; noise makes them many."""
    image = Image.effect_noise((side, side), 90).convert("RGB") if noise else Image.new("RGB", (side, side), colour)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def ids(turn: dict[str, Any]) -> list[str]:
    """The pictures that a turn shows."""
    return [result["id"] for result in turn["results"]]


def read_events(lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Server-sent events as pairs of name and data."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield name, json.loads(line[6:])
