"""Turns over HTTP that ask: answers, readings, comparisons."""

from __future__ import annotations

from typing import Any

import pytest
from serving import ids, say, start_talk


def do(client: Any, talk: str, *commands: str) -> dict[str, Any]:
    answer = client.post(f"/conversations/{talk}/commands", json={"commands": list(commands)})
    assert answer.status_code == 200, answer.text
    turn: dict[str, Any] = answer.json()
    return turn


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("count plain", "with kind plain among those that fit “red”. In the whole collection"),
        ("why #1", "#1 is here because it fits “red” ("),
        ("describe #1", "#1: “all red”, by its caption."),
        ("ask how much is it?", "Price: 40"),
    ],
)
def test_questions_are_answered(client, talk, line, told):
    first = do(client, talk, "search red")
    turn = do(client, talk, line)
    assert told in turn["reply"]
    assert ids(turn) == ids(first)


def test_the_values_of_a_field_are_counted(start):
    """On a server of its own: other tests add pictures to the shared one."""
    with start() as running, running.client() as client:
        talk = start_talk(client)
        first = do(client, talk, "search red", "select #1", "grayscale")
        turn = do(client, talk, "values kind")
    assert turn["reply"] == "Kind: mixed (12) and plain (12)."
    assert ids(turn) == ids(first)


def test_pictures_are_compared(client, talk):
    do(client, talk, "search red")
    turn = do(client, talk, "compare #1 #2")
    assert turn["comparison"]["pictures"] == ids(turn)[:2]
    assert {"name": "price", "values": ["40", "45"]} in turn["comparison"]["rows"]


def test_questions_are_switched_off(client, talk):
    assert not do(client, talk, "questions off")["asks"]
    assert not client.get(f"/conversations/{talk}").json()["turns"][-1]["asks"]
    assert do(client, talk, "questions on")["asks"]


def test_readings_come_with_their_commands(client, talk):
    do(client, talk, "search red")
    asked = 'clarify "Which of these?" {"more like #2": "like #2", "mirror #2": "select #2 ; flip horizontal"}'
    turn = do(client, talk, asked)
    assert turn["readings"] == [
        {"label": "more like #2", "commands": ["like #2"]},
        {"label": "mirror #2", "commands": ["select #2", "flip horizontal"]},
    ]
    chosen = do(client, talk, *turn["readings"][1]["commands"])
    assert chosen["answered"]["text"] == "Which of these?"
    assert chosen["hand"]["edits"] == ["flip horizontal"]
    assert chosen["readings"] == []


def test_a_message_says_what_hangs_on_the_wall(client, talk):
    seen = ids(do(client, talk, "search red"))[3:6]
    other = start_talk(client)
    turn = say(client, other, "select #2", shown=seen)
    assert turn["hand"]["picture"] == seen[1]
    assert client.post(f"/conversations/{other}/messages", json={"text": "x", "shown": ["y"]}).status_code == 422
    many = client.post(f"/conversations/{other}/messages", json={"text": "x", "shown": seen[:1] * 201})
    assert many.status_code == 422
