"""Messages and situations that several tests share."""

from __future__ import annotations

import json
from pathlib import Path

from visavis.language.base import Understanding
from visavis.language.context import Context

HERE = Path(__file__).parents[1] / "language"
CAISE = Path(__file__).parents[3] / "shared" / "data" / "caise"

SITUATIONS = {
    name: Context.from_json(value)
    for name, value in json.loads((HERE / "situations.json").read_text(encoding="utf-8")).items()
}
MESSAGES = [json.loads(line) for line in (HERE / "messages.jsonl").read_text(encoding="utf-8").splitlines()]


def is_right(row: dict, understanding: Understanding) -> bool:
    """Whether a message of the table was understood as written there."""
    if "clarify" in row:
        asked = understanding.clarify
        return asked is not None and row["clarify"].lower() in asked.question.lower()
    return understanding.clarify is None and understanding.lines() == row["commands"]
