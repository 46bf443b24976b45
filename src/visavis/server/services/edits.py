"""Edits for the web app: the table of operations and previews at screen size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock

from cachetools import LRUCache
from PIL import Image

from visavis.editing.editor import Editor, EditResult
from visavis.editing.files import reduced
from visavis.editing.finding.locate import Located
from visavis.editing.pipeline import operation_for
from visavis.editing.recipe import EditRecipe
from visavis.errors import BadInputError
from visavis.server.models.pictures import OperationModel, Parameter
from visavis.server.services.collections import OpenCollection

#: Reduced pictures in the cache.
_CACHED_IMAGES = 24
_AMOUNTS = (
    ("brightness", "light"),
    ("contrast", "light"),
    ("highlights", "light"),
    ("shadows", "light"),
    ("saturation", "colour"),
    ("warmth", "colour"),
    ("sharpness", "detail"),
)
_EFFECTS = (("blur", "detail", 50.0), ("sepia", "colour", 50.0), ("vignette", "light", 50.0))
_PLAIN = (
    ("rotate left", "shape", "rotate 90"),
    ("rotate right", "shape", "rotate 270"),
    ("flip horizontally", "shape", "flip horizontal"),
    ("flip vertically", "shape", "flip vertical"),
    ("level the horizon", "shape", "straighten"),
    ("enhance", "light", "enhance"),
    ("black and white", "colour", "grayscale"),
    ("negative", "colour", "invert"),
    ("cut out the subject", "cut-out", "image_cutout"),
)
_SHAPES = ["1:1", "4:3", "3:2", "16:9", "3:4", "9:16"]
_SIDES = ("left", "top", "right", "bottom")
_TEXT = Parameter(name="text", kind="text", default="text")
_THING = Parameter(name="thing", kind="text", default="subject")


@dataclass(frozen=True)
class FoundPart:
    """What an edit would touch, and whether it was found as surely as the edit needs."""

    located: Located
    sure: bool


class EditPreviews:
    """Previews of edits; the reduced pictures are cached, because a slider asks many times for the same one."""

    def __init__(self) -> None:
        self._cache: LRUCache[tuple[str, str, int], tuple[Image.Image, float]] = LRUCache(_CACHED_IMAGES)
        self._lock = Lock()

    def make(
        self,
        opened: OpenCollection,
        id: str,
        commands: Sequence[str],
        size: int,
        shown: Sequence[str],
        *,
        confirmed: bool,
    ) -> EditResult:
        """What edits would make of a picture; nothing is stored.

        Args:
            opened: The collection.
            id: The picture.
            commands: The edits in their text forms; pixels in them are those of the full picture.
            size: The longest side.
            shown: The pictures that ``#1``, ``#2`` ... mean.
            confirmed: Whether to go on where a thing was not surely found.
        """
        small, recipe, editor = self._prepared(opened, id, commands, size, shown)
        return editor.edit(small, recipe.active, confirmed=confirmed, longest=size)

    def find(
        self, opened: OpenCollection, id: str, commands: Sequence[str], size: int, shown: Sequence[str]
    ) -> FoundPart:
        """What the last of some edits would touch, or keep; the arguments are those of ``make``."""
        small, recipe, editor = self._prepared(opened, id, commands, size, shown)
        found = editor.find(small, recipe.active, longest=size)
        return FoundPart(found, found.confidence >= operation_for(recipe.active[-1]).sure)

    def _prepared(
        self, opened: OpenCollection, id: str, commands: Sequence[str], size: int, shown: Sequence[str]
    ) -> tuple[Image.Image, EditRecipe, Editor]:
        """The reduced picture, the edits scaled to it, and an editor that knows the pictures that are shown."""
        recipe = EditRecipe.of(commands)
        small, scale = self._reduced(opened, id, size)

        def resolve(name: str) -> Image.Image:
            number = name.removeprefix("#")
            if name.startswith("#") and number.isdigit() and 1 <= int(number) <= len(shown):
                return self._reduced(opened, shown[int(number) - 1], size)[0]
            raise BadInputError(f"There is no picture {name} here.", "Point at one that is shown, such as #3.")

        return small, recipe.scaled(scale), Editor(opened.collection.encoder, resolve=resolve)

    def _reduced(self, opened: OpenCollection, id: str, size: int) -> tuple[Image.Image, float]:
        key = (opened.name, id, size)
        with self._lock:
            kept = self._cache.get(key)
        if kept is None:
            image = opened.bare.open_image(id, keep_alpha=True)
            small = reduced(image, size)
            kept = (small, small.width / image.width)
            with self._lock:
                self._cache[key] = kept
        return kept


def _number(name: str, low: float, high: float, default: float, unit: str = "", step: float = 1) -> Parameter:
    return Parameter(name=name, kind="number", min=low, max=high, step=step, default=default, unit=unit)


def _colour(default: str) -> Parameter:
    return Parameter(name="colour", kind="colour", default=default)


def _choice(name: str, default: str, choices: list[str]) -> Parameter:
    return Parameter(name=name, kind="choice", default=default, choices=choices)


def _operation(label: str, group: str, template: str, *params: Parameter, name: str = "") -> OperationModel:
    """One operation; its name is its label unless another is given."""
    return OperationModel(
        name=name or label.replace(" ", "_"),
        label=label[0].upper() + label[1:],
        group=group,
        template=template,
        params=list(params),
    )


_VALUE, _SHARE = _number("value", -100, 100, 0), _number("value", 0, 1, 0.5, step=0.05)
_POSITION = _choice("position", "bottom", ["top", "center", "bottom"])


@cache
def operations() -> tuple[OperationModel, ...]:
    """The table of operations; every template is a command that the editor executes (a test checks it)."""
    sides = [Parameter(name=side, kind="number", min=0, step=1, unit="px") for side in _SIDES]
    return (
        *(_operation(name, group, f"adjust_attr {name} {{value}}", _VALUE) for name, group in _AMOUNTS),
        *(_operation(name, group, f"{name} {{value}}", _number("value", 0, 100, at)) for name, group, at in _EFFECTS),
        *(_operation(label, group, command) for label, group, command in _PLAIN),
        _operation("tint", "colour", "adjust_color {colour} {value}", _colour("red"), _SHARE),
        _operation("straighten", "shape", "straighten {value}", _number("value", -45, 45, 0, "°", 0.5)),
        _operation("crop", "shape", "crop {left} {top} {right} {bottom}", *sides),
        _operation("crop to shape", "shape", "crop {shape}", _choice("shape", "1:1", _SHAPES)),
        _operation("resize", "shape", "resize {value}%", _number("value", 1, 400, 100, "%")),
        *_background_operations(),
        _operation("recolour", "cut-out", "recolor {colour} on {thing}", _colour("blue"), _THING, name="recolor"),
        _operation("remove", "cut-out", "remove {thing}", _THING, name="remove"),
        _operation("border", "frame", "border {value} {colour}", _number("value", 1, 200, 20, "px"), _colour("white")),
        _operation("caption", "frame", 'caption "{text}" {position}', _TEXT, _POSITION),
    )


def _background_operations() -> Iterator[OperationModel]:
    blur, replace = "blur {value} on background", "replace_background {colour}"
    yield _operation("blur the background", "cut-out", blur, _number("value", 0, 100, 50), name="blur_background")
    yield _operation("replace the background", "cut-out", replace, _colour("white"), name="replace_background")
