"""The edits that the page offers: the operations of the editor with their sliders."""

from __future__ import annotations

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


def _number(name: str, low: float, high: float, default: float, unit: str = "", step: float = 1) -> Parameter:
    return Parameter(name=name, kind="number", min=low, max=high, step=step, default=default, unit=unit)


def _label(name: str) -> str:
    return name[0].upper() + name[1:]


@cache
def operations() -> tuple[OperationModel, ...]:
    """The table; every template is a command that the editor carries out (a test checks it)."""
    made = [
        OperationModel(
            name=name,
            label=_label(name),
            group=group,
            template=f"adjust_attr {name} {{value}}",
            params=[_number("value", -100, 100, 0)],
        )
        for name, group in _AMOUNTS
    ]
    made += [
        OperationModel(
            name=name, label=_label(name), group=group, template=f"{name} {{value}}",
            params=[_number("value", 0, 100, default)],
        )
        for name, group, default in _EFFECTS
    ]  # fmt: skip
    made += [
        OperationModel(name=name.replace(" ", "_"), label=_label(name), group=group, template=template)
        for name, group, template in _PLAIN
    ]
    colour = Parameter(name="colour", kind="colour", default="red")
    sides = [
        Parameter(name=side, kind="number", min=0, step=1, unit="px") for side in ("left", "top", "right", "bottom")
    ]
    shapes = Parameter(name="shape", kind="choice", default="1:1", choices=["1:1", "4:3", "3:2", "16:9", "3:4", "9:16"])
    made += [
        OperationModel(
            name="tint", label="Tint", group="colour", template="adjust_color {colour} {value}",
            params=[colour, _number("value", 0, 1, 0.5, step=0.05)],
        ),
        OperationModel(
            name="straighten", label="Straighten", group="shape", template="straighten {value}",
            params=[_number("value", -45, 45, 0, "°", 0.5)],
        ),
        OperationModel(
            name="crop", label="Crop", group="shape", template="crop {left} {top} {right} {bottom}", params=sides
        ),
        OperationModel(
            name="crop_to_shape", label="Crop to shape", group="shape", template="crop {shape}", params=[shapes]
        ),
        OperationModel(
            name="resize", label="Resize", group="shape", template="resize {value}%",
            params=[_number("value", 1, 400, 100, "%")],
        ),
        OperationModel(
            name="blur_background", label="Blur the background", group="cut-out", template="blur {value} on background",
            params=[_number("value", 0, 100, 50)],
        ),
        OperationModel(
            name="replace_background", label="Replace the background", group="cut-out",
            template="replace_background {colour}", params=[Parameter(name="colour", kind="colour", default="white")],
        ),
        OperationModel(
            name="border", label="Border", group="frame", template="border {value} {colour}",
            params=[_number("value", 1, 200, 20, "px"), Parameter(name="colour", kind="colour", default="white")],
        ),
        OperationModel(
            name="caption", label="Caption", group="frame", template='caption "{text}" {position}',
            params=[
                Parameter(name="text", kind="text", default="text"),
                Parameter(name="position", kind="choice", default="bottom", choices=["top", "center", "bottom"]),
            ],
        ),
    ]  # fmt: skip
    return tuple(made)
