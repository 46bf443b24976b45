"""Published texts about pictures: dialogues of VisDial and of ChatIR, region descriptions of Visual Genome."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.search.learned.chatir import Dialog

#: Pictures with fewer different descriptions are left out, as in the paper.
FEWEST = 10


def read_published(path: Path) -> list[Dialog]:
    """Dialogues of a file of VisDial or ChatIR, or of all such files in a folder."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise NotFoundError(f"There are no dialogues in {path}.", "Name a folder of .json files.")
    return [dialog for file in files for dialog in _reader(file)(file)]


def _reader(file: Path) -> Callable[[Path], list[Dialog]]:
    return read_visdial if isinstance(_json(file), dict) else read_chatir


def read_visdial(file: Path) -> list[Dialog]:
    """Dialogues of a VisDial file: ``data`` has ``questions``, ``answers`` and ``dialogs`` that number into them."""
    value = _json(file)
    try:
        data = value["data"]
        questions, answers = data["questions"], data["answers"]
        return [
            Dialog(
                str(row["caption"]).strip(),
                tuple((questions[one["question"]], answers[one["answer"]]) for one in row["dialog"] if "answer" in one),
                str(row["image_id"]),
            )
            for row in data["dialogs"]
        ]
    except (KeyError, IndexError, TypeError) as error:
        raise BadInputError(f"{file} is no VisDial file: {error!r}.", "It needs data.dialogs.") from error


def read_chatir(file: Path) -> list[Dialog]:
    """Dialogues of a ChatIR file: ``img``, and ``dialog`` with the caption and "question? answer" for each round."""
    try:
        return [
            Dialog(
                str(caption).strip(), tuple(map(_halves, rounds)), str(int(Path(row["img"]).stem.rsplit("_", 1)[-1]))
            )
            for row in _json(file)
            for caption, *rounds in [row["dialog"]]
        ]
    except (KeyError, ValueError, TypeError) as error:
        raise BadInputError(f"{file} is no ChatIR file: {error!r}.", "It needs 'img' and 'dialog'.") from error


def _halves(text: str) -> tuple[str, str]:
    question, mark, answer = text.partition("?")
    return (question.strip() + "?", answer.strip()) if mark else ("", question.strip())


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise NotFoundError(f"The dialogues {file} cannot be read: {error.strerror}.", "Check the path.") from error
    except ValueError as error:
        raise BadInputError(f"{file} is not JSON.", "Use the file as it was published.") from error


def read_region_descriptions(file: Path, fewest: int = FEWEST) -> dict[str, tuple[str, ...]]:
    """Different descriptions of each picture in ``region_descriptions.json``, in their order.

    Args:
        file: ``[{"id": 1, "regions": [{"phrase": ..., "image_id": 1, "x": ..., ...}, ...]}, ...]``.
        fewest: Pictures with fewer are left out.
    """
    try:
        rows = json.loads(file.read_text("utf-8"))
        told = {str(row["id"]): _different(region["phrase"] for region in row["regions"]) for row in rows}
    except OSError as error:
        raise NotFoundError(f"The file {file} cannot be read: {error.strerror}.", "Check the path.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{file} has no region descriptions: {error!r}.", "It needs id and regions.") from error
    return {id: phrases for id, phrases in told.items() if len(phrases) >= fewest}


def _different(phrases: object) -> tuple[str, ...]:
    assert hasattr(phrases, "__iter__")
    return tuple(dict.fromkeys(" ".join(str(phrase).lower().split()).rstrip(".") for phrase in phrases))
