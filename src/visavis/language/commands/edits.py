"""Commands that change a picture; each may name the thing in the picture that it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, Self, get_args

from visavis.errors import BadInputError
from visavis.language.commands.base import (
    SELECTION,
    Command,
    Mark,
    PictureRef,
    Shown,
    This,
    in_range,
    marks_text,
    number_text,
    one_line,
    quoted,
    read_number,
    read_picture,
    read_quoted,
    split_marks,
)

AttributeName = Literal["brightness", "contrast", "highlights", "shadows", "saturation", "warmth", "sharpness"]
Axis = Literal["horizontal", "vertical"]
Position = Literal["top", "center", "bottom"]

#: "on" and "this" have a meaning of their own in the text form.
_COLOUR = re.compile(r"(?!(?:on|this)$)[a-z][a-z_-]*|#[0-9a-f]{6}")


@dataclass(frozen=True)
class Edit(Command):
    """A change to the picture in hand.

    Attributes:
        target: The thing it is about ("dog on the left", "background"), or None for the whole picture.
        marks: How what was found is corrected by hand; in the text form they stand behind the target.
    """

    target: str | None = field(default=None, kw_only=True)
    marks: tuple[Mark, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if self.target is not None and not self.marks:
            thing, marks = split_marks(" ".join(self.target.split()))
            if marks:
                object.__setattr__(self, "target", thing)
                object.__setattr__(self, "marks", marks)
        if self.marks:
            marks_text(self.marks)
            object.__setattr__(self, "target", self.target or SELECTION)
        if self.target is not None:
            object.__setattr__(self, "target", one_line(self.target, f"thing to {self.verb}"))

    def _parameters(self) -> str:
        """What stands between the verb and the target in the text form."""
        return ""

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        """Read the command from its parameters and its target."""
        if text:
            raise BadInputError(f"'{cls.verb}' takes no parameters, but got '{text}'.")
        return cls(target=target)

    def _arguments(self) -> str:
        on = "" if self.target is None else f"on {self._thing()}"
        return f"{self._parameters()} {on}".strip()

    def _thing(self) -> str:
        """The target and its marks."""
        return f"{self.target or ''} {marks_text(self.marks)}".strip()

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        before, marker, target = f" {text} ".partition(" on ")
        return cls._from_parameters(before.strip(), target.strip() if marker else None)


def _one_number(text: str, verb: str) -> float:
    return read_number(text, f"amount of '{verb}'")


def colour_name(name: str) -> str:
    """The name itself if it can stand for a colour in a command."""
    if not _COLOUR.fullmatch(name):
        raise BadInputError(f"'{name}' is no colour name.", "Write a name such as red or skyblue, or #ff8800.")
    return name


@dataclass(frozen=True)
class Rotate(Edit, verb="rotate"):
    """Turn counter-clockwise by 0..360 degrees: ``rotate 270`` is a quarter turn clockwise."""

    degrees: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "degrees", in_range(self.degrees, 0, 360, "angle"))

    def _parameters(self) -> str:
        return number_text(self.degrees)

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        return cls(target=target, degrees=_one_number(text, cls.verb))


@dataclass(frozen=True)
class AdjustAttr(Edit, verb="adjust_attr"):
    """Raise or lower one of the attributes by -100..100: ``adjust_attr contrast 20``."""

    name: AttributeName = "brightness"
    amount: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.name not in get_args(AttributeName):
            raise BadInputError(
                f"'{self.name}' cannot be adjusted.", f"Use one of {', '.join(get_args(AttributeName))}."
            )
        object.__setattr__(self, "amount", in_range(self.amount, -100, 100, self.name))

    def _parameters(self) -> str:
        return f"{self.name} {number_text(self.amount)}"

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        name, _, amount = text.partition(" ")
        number = _one_number(amount, cls.verb)
        return cls(target=target, name=name, amount=number)  # type: ignore[arg-type]  # checked on construction


@dataclass(frozen=True)
class AdjustColor(Edit, verb="adjust_color"):
    """Tint with a colour at a strength of 0..1: ``adjust_color pink 0.3``."""

    name: str = "red"
    strength: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        colour_name(self.name)
        object.__setattr__(self, "strength", in_range(self.strength, 0, 1, "strength of a colour"))

    def _parameters(self) -> str:
        return f"{self.name} {number_text(self.strength)}"

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        name, _, strength = text.partition(" ")
        return cls(target=target, name=name, strength=_one_number(strength, cls.verb))


@dataclass(frozen=True)
class Crop(Edit, verb="crop"):
    """Cut to a box in pixels, to a shape, or to a thing: ``crop 10 10 200 200``, ``crop 16:9``, ``crop on dog``."""

    box: tuple[int, int, int, int] | None = None
    aspect: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.box is not None and (min(self.box) < 0 or self.box[0] >= self.box[2] or self.box[1] >= self.box[3]):
            raise BadInputError(f"The box {self.box} is empty.", "Give left, top, right and bottom in pixels.")
        if self.aspect is not None and not all(1 <= side <= 1000 for side in self.aspect):
            raise BadInputError(f"The shape {self.aspect} is impossible.", "Write it as 16:9.")
        if (self.box is None) + (self.aspect is None) + (self.target is None) == 3:
            raise BadInputError("'crop' does not say to what.", "Give a box, a shape such as 16:9, or a thing.")
        if self.box is not None and (self.aspect is not None or self.target is not None):
            raise BadInputError("A crop to a box has neither shape nor thing.")

    def _parameters(self) -> str:
        if self.box is not None:
            return " ".join(str(edge) for edge in self.box)
        return "" if self.aspect is None else "{}:{}".format(*self.aspect)

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        if not text:
            return cls(target=target)
        if shape := re.fullmatch(r"(\d{1,4}):(\d{1,4})", text):
            return cls(target=target, aspect=(int(shape[1]), int(shape[2])))
        edges = [int(edge) for edge in re.findall(r"\d{1,6}", text)]
        if len(edges) != 4 or not re.fullmatch(r"[\d ]+", text):
            raise BadInputError(f"'crop {text}' is no box.", "Write 'crop LEFT TOP RIGHT BOTTOM' in pixels.")
        return cls(target=target, box=(edges[0], edges[1], edges[2], edges[3]))


@dataclass(frozen=True)
class ImageCutout(Edit, verb="image_cutout"):
    """Remove everything but the main thing, or but the named one: ``image_cutout``, ``image_cutout on woman``."""


@dataclass(frozen=True)
class Flip(Edit, verb="flip"):
    """Mirror left and right (horizontal) or top and bottom (vertical): ``flip horizontal``."""

    axis: Axis = "horizontal"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.axis not in get_args(Axis):
            raise BadInputError(f"'{self.axis}' is no way to flip.", "Use horizontal or vertical.")

    def _parameters(self) -> str:
        return self.axis

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        return cls(target=target, axis=text)  # type: ignore[arg-type]  # checked on construction


@dataclass(frozen=True)
class Resize(Edit, verb="resize"):
    """Change the size: ``resize 800x600``, ``resize 800x`` (height follows), ``resize 50%``."""

    width: int | None = None
    height: int | None = None
    percent: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        sides = [side for side in (self.width, self.height) if side is not None]
        if (self.percent is None) == (not sides):
            raise BadInputError("A new size is in pixels or in percent.", "Write 'resize 800x600' or 'resize 50%'.")
        if any(not 1 <= side <= 30_000 for side in sides):
            raise BadInputError(f"A picture of {sides} pixels cannot be made.", "Use 1 to 30000 pixels.")
        if self.percent is not None:
            object.__setattr__(self, "percent", in_range(self.percent, 1, 1000, "size in percent"))

    def _parameters(self) -> str:
        if self.percent is not None:
            return f"{number_text(self.percent)}%"
        return f"{self.width or ''}x{self.height or ''}"

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        if text.endswith("%"):
            return cls(target=target, percent=_one_number(text[:-1], cls.verb))
        found = re.fullmatch(r"(\d{0,6})x(\d{0,6})", text)
        if not found:
            raise BadInputError(f"'{text}' is no size.", "Write 'resize 800x600' or 'resize 50%'.")
        return cls(target=target, width=int(found[1]) if found[1] else None, height=int(found[2]) if found[2] else None)


@dataclass(frozen=True)
class ReplaceBackground(Edit, verb="replace_background"):
    """Put something else behind the main thing: ``replace_background white``, ``replace_background #3``."""

    background: str | PictureRef = "white"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.background, str):
            object.__setattr__(self, "background", one_line(self.background, "new background"))

    def _parameters(self) -> str:
        if isinstance(self.background, Shown | This):
            return str(self.background)
        return self.background if _COLOUR.fullmatch(self.background) else quoted(self.background)

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        if text.startswith('"'):  # the quoted description may itself contain " on "
            background, rest = read_quoted(text, "new background")
            return cls(target=read_target(rest), background=background)
        return super()._from_arguments(text)

    @classmethod
    def _from_parameters(cls, text: str, target: str | None) -> Self:
        if re.fullmatch(r"#\d{1,5}|this", text):
            return cls(target=target, background=read_picture(text))
        return cls(target=target, background=colour_name(text))


def read_target(rest: str) -> str | None:
    """What stands after ``on`` at the end of a command."""
    if rest and not rest.startswith("on "):
        raise BadInputError(f"'{rest}' is not understood.", "Name the thing after 'on'.")
    return rest[3:].strip() if rest else None


@dataclass(frozen=True)
class Recolor(Edit, verb="recolor"):
    """Give a thing another colour and keep its shading: ``recolor blue on dress``."""

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
class Remove(Edit, verb="remove"):
    """Take a thing out of the picture and fill the hole from its surroundings: ``remove bin on the left``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target is None:
            raise BadInputError("'remove' does not say what.", "Write 'remove bin on the left'.")

    def _arguments(self) -> str:
        return self._thing()

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(target=text or None)
