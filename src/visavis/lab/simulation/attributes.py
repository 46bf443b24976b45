"""A simulated user with the catalogue's attributes of the target: for products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from visavis.errors import NotFoundError
from visavis.lab.simulation.base import DONT_KNOW, NO, YES, Asked, SimulatedUser, Strength, read_question
from visavis.language.english import content, words_of

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

    def _reply(self, question: Asked, target: str, said: Sequence[str]) -> str:  # noqa: ARG002
        values = [str(value) for value in self._of(target).values()]
        reading = read_question(question.text, question.options, bool(question.pictures))
        if reading.form == "choice":
            lowered = [value.lower() for value in values]
            fitting = [option for option in question.options if option.lower() in lowered]
            return fitting[0] if fitting else "something else"
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
