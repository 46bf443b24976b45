"""A simulated user that replays published dialogues."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.simulation.base import DONT_KNOW, Asked, SimulatedUser, Strength
from visavis.language.english import words_of


class RecordedUser(SimulatedUser):
    """Opens with the recorded caption, and knows the answers to the recorded questions only."""

    name = "recorded"

    def __init__(self, dialogues: Mapping[str, Sequence[str]], strength: Strength | None = None) -> None:
        """Index dialogues by picture: the caption, then "question? answer" for each round."""
        super().__init__(strength)
        self._captions: dict[str, str] = {}
        self._answers: dict[str, dict[str, str]] = {}
        for target, (caption, *turns) in dialogues.items():
            self._captions[target] = caption
            pairs = (turn.split("?", 1) for turn in turns if "?" in turn)
            self._answers[target] = {_key(question): answer.strip() for question, answer in pairs}

    def describe(self, target: str) -> str:
        """Return the recorded caption."""
        if target not in self._captions:
            raise NotFoundError(f"No dialogue was recorded about {target}.", "Choose targets that have one.")
        return self._captions[target]

    def compare(self, shown: Sequence[str], target: str) -> str:  # noqa: ARG002
        """Return the caption again: the dialogues have no comparisons."""
        return self.describe(target)

    def _reply(self, question: Asked, target: str, said: Sequence[str]) -> str:  # noqa: ARG002
        return self._answers.get(target, {}).get(_key(question.text), DONT_KNOW)


def read_recorded(file: Path) -> dict[str, list[str]]:
    """Read dialogues by picture from a ChatIR file; a picture is named by the digits of its file name."""
    try:
        rows = json.loads(file.read_text("utf-8"))
        return {str(int(Path(row["img"]).stem.rsplit("_", 1)[-1])): list(row["dialog"]) for row in rows}
    except OSError as error:
        raise NotFoundError(f"The dialogues {file} cannot be read: {error.strerror}.", "Name their folder.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{file} is no file of dialogues: {error!r}.", "It needs 'img' and 'dialog'.") from error


def _key(question: str) -> str:
    return " ".join(words_of(question))
