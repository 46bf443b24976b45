"""Conversations about COCO's pictures: captions cut into phrases, and dialogues in VisDial's form.

``captions.jsonl`` has the captions; ``more.jsonl`` beside it, where it is there, has questions with answers (COCO-QA),
true and false statements, captions by machines, and the objects of 80 classes, also of pictures without captions.
A folder with Visual Genome's ``region_descriptions.json`` instead has descriptions of parts of a picture, as in
Drill-down's paper.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.folders import read_json_lines
from visavis.lab.datasets.protocol import CAPTIONS, REGIONS, read_region_descriptions, split_of_regions
from visavis.language.english import chunks, plural
from visavis.search.learned.chatir import Dialog

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
#: How somebody asks whether something is there; published dialogues give many more (``asked_phrasings``).
THERE = ("is there a {}?", "do you see a {}?", "can you see any {}?", "are there any {}s?")
_YES = ("yes", "yes, there is", "yes i do", "yep")
_NO = ("no", "no, there is not", "not that i can see", "nope")
#: The share of dialogues whose user describes more without being asked.
_UNASKED = 0.4
_ASKED_FOR = re.compile(
    r"^(?:is it true that|(?:is|are) there(?: an?| any)?|(?:do|can) you see(?: an?| any)?|does it (?:have|show)) "
)
_ASKS_THERE = (
    r"(?:is there|are there|do you see|can you see)(?: an?| any| the| some)? "
    r"(?P<thing>{})(?: visible| around| anywhere)?"
    r"(?: in (?:it|(?:the|this) (?:picture|image|photo|scene|shot|photograph)))?\??"
)


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
        machine: Captions that a machine wrote.
        regions: Descriptions of its parts.
    """

    id: str
    split: str
    captions: tuple[str, ...]
    qa: tuple[tuple[str, str], ...] = ()
    statements: tuple[tuple[str, bool], ...] = ()
    objects: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What describes the picture: captions, else a machine's, else its parts, else questions with answers."""
        told = self.captions or self.machine or self.regions
        return told or tuple(dict.fromkeys(stated(*pair) for pair in self.qa))


def read_scenes(folder: Path) -> list[Scene]:
    """The scenes of a folder with ``captions.jsonl`` and perhaps ``more.jsonl``, or of Visual Genome's.

    Pictures that only ``more.jsonl`` has come last; those of the split ``val`` are left out, since no protocol has them
    as targets.
    """
    if (folder / REGIONS).is_file() and not (folder / CAPTIONS).is_file():
        told = read_region_descriptions(folder / REGIONS)
        return [Scene(id, split_of_regions(id), (), regions=phrases) for id, phrases in told.items()]
    more = folder / "more.jsonl"
    known = {str(row["image_id"]): row for _, row in read_json_lines(more)} if more.is_file() else {}
    scenes = []
    for _, row in read_json_lines(folder / CAPTIONS):
        id = str(row["image_id"]) if "image_id" in row else Path(str(row["file"])).stem
        scenes.append(_scene(id, row, known.pop(id, {})))
    others = (_scene(id, {"split": row.get("split")}, row) for id, row in known.items() if row.get("split") != "val")
    return scenes + [scene for scene in others if scene.sentences]


def _scene(id: str, row: dict[str, Any], told: dict[str, Any]) -> Scene:
    captions = (*row.get("captions", ()), *told.get("captions", ()))
    return Scene(
        id,
        str(row.get("split") or ""),
        _texts(captions),
        tuple((str(question), str(answer)) for question, answer in told.get("qa", ())),
        tuple((str(text), bool(true)) for text, true in told.get("statements", ())),
        tuple(map(str, told.get("objects", ()))),
        _texts(told.get("machine_captions", ())),
    )


def _texts(texts: Iterable[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for one in texts if (text := str(one).strip())))


def queries_of(scene: Scene, sentences: bool = False) -> list[str]:
    """Short descriptions of parts: the captions' phrases, regions, questions with their answers, true statements.

    Args:
        scene: The picture.
        sentences: Whether whole captions are queries, too.
    """
    captions = (*scene.captions, *scene.machine)
    said = list(captions) if sentences else []
    said += [phrase for caption in captions for phrase in chunks(caption)]
    said += scene.regions
    said += [stated(question, answer) for question, answer in scene.qa]
    said += [text.rstrip(".").lower() for text, true in scene.statements if true]
    return list(dict.fromkeys(said))


def stated(question: str, answer: str) -> str:
    """A question of COCO-QA with its answer put back: "motorcycle sits in an empty parking lot"."""
    words = question.rstrip("?").split()
    return " ".join(answer if word == "what" else word for word in words) if "what" in words else answer


def asked_phrasings(dialogs: Iterable[Dialog], classes: Sequence[str], most: int = 200) -> tuple[str, ...]:
    """How people ask whether something is there: questions of published dialogues with the thing's name taken out.

    Args:
        dialogs: Dialogues about any pictures.
        classes: Names of things.
        most: How many phrasings, the commonest first.
    """
    names = sorted({form for name in classes for form in (name, plural(name))}, key=len, reverse=True)
    asks = re.compile(_ASKS_THERE.format("|".join(map(re.escape, names))))
    found: Counter[str] = Counter()
    for dialog in dialogs:
        for question, _ in dialog.rounds:
            asked = asks.fullmatch(question.strip().lower())
            if asked:
                start, end = asked.span("thing")
                slot = "{}" if asked["thing"] in classes else "{s}"
                found[asked.string[:start] + slot + asked.string[end:]] += 1
    return tuple(text for text, _ in found.most_common(most))


def dialogue_of_scene(
    scene: Scene,
    classes: Sequence[str],
    draw: random.Random,
    rounds: int = 10,
    phrasings: Sequence[str] = THERE,
) -> Dialog:
    """A dialogue in VisDial's form, worded by a simulated user, who waits to be asked or describes without it.

    Args:
        scene: The picture; it has a sentence.
        classes: All classes of objects: what is not there is denied.
        draw: Chooses the caption, the rounds, their order and their wording.
        rounds: How many rounds at most.
        phrasings: How it is asked whether something is there.
    """
    sentences = scene.sentences
    caption, *others = draw.sample(sentences, len(sentences))
    unasked = draw.random() < _UNASKED
    made = [(f"{question}?", answer) for question, answer in scene.qa] if scene.captions or scene.machine else []
    made += [("" if unasked else draw.choice(_OPEN), text) for text in others]
    made += [
        (f"is it true that {text.rstrip('.').lower()}?", "yes" if true else "no") for text, true in scene.statements
    ]
    made += [(_there(name, phrasings, draw), draw.choice(_YES)) for name in scene.objects]
    if scene.objects:
        absent = [name for name in classes if name not in scene.objects]
        denied = draw.sample(absent, min(2, len(absent)))
        made += [(_there(name, phrasings, draw), draw.choice(_NO)) for name in denied]
    draw.shuffle(made)
    return Dialog(caption, tuple(made[:rounds]), scene.id)


def _there(name: str, phrasings: Sequence[str], draw: random.Random) -> str:
    return draw.choice(phrasings).replace("{s}", plural(name)).replace("{}", name)


def wish_of_round(question: str, answer: str) -> str:
    """What a round says that the picture shows, as a description; empty where it only denies."""
    asked = question.strip().rstrip("?").lower()
    if not asked or question in _OPEN:
        return answer
    if answer.lower().startswith(("no", "not")):
        return ""
    if answer.lower().startswith("ye"):
        return _ASKED_FOR.sub("", asked)
    return stated(asked, answer) if asked.startswith("what") or " what" in asked else f"{asked} {answer}"


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
