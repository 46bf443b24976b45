"""The published files: one record a command, with the dialogue and the pictures before it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError

_SPOKEN = re.compile(r"^(assistant_text|user_text|image_load):\s*")


@dataclass(frozen=True)
class Utterance:
    """One line of a dialogue: who said it, and what."""

    speaker: str
    text: str


@dataclass(frozen=True)
class CaiseRecord:
    """One command to predict.

    Attributes:
        uid: The record's name in the published files.
        command: What the assistant's annotator did: ``search red towel``.
        request: What was said since the last command.
        earlier: What was said before that, user and assistant, oldest first.
        commands: The commands before this one.
        concepts: What each picture before shows, as "attribute noun" pairs; the last is the picture in hand.
    """

    uid: str
    command: str
    request: tuple[Utterance, ...]
    earlier: tuple[Utterance, ...]
    commands: tuple[str, ...]
    concepts: tuple[tuple[str, ...], ...]

    @property
    def message(self) -> str:
        """What the user said since the last command, one sentence an utterance."""
        spoken = [u.text.strip(" .") for u in self.request if u.speaker == "user"]
        return ". ".join(text for text in spoken if text)


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFoundError(f"{path} does not exist.", "Give the folder with the CAISE files as --data.") from None
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise BadInputError(f"{path} cannot be read: {error}.", "Fetch the CAISE files again.") from error


def _record(item: dict[str, Any], concepts: Sequence[Sequence[str]], index: dict[str, int]) -> CaiseRecord:
    history: list[str] = item["history_utte"]
    last = max((at for at, line in enumerate(history) if not _SPOKEN.match(line)), default=-1)
    spoken = [
        (at, Utterance("user" if found[1] == "user_text" else "assistant", line[found.end() :].strip()))
        for at, line in enumerate(history)
        if (found := _SPOKEN.match(line)) and found[1] != "image_load"
    ]
    return CaiseRecord(
        uid=item["uid"],
        command=" ".join(item["api"].split()),
        request=tuple(utterance for at, utterance in spoken if at > last),
        earlier=tuple(utterance for at, utterance in spoken if at < last),
        commands=tuple(" ".join(line.split()) for line in history if not _SPOKEN.match(line)),
        concepts=tuple(tuple(concepts[index[name.strip()]]) for name in item["history_img"]),
    )


def read_records(folder: Path, split: str) -> list[CaiseRecord]:
    """The records of a split ("train", "valid") in the order of the file."""
    concepts = _read_json(folder / "image_concept.json")
    index = _read_json(folder / "image_h5_id2idx.json")
    try:
        return [_record(item, concepts, index) for item in _read_json(folder / f"md_{split}.json")]
    except (KeyError, TypeError, IndexError) as error:
        raise BadInputError(f"The CAISE files in {folder} lack {error}.", "Fetch the CAISE files again.") from error
