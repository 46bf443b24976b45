"""The parser scored on a split of CAISE by the paper's measure: exact match of the command."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.language.base import Reading
from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    Command,
    Edit,
    ImageCutout,
    Refine,
    Rotate,
    Search,
    parse_command,
)
from visavis.language.context import Context
from visavis.language.parser import NetworkParser
from visavis.types import Concept

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


#: The paper's measure does not look at how strongly a colour tints.
STRENGTH = 0.3
#: The annotators search for the thing itself.
_PRAISE = re.compile(r"\b(?:nice|beautiful|good|cute|delicious|fancy|lovely|(?:pair|bunch) of)\s+(?=\w)")


def _concept(pair: str) -> Concept:
    attribute, _, noun = pair.partition(" ")
    return Concept(noun or attribute, (attribute,) if noun else ())


def _command(line: str) -> Command | None:
    words = line.split()
    if words and words[0] == "adjust_attr" and len(words) == 3:
        line = f"adjust_attr {words[1]} {float(words[2]):g}" if re.fullmatch(r"[-+]?\d+(?:\.\d+)?", words[2]) else line
    try:
        return parse_command(line.lower())
    except BadInputError:
        return None


def context_of(record: CaiseRecord) -> Context:
    """The context of a record: the edits since the last search, and what the last picture shows."""
    edits: list[Edit] = []
    for command in map(_command, record.commands):
        if isinstance(command, Edit):
            edits.append(command)
        elif isinstance(command, Search):
            edits = []
    concepts = record.concepts[-1] if record.concepts else ()
    searches = [line for line in record.commands if line.lower().startswith("search ")]
    return Context(
        turns=len(record.commands),
        shown=1 if record.commands else 0,
        columns=1,
        picture=bool(record.commands),
        topic=searches[-1][len("search ") :].lower() if searches else "",
        edits=tuple(edits),
        concepts=tuple(map(_concept, concepts)),
    )


def earlier_lines(record: CaiseRecord) -> list[str]:
    """What the parser is told of the conversation before: the last commands, and what was said last."""
    said = [f"assistant {u.text}" for u in record.request if u.speaker == "assistant"][-1:]
    return [*(command.lower() for command in record.commands[-2:]), *said]


def caise_command(commands: Sequence[Command]) -> str:
    """The one command that CAISE expects: the last that it has a name for, about the whole picture."""
    for command in reversed(commands):
        if isinstance(command, Search | Refine):
            return f"search {_PRAISE.sub('', command.text)}"
        if isinstance(command, AdjustColor):
            return f"adjust_color {command.name} {command.strength:g}"
        if isinstance(command, AdjustAttr) and command.name in ("brightness", "contrast"):
            return f"adjust_attr {command.name} {command.amount:g}"
        if isinstance(command, Rotate):
            return f"rotate {command.degrees:g}"
        if isinstance(command, ImageCutout):
            return "image_cutout"
    return ""


def written_form(command: str) -> str:
    """A command of the data as the parser writes it: lower case, plain numbers, one strength for colours."""
    words = command.lower().replace("'", "").split()
    if words[0] == "adjust_color":
        return f"adjust_color {words[1]} {STRENGTH:g}"
    if words[0] in ("adjust_attr", "rotate"):
        words[-1] = f"{float(words[-1]):g}"
    return " ".join(words)


def predict(parser: NetworkParser, record: CaiseRecord) -> tuple[str, float]:
    """A parser's command for a record, and how sure it is; CAISE expects one where we would ask back."""
    readings: Sequence[Reading] = parser.readings(record.message, context_of(record), earlier_lines(record))
    for reading in readings:
        if command := caise_command(reading.commands):
            return command, reading.probability
    return "", readings[0].probability


Predict = Callable[[CaiseRecord], tuple[str, float]]


