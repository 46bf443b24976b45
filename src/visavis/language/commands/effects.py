"""Edit commands that give a picture a look: blur, tones, frames and lettering."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self, get_args

from visavis.errors import BadInputError
from visavis.language.commands.base import in_range, number_text, one_line, quoted, read_number, read_quoted
from visavis.language.commands.edits import Edit, Position, colour_name, read_target


@dataclass(frozen=True)
class _Amount(Edit):
    """An effect with one amount of 0..100."""

    amount: float = 50.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "amount", in_range(self.amount, 0, 100, f"amount of '{self.verb}'"))

    def _parameters(self) -> str:
        return number_text(self.amount)

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        return cls(target=target, amount=read_number(text, f"amount of '{cls.verb}'") if text else 50.0)


@dataclass(frozen=True)
class Blur(_Amount, verb="blur"):
    """Blur everything, or a thing, or what lies behind: ``blur 50``, ``blur 50 on background``."""


@dataclass(frozen=True)
class Sepia(_Amount, verb="sepia"):
    """The brown of old photographs: ``sepia 80``."""


@dataclass(frozen=True)
class Vignette(_Amount, verb="vignette"):
    """Darker towards the corners: ``vignette 40``."""


@dataclass(frozen=True)
class Straighten(Edit, verb="straighten"):
    """Level the horizon, by itself or by -45..45 degrees counter-clockwise: ``straighten``, ``straighten -2.5``."""

    degrees: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.degrees is not None:
            object.__setattr__(self, "degrees", in_range(self.degrees, -45, 45, "angle"))

    def _parameters(self) -> str:
        return "" if self.degrees is None else number_text(self.degrees)

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        return cls(target=target, degrees=read_number(text, "angle") if text else None)


@dataclass(frozen=True)
class Grayscale(Edit, verb="grayscale"):
    """Black and white: ``grayscale``."""


@dataclass(frozen=True)
class Invert(Edit, verb="invert"):
    """The negative: ``invert``."""


@dataclass(frozen=True)
class Enhance(Edit, verb="enhance"):
    """Automatic levels: ``enhance``."""


@dataclass(frozen=True)
class Border(Edit, verb="border"):
    """A frame of some pixels in a colour: ``border 20 white``."""

    width: int = 20
    colour: str = "white"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "width", int(in_range(self.width, 1, 1000, "width of a border")))
        colour_name(self.colour)

    def _parameters(self) -> str:
        return f"{self.width} {self.colour}"

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        found = re.fullmatch(r"(\d{1,5})(?: (\S+))?", text)
        if not found:
            raise BadInputError(f"'border {text}' is not understood.", "Write 'border 20 white'.")
        return cls(target=target, width=int(found[1]), colour=found[2] or "white")


@dataclass(frozen=True)
class Caption(Edit, verb="caption"):
    """Letters on the picture: ``caption "Happy birthday" bottom``."""

    text: str = ""
    position: Position = "bottom"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "text", one_line(self.text, "text to write"))
        if self.position not in get_args(Position):
            raise BadInputError(f"'{self.position}' is no place for a text.", "Use top, center or bottom.")

    def _parameters(self) -> str:
        return f"{quoted(self.text)} {self.position}"

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        lettering, rest = read_quoted(text, "text to write")
        position, _, target = rest.partition(" ")
        place = position or "bottom"
        return cls(target=read_target(target), text=lettering, position=place)  # type: ignore[arg-type]  # checked there
