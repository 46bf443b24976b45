"""What ``--json`` prints is what docs/cli.md says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "cli.md"


def documented(command: str) -> set[str]:
    """Every word in code in the row of a command."""
    row = next(line for line in DOCUMENT.read_text("utf-8").splitlines() if line.startswith(f"| `{command}` |"))
    return set(re.findall(r"`(\w+)`", row.partition(" | ")[2]))


@pytest.fixture
def told(visavis, pictures: Path):
    """Runs a command and gives what it prints as JSON."""
    visavis("index", pictures, "-c", "photos")

    def run(*args: object) -> dict[str, object]:
        return dict(json.loads(visavis(*args, "--json", ok=False).stdout))

    return run


@pytest.mark.parametrize(
    "line",
    [
        "index PICTURES -c photos",
        "search red -c photos",
        "understand hello",
        "collections",
        "collection info photos",
        "collection verify photos",
        "collection remove photos --yes",
        "user add anna",
        "doctor",
    ],
)
def test_every_key_is_documented(told, pictures: Path, line: str):
    words = [str(pictures) if word == "PICTURES" else word for word in line.split()]
    command = " ".join(words[:2] if words[0] in ("collection", "user") else words[:1])
    keys = told(*words).keys()
    more = documented("collections") if command == "collection info" else set()
    assert keys - documented(command) - more == set()


def test_the_keys_of_results_are_documented(told):
    (first, *_) = told("search", "red", "-c", "photos", "--nearest")["results"]
    row = next(line for line in DOCUMENT.read_text("utf-8").splitlines() if "… each of `results`" in line)
    assert set(first) == set(re.findall(r"`(\w+)`", row)) - {"results"}


def test_every_exit_code_is_documented():
    from visavis import errors

    codes = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "exit_code")}
    assert codes <= {int(code) for code in re.findall(r"^\| (\d+) \|", DOCUMENT.read_text("utf-8"), re.MULTILINE)}
