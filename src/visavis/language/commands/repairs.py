"""Edit commands that change one thing of a picture: another colour for it, or the picture without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from visavis.errors import BadInputError
from visavis.language.commands.edits import Edit, colour_name


@dataclass(frozen=True)
class Recolor(Edit):
    """Give a thing another colour and keep its shading: ``recolor blue on dress``."""

    verb: ClassVar[str] = "recolor"
    name: str = "red"

    def __post_init__(self) -> None:
        super().__post_init__()
        colour_name(self.name)
        if self.target is None:
            raise BadInputError("'recolor' does not say what.", "Write 'recolor blue on dress'.")

    def _parameters(self) -> str:
        return self.name

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        return cls(target=target, name=text)


@dataclass(frozen=True)
class Remove(Edit):
    """Take a thing out of the picture and fill the hole from its surroundings: ``remove bin on the left``."""

    verb: ClassVar[str] = "remove"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target is None:
            raise BadInputError("'remove' does not say what.", "Write 'remove bin on the left'.")

    def _arguments(self) -> str:
        return self.target or ""

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(target=text or None)
