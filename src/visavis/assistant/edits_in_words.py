"""Edits as one would say them to a person: "brighter by 20", "turned 5° to the left"."""

from __future__ import annotations

from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    Border,
    Caption,
    Crop,
    Edit,
    Enhance,
    Flip,
    Grayscale,
    ImageCutout,
    Invert,
    ReplaceBackground,
    Resize,
    Rotate,
    Straighten,
)

_MORE_OR_LESS = {
    "brightness": ("brighter", "darker"),
    "contrast": ("more contrast", "less contrast"),
    "saturation": ("stronger colours", "paler colours"),
    "warmth": ("warmer", "cooler"),
    "sharpness": ("sharper", "softer"),
}
_PLAIN = {Grayscale: "black and white", Invert: "inverted", Enhance: "tones and colours put right"}


def in_words(edit: Edit) -> str:
    """What an edit did, without a full stop; one that has no words of its own is told as the command it is."""
    done = _done(edit)
    if done is None:
        return str(edit)
    names_its_thing = isinstance(edit, Crop | ImageCutout | ReplaceBackground)
    return done if edit.target is None or names_its_thing else f"{done} ({edit.target})"


def _done(edit: Edit) -> str | None:  # a table of sentences, one for each kind
    match edit:
        case AdjustAttr():
            more, less = _MORE_OR_LESS[edit.name]
            return f"{more if edit.amount >= 0 else less} by {abs(edit.amount):g} %"
        case AdjustColor():
            return f"{edit.name} mixed in, {edit.strength:.0%}"
        case Rotate():
            return _turned(edit.degrees % 360)
        case Straighten():
            return "levelled" if edit.degrees is None else f"straightened by {edit.degrees:g}°"
        case Flip():
            return "mirrored" if edit.axis == "horizontal" else "turned over, top to bottom"
        case Crop():
            return f"cropped to {edit.target}" if edit.target else "cropped"
        case ImageCutout():
            return f"{edit.target or 'the main thing'} cut out"
        case ReplaceBackground():
            return f"a new background: {edit.background}"
        case Resize():
            return f"resized to {str(edit).removeprefix('resize ')}"
        case Border():
            return f"a {edit.colour} border of {edit.width} pixels"
        case Caption():
            return f"“{edit.text}” written on it"
        case _:
            return _PLAIN.get(type(edit))


def _turned(left: float) -> str:
    if left == 180:
        return "turned upside down"
    return f"turned {left:g}° to the left" if left < 180 else f"turned {360 - left:g}° to the right"