def by_network(weights: Path | None) -> Predict:
    """The parser with the given weights, or with those that ship, which never learned from CAISE."""
    parser = NetworkParser(weights)
    return lambda record: predict(parser, record)


@dataclass(frozen=True)
class CaiseOutcome:
    """What a parser made of a split."""

    score: Score
    errors: tuple[tuple[CaiseRecord, str, float], ...]
    dialogues: float

    def to_json(self, shown: int = 0) -> dict[str, Any]:
        """Plain values: accuracy in all and by type, whole dialogues, confusion between types, the surest errors."""
        surest = sorted(self.errors, key=lambda error: -error[2])[:shown]
        return {
            "accuracy": round(self.score.accuracy, 4),
            "right": sum(self.score.right.values()),
            "total": sum(self.score.total.values()),
            "dialogues": round(self.dialogues, 4),
            "by_type": {kind: round(share, 4) for kind, share in self.score.by_type().items()},
            "confusion": {
                kind: {
                    other: count
                    for (truth, other), count in sorted(self.score.confusion.items())
                    if truth == kind and other != kind
                }
                for kind in TYPES
            },
            "errors": [
                {"uid": record.uid, "message": record.message, "truth": record.command, "predicted": predicted}
                for record, predicted, _ in surest
            ],
        }


def dialogue_of(record: CaiseRecord) -> str:
    """The dialogue that a record belongs to: its name without the number at the end."""
    return record.uid.rpartition("_")[0]


def run(records: Sequence[CaiseRecord], predictor: Predict, step: Callable[[], object] = str) -> CaiseOutcome:
    """Score a parser on records; ``step`` is called after each. A dialogue is right when all its commands are."""
    score, errors = Score(), []
    right: dict[str, bool] = defaultdict(lambda: True)
    for record in records:
        predicted, confidence = predictor(record)
        fits = score.add(predicted, record.command)
        right[dialogue_of(record)] &= fits
        if not fits:
            errors.append((record, predicted, confidence))
        step()
    return CaiseOutcome(score, tuple(errors), sum(right.values()) / max(1, len(right)))


#: The types of command in the order of the paper's tables.
TYPES = ("search", "adjust_color", "adjust_attr brightness", "adjust_attr contrast", "rotate", "image_cutout")


def type_of(command: str) -> str:
    """The type that a command is counted under."""
    words = command.lower().split()
    if not words:
        return "none"
    return " ".join(words[:2]) if words[0] == "adjust_attr" else words[0]


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def same_command(predicted: str, truth: str) -> bool:
    """Whether two commands are the same by the paper's rule.

    Letters in any case; the words of a search in any order; of a colour change only the name counts; numbers are
    compared as numbers, so that ``+20`` is ``20``.
    """
    one, other = predicted.lower().split(), truth.lower().split()
    if not one or not other or one[0] != other[0]:
        return False
    if one[0] == "search":
        return Counter(one[1:]) == Counter(other[1:])
    if one[0] == "adjust_color":
        return one[1:2] == other[1:2]
    return [_number(word) for word in one] == [_number(word) for word in other]


@dataclass
class Score:
    """Exact matches by type, and what was taken for what."""

    right: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, predicted: str, truth: str) -> bool:
        """Count one prediction; whether it was right."""
        kind = type_of(truth)
        right = same_command(predicted, truth)
        self.total[kind] += 1
        self.right[kind] += right
        self.confusion[kind, type_of(predicted)] += 1
        return right

    @property
    def accuracy(self) -> float:
        """Exact matches of all."""
        return sum(self.right.values()) / max(1, sum(self.total.values()))

    def by_type(self) -> dict[str, float]:
        """Exact matches of each type."""
        return {kind: self.right[kind] / self.total[kind] for kind in TYPES if self.total[kind]}


def score(pairs: Iterable[tuple[str, str]]) -> Score:
    """The score of predictions, each with its truth."""
    result = Score()
    for predicted, truth in pairs:
        result.add(predicted, truth)
    return result
