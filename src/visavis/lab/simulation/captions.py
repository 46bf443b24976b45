"""Simulated users with written texts (captions, a published dialogue to replay) or a catalogue's attributes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.simulation.base import (
    DONT_KNOW,
    NO,
    NOTHING_ELSE,
    YES,
    Asked,
    SimulatedUser,
    Strength,
    implied_by,
    number_before,
    read_question,
    says,
)
from visavis.language.english import content, stem, words_of

_COLOURS = (
    "black white grey gray silver gold red orange yellow green blue purple pink brown beige tan turquoise".split()
)
_GENERIC = frozenset(
    stem(word)
    for word in "else describe tell me more happening stand out picture about important other words say go".split()
)


class CaptionUser(SimulatedUser):
    """Opens with one caption and answers from the others.

    It denies what no caption mentions when asked whether it is there, and does not know when asked for its properties.
    An open question gets a caption that was not used yet.
    """

    name = "captions"

    def __init__(self, captions: Mapping[str, Sequence[str]], strength: Strength | None = None) -> None:
        super().__init__(strength)
        self._captions = {target: tuple(texts) for target, texts in captions.items() if texts}

    def describe(self, target: str) -> str:
        """Return the first caption."""
        return self._of(target)[0]

    def compare(self, shown: Sequence[str], target: str) -> str:
        """Return what only the target's captions mention, not those of the shown picture."""
        own = self._of(target)
        theirs = implied_by(word for id in shown[:1] for text in self._captions.get(id, ()) for word in words_of(text))
        new = [[word for word in content(text) if word not in theirs] for text in own]
        best = max(range(len(own)), key=lambda place: (len(new[place]), -place))
        return own[best]

    def _reply(self, question: Asked, target: str, said: Sequence[str]) -> str:
        captions = self._of(target)
        known = _known(captions)
        reading = read_question(question.text, question.options, bool(question.pictures))
        match reading.form:
            case "alike":
                return DONT_KNOW  # it has words only
            case "choice":
                mentioned = [option for option in question.options if says(known, option)]
                return mentioned[0] if len(mentioned) == 1 else DONT_KNOW
            case "exists":
                return YES if says(known, reading.about) else NO
            case "is":
                return YES if says(known, reading.about) else DONT_KNOW
            case "colour":
                return _colour_of(reading.about, captions) or DONT_KNOW
            case "count":
                return number_before(captions, reading.about) or (
                    "none" if not says(known, reading.about) else DONT_KNOW
                )
            case _:
                return self._next_caption(reading.about, captions, said)

    def _next_caption(self, about: str, captions: Sequence[str], said: Sequence[str]) -> str:
        left = [caption for caption in captions if caption not in said]
        topic = [word for word in content(about) if word not in _GENERIC]
        if not topic:
            return left[0] if left else NOTHING_ELSE
        fitting = [caption for caption in left if any(word in _known((caption,)) for word in topic)]
        return fitting[0] if fitting else DONT_KNOW

    def _of(self, target: str) -> tuple[str, ...]:
        if target not in self._captions:
            raise NotFoundError(f"There are no captions for the picture {target}.", "Choose targets that have some.")
        return self._captions[target]


@lru_cache(maxsize=4096)
def _known(captions: tuple[str, ...]) -> frozenset[str]:
    return implied_by(word for caption in captions for word in words_of(caption))


def _colour_of(thing: str, captions: Sequence[str]) -> str | None:
    """Return the colour word before the object in a caption, or after it with "is"."""
    stems = set(content(thing))
    for caption in captions:
        raw = re.findall(r"[a-z]+", caption.lower())
        for place, word in enumerate(raw):
            if stem(word) in stems or stems & implied_by([stem(word)]):
                near: list[str] = [w for w in raw[max(0, place - 3) : place] if w in _COLOURS]
                if near:
                    return near[-1]
    return None


