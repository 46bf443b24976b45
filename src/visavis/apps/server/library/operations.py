"""The edits that the page offers: the operations of the editor with their sliders."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from visavis.apps.server.models.pictures import OperationModel, Parameter

_AMOUNTS = (
    ("brightness", "light"),
    ("contrast", "light"),
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


def _number(name: str, low: float, high: float, default: float, unit: str = "", step: float = 1) -> Parameter:
    return Parameter(name=name, kind="number", min=low, max=high, step=step, default=default, unit=unit)


def _colour(default: str) -> Parameter:
    return Parameter(name="colour", kind="colour", default=default)


def _choice(name: str, default: str, choices: list[str]) -> Parameter:
    return Parameter(name=name, kind="choice", default=default, choices=choices)


def _operation(label: str, group: str, template: str, *params: Parameter, name: str = "") -> OperationModel:
    """One edit; it is named by its label unless told otherwise."""
    return OperationModel(
        name=name or label.replace(" ", "_"),
        label=label[0].upper() + label[1:],
        group=group,
        template=template,
        params=list(params),
    )


_SIDES = ("left", "top", "right", "bottom")
_VALUE, _SHARE = _number("value", -100, 100, 0), _number("value", 0, 1, 0.5, step=0.05)
_TEXT = Parameter(name="text", kind="text", default="text")
_POSITION = _choice("position", "bottom", ["top", "center", "bottom"])


@cache
def operations() -> tuple[OperationModel, ...]:
    """The table; every template is a command that the editor carries out (a test checks it)."""
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
        *_with_the_background(),
        _operation("border", "frame", "border {value} {colour}", _number("value", 1, 200, 20, "px"), _colour("white")),
        _operation("caption", "frame", 'caption "{text}" {position}', _TEXT, _POSITION),
    )


def _with_the_background() -> Iterator[OperationModel]:
    blur, replace = "blur {value} on background", "replace_background {colour}"
    yield _operation("blur the background", "cut-out", blur, _number("value", 0, 100, 50), name="blur_background")
    yield _operation("replace the background", "cut-out", replace, _colour("white"), name="replace_background")
