"""Conversations about COCO's pictures: captions cut into phrases, and dialogues in VisDial's form.

``captions.jsonl`` has the captions; ``more.jsonl`` beside it, where it is there, has questions with answers (COCO-QA),
true and false statements, and the objects of 80 classes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from visavis.lab.datasets.folders import read_json_lines
from visavis.language.english import chunks
from visavis.search.learned.dialog_text import Dialog

Masking = Literal["none", "caption", "question", "answer", "round", "token"]
MASKINGS: tuple[Masking, ...] = ("none", "caption", "question", "answer", "round", "token")
#: The share of components that a masking hides.
MASKED = 0.2
MASK = "[MASK]"

_OPEN = (
    "what else is in the picture?",
    "can you describe it in other words?",
    "what is happening?",
    "anything else?",
    "what do you see?",
)
_THERE = ("is there a {}?", "do you see a {}?", "can you see any {}?", "are there any {}s?")
_YES = ("yes", "yes, there is", "yes i do", "yep")
_NO = ("no", "no, there is not", "not that i can see", "nope")


@dataclass(frozen=True)
class Scene:
    """What is said about a picture.

    Attributes:
        id: The picture's id.
        split: Its split of Karpathy's; never trained on where it is ``val`` or ``test``.
        captions: Its captions.
        qa: Questions with answers.
        statements: Statements, and whether they are true.
        objects: The classes of what it shows.
    """

    id: str
    split: str
    captions: tuple[str, ...]
    qa: tuple[tuple[str, str], ...] = ()
    statements: tuple[tuple[str, bool], ...] = ()
    objects: tuple[str, ...] = ()


def read_scenes(folder: Path) -> list[Scene]:
    """The scenes of a folder with ``captions.jsonl`` and perhaps ``more.jsonl``."""
    more = folder / "more.jsonl"
    known = {str(row["image_id"]): row for _, row in read_json_lines(more)} if more.is_file() else {}
    scenes = []
    for _, row in read_json_lines(folder / "captions.jsonl"):
        id = str(row["image_id"]) if "image_id" in row else Path(str(row["file"])).stem
        told = known.get(id, {})
        captions = (*row.get("captions", ()), *told.get("captions", ()))
        scenes.append(
            Scene(
                id,
                str(row.get("split") or ""),
                tuple(dict.fromkeys(text.strip() for text in captions if text.strip())),
                tuple((str(question), str(answer)) for question, answer in told.get("qa", ())),
                tuple((str(text), bool(true)) for text, true in told.get("statements", ())),
                tuple(map(str, told.get("objects", ()))),
            )
        )
    return scenes


def queries_of(scene: Scene) -> list[str]:
    """Short descriptions of parts of a scene: the captions' phrases, questions with their answers, true statements."""
    said = [phrase for caption in scene.captions for phrase in chunks(caption)]
    said += [_stated(question, answer) for question, answer in scene.qa]
    said += [text.rstrip(".").lower() for text, true in scene.statements if true]
    return list(dict.fromkeys(said))


def _stated(question: str, answer: str) -> str:
    """A question of COCO-QA with its answer put back: "motorcycle sits in an empty parking lot"."""
    words = question.rstrip("?").split()
    return " ".join(answer if word == "what" else word for word in words) if "what" in words else answer


def dialogue_of_scene(scene: Scene, classes: Sequence[str], draw: random.Random, rounds: int = 10) -> Dialog:
    """A dialogue in VisDial's form, worded by a simulated user.

    Args:
        scene: The picture.
        classes: All classes of objects: what is not there is denied.
        draw: Chooses the caption, the rounds, their order and their wording.
        rounds: How many rounds at most.
    """
    caption, *others = draw.sample(scene.captions, len(scene.captions))
    made = [(f"{question}?", answer) for question, answer in scene.qa]
    made += [(draw.choice(_OPEN), text) for text in others]
    made += [
        (f"is it true that {text.rstrip('.').lower()}?", "yes" if true else "no") for text, true in scene.statements
    ]
    made += [(draw.choice(_THERE).format(name), draw.choice(_YES)) for name in scene.objects]
    absent = [name for name in classes if name not in scene.objects]
    denied = draw.sample(absent, min(2, len(absent)))
    made += [(draw.choice(_THERE).format(name), draw.choice(_NO)) for name in denied]
    draw.shuffle(made)
    return Dialog(caption, tuple(made[:rounds]), scene.id)


def masked(dialog: Dialog, masking: Masking, draw: random.Random, share: float = MASKED) -> Dialog:
    """The dialogue with a share of its captions, questions, answers, rounds or tokens hidden."""
    match masking:
        case "caption":
            hidden = dialog.rounds and draw.random() < share
            return replace(dialog, caption="") if hidden else dialog
        case "question":
            return replace(dialog, rounds=tuple(("" if draw.random() < share else q, a) for q, a in dialog.rounds))
        case "answer":
            return replace(dialog, rounds=tuple((q, "" if draw.random() < share else a) for q, a in dialog.rounds))
        case "round":
            return replace(dialog, rounds=tuple(one for one in dialog.rounds if draw.random() >= share))
        case "token":
            caption, *rounds = (_tokens(text, draw, share) for text in (dialog.caption, *_flat(dialog)))
            return replace(dialog, caption=caption, rounds=tuple(zip(rounds[::2], rounds[1::2], strict=True)))
        case _:
            return dialog


def _flat(dialog: Dialog) -> list[str]:
    return [text for one in dialog.rounds for text in one]


def _tokens(text: str, draw: random.Random, share: float) -> str:
    return " ".join(MASK if draw.random() < share else word for word in text.split())