def read_captions(file: Path) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Read captions and splits by picture from JSON lines of ``image_id`` or ``file``, ``captions`` and ``split``."""
    captions: dict[str, tuple[str, ...]] = {}
    splits: dict[str, str] = {}
    try:
        with file.open(encoding="utf-8") as stream:
            for line in stream:
                row = json.loads(line)
                id = str(row["image_id"]) if "image_id" in row else Path(row["file"]).stem
                captions[id] = tuple(text.strip() for text in row["captions"] if text.strip())
                splits[id] = str(row.get("split") or "")
    except OSError as error:
        raise NotFoundError(f"The captions {file} cannot be read: {error.strerror}.", "Give their folder.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(
            f"Line {len(captions) + 1} of {file} has no captions: {error!r}.", "Each line needs them."
        ) from error
    return captions, splits


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


#: Templates of a difference in a field; ``{x}`` is the target's value.
_RELATIVE = {
    "baseColour": "is {x}",
    "colour": "is {x}",
    "articleType": "are {x}" ,
    "gender": "is for {x}",
    "usage": "is more {x}",
    "season": "is for {x}",
    "subCategory": "is {x}",
}  # fmt: skip
#: Fields in the order in which people notice a difference.
_NOTICED = ("articleType", "subCategory", "baseColour", "colour", "gender", "usage", "season")


def _meant(options: Sequence[str], said: Sequence[str]) -> str | None:
    """The option that reads what was just said; None where the options are not readings of it."""
    own = {word for message in said for word in words_of(message)}
    shared = [len(own.intersection(words_of(option))) for option in options]
    best = max(shared, default=0)
    return options[shared.index(best)] if best > 1 else None


class AttributeUser(SimulatedUser):
    """Describes by attributes, compares by the first differing attributes, answers from the catalogue's entry."""

    name = "attributes"

    def __init__(self, attributes: Mapping[str, Mapping[str, Any]], strength: Strength | None = None) -> None:
        super().__init__(strength)
        self._rows = attributes

    def describe(self, target: str) -> str:
        """Return colour and kind: "navy blue shirts"."""
        row = self._of(target)
        parts = [row.get("baseColour") or row.get("colour"), row.get("articleType") or row.get("category")]
        return " ".join(str(part).lower() for part in parts if part) or str(row.get("productDisplayName", ""))

    def compare(self, shown: Sequence[str], target: str) -> str:
        """Return the two most noticeable differences from the first product shown."""
        own, other = self._of(target), self._rows.get(shown[0], {}) if shown else {}
        differing = [field for field in self._fields(own) if str(own[field]) != str(other.get(field, ""))]
        if not differing:
            title = str(own.get("productDisplayName", "")).strip()
            return f"is {title}" if title else "is the same"
        rng = self.strength.rng("compare", target, shown[0] if shown else "")
        first = differing[0]
        rest = differing[1:]
        chosen = [first, *([rest[int(rng.integers(len(rest)))]] if rest else [])]
        if self.strength.slips(target, shown[0] if shown else ""):
            chosen = chosen[1:] or chosen
        return " and ".join(_RELATIVE.get(f, "is {x}").format(x=str(own[f]).lower()) for f in chosen)

    def _fields(self, row: Mapping[str, Any]) -> list[str]:
        return [field for field in _NOTICED if row.get(field)]

    def _reply(self, question: Asked, target: str, said: Sequence[str]) -> str:
        values = [str(value) for value in self._of(target).values()]
        reading = read_question(question.text, question.options, bool(question.pictures))
        if reading.form == "choice":
            lowered = [value.lower() for value in values]
            fitting = [option for option in question.options if option.lower() in lowered]
            return fitting[0] if fitting else _meant(question.options, said[-1:]) or "something else"
        if reading.form in ("exists", "is"):
            known = {word for value in values for word in words_of(value)}
            wanted = content(reading.about)
            return (YES if set(wanted) <= known else NO) if wanted else DONT_KNOW
        if reading.form == "open":
            return str(self._of(target).get("productDisplayName", "")) or DONT_KNOW
        return DONT_KNOW

    def _of(self, target: str) -> Mapping[str, Any]:
        if target not in self._rows:
            raise NotFoundError(f"The catalogue has no entry for {target}.", "Choose targets that it has.")
        return self._rows[target]
