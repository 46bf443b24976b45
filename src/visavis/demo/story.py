"""A scripted conversation over HTTP that checks search, refinement, exclusion, editing and undo."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.request import Request, urlopen

Attributes = Mapping[str, Any]
_SECONDS = 120.0


class Client:
    """A minimal HTTP client, with the standard library only."""

    def __init__(self, url: str) -> None:
        self._base = f"{url.rstrip('/')}/api/v1"

    def get(self, path: str) -> Any:
        """Get JSON from a path."""
        return json.loads(self.read(path))

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Post JSON to a path, and return the JSON answer."""
        return json.loads(self.read(path, json.dumps(body).encode()))

    def read(self, path: str, data: bytes | None = None, method: str | None = None) -> bytes:
        """Read bytes from a path."""
        headers = {"Content-Type": "application/json", "X-Visavis": "1"}
        request = Request(self._base + path, data, headers, method=method)  # noqa: S310  (the address is our own)
        with urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
            content: bytes = answer.read()
            return content


@dataclass(frozen=True)
class Step:
    """One message, and the result of its check."""

    said: str
    expected: str
    found: bool
    seen: str

    def as_json(self) -> dict[str, Any]:
        """Return the step as JSON values."""
        return vars(self).copy()


class Story:
    """Runs the conversation about one collection of a running server.

    Args:
        url: The server's URL.
        collection: The demo's collection.
    """

    def __init__(self, url: str, collection: str) -> None:
        self._client = Client(url)
        self._collection = collection
        self._id = self._client.post("/conversations", {"collection": collection})["id"]
        self._known: dict[str, Attributes] = {}

    def play(self) -> list[Step]:
        """Send one message after the other; the conversation and its edits are deleted at the end."""
        try:
            return list(self._steps())
        finally:
            self._client.read(f"/conversations/{self._id}?edits=remove", method="DELETE")

    def _steps(self) -> Iterator[Step]:
        first = self._say("a red striped dress")
        expected = {"category": "dress", "colour": "red", "pattern": "striped"}
        yield self._step(first, "a red striped dress among the first 3", self._any(first, 3, expected))
        refined = self._say("with long sleeves")
        long = self._any(refined, 5, {"category": "dress", "sleeves": "long"})
        yield self._step(refined, "a dress with long sleeves among the first 5", long)
        without = self._say("without stripes")
        striped = self._any(without, 10, {"pattern": "striped"})
        yield self._step(without, "no stripes among the first 10", bool(without["results"]) and not striped)
        back = self._say("go back to turn 1")
        yield self._step(back, "the same pictures as in turn 1", _ids(back) == _ids(first))
        yield from self._combination()
        yield from self._editing()

    def _combination(self) -> Iterator[Step]:
        """Combine an item of one turn with an attribute of another."""
        skirts = self._say("search for a floral skirt")
        floral = self._any(skirts, 3, {"category": "skirt", "pattern": "floral"})
        yield self._step(skirts, "a floral skirt among the first 3", floral)
        red = self._say("keep the colour of turn 1")
        yield self._step(
            red, "a red skirt among the first 5", self._any(red, 5, {"category": "skirt", "colour": "red"})
        )

    def _editing(self) -> Iterator[Step]:
        before = self._say("select the first one")
        turned = self._say("rotate it 90 degrees clockwise")
        hand = turned["hand"] or {"edits": [], "picture": ""}
        yield self._step(turned, "the picture in hand is turned", self._is_turned(hand, before["hand"]))
        undone = self._say("undo")
        yield self._step(undone, "the picture as it came is in hand", undone["hand"] == before["hand"])

    def _is_turned(self, hand: Mapping[str, Any], before: Mapping[str, Any] | None) -> bool:
        if not before or hand["edits"] != ["rotate 270"]:
            return False
        new, old = self._picture(hand["picture"]), self._picture(before["picture"])
        return (new["width"], new["height"]) == (old["height"], old["width"])

    # -- messages --------------------------------------------------------------------------------------

    def _say(self, text: str) -> dict[str, Any]:
        turn: dict[str, Any] = self._client.post(f"/conversations/{self._id}/messages", {"text": text})
        return turn

    def _step(self, turn: Mapping[str, Any], expected: str, found: bool) -> Step:
        captions = [result["caption"] for result in turn["results"][:1]]
        return Step(turn["message"], expected, found, captions[0] if captions else turn["reply"])

    def _any(self, turn: Mapping[str, Any], first: int, expected: Attributes) -> bool:
        return any(_matches(self._attributes(id), expected) for id in _ids(turn)[:first])

    def _attributes(self, id: str) -> Attributes:
        if id not in self._known:
            self._known[id] = self._picture(id)["attributes"]
        return self._known[id]

    def _picture(self, id: str) -> Any:
        return self._client.get(f"/collections/{self._collection}/pictures/{id}")


def _ids(turn: Mapping[str, Any]) -> Sequence[str]:
    return [result["id"] for result in turn["results"]]


def _matches(attributes: Attributes, expected: Attributes) -> bool:
    return all(attributes.get(name) == value for name, value in expected.items())
