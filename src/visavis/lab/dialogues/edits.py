"""Generated messages about the picture in hand, with the edits that they ask for."""

from __future__ import annotations

from collections.abc import Callable

from visavis.lab.dialogues.slots import PRODUCT, Slots
from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    Blur,
    Border,
    Command,
    Crop,
    Enhance,
    Flip,
    Grayscale,
    ImageCutout,
    Invert,
    ReplaceBackground,
    Resize,
    Rotate,
    Sepia,
    Straighten,
    Vignette,
)
from visavis.language.commands.edits import AttributeName
from visavis.language.lexicon import colours

Said = tuple[str, tuple[Command, ...]]

_CLOCKWISE = "clockwise|to the right|right|clock wise|towards the right|in the clockwise direction|on the right side|cw"
_AGAINST = (
    "anticlockwise|counter clockwise|to the left|left|counterclockwise|anti-clockwise|towards the left|ccw|"
    "on the left side"
)
_IT = "it|it|the image|the picture|the photo|this picture|this|the whole image|that|my photo|the above image"
_WORDS = {10: "ten", 15: "fifteen", 20: "twenty", 30: "thirty", 45: "forty five", 90: "ninety", 25: "twenty five"}
_WORDS |= {40: "forty", 50: "fifty", 60: "sixty"}


def _spoken(number: int, s: Slots) -> str:
    return _WORDS[number] if number in _WORDS and s.chance.random() < 0.2 else str(number)


def _way(s: Slots) -> tuple[bool, str]:
    clockwise = s.chance.random() < 0.5
    return clockwise, s.say(_CLOCKWISE if clockwise else _AGAINST)


def rotate(s: Slots) -> Said:
    """Turns with a direction; without one the product asks."""
    degrees = s.chance.choice((10, 15, 20, 25, 30, 45, 60, 90, 90, 90, 180, 5, 35, 40, 120, 135, 270))
    clockwise, way = _way(s)
    text = s.say(
        "{verb} {it} {way} by {angle}|{verb} {it} by {angle} {way}|{verb} {it} {angle} {way}|{verb} {angle} {way}|"
        "{verb} {way} {angle}|{it} should be rotated {angle} {way}|a {angle} turn {way}|"
        "{verb} {it} {way} at an angle of {angle}",
        verb=s.say("rotate|turn|tilt|spin|rotate|twist|swivel"),
        it=s.say(_IT),
        way=way,
        angle=_spoken(degrees, s) + s.say(" degrees| degree|°|| deg"),
    )
    return text, (Rotate(float((360 - degrees) % 360 if clockwise else degrees % 360)),)


def rotate_unsaid(s: Slots) -> Said:
    """Turns without an angle."""
    clockwise, way = _way(s)
    it = s.say(_IT)
    kind = s.chance.random()
    if kind < 0.4:
        small = s.say("a bit|a little|slightly|a touch")
        text = s.say("tilt {it} {s} {w}|rotate {it} {w} {s}|turn {it} {s} {w}", it=it, s=small, w=way)
        return text, (Rotate(360 - PRODUCT.small_turn if clockwise else PRODUCT.small_turn),)
    if kind < 0.6:
        upside = "turn {it} upside down|rotate {it} by 180|{it} is upside down, turn it around|give {it} a half turn"
        return s.say(upside, it=it), (Rotate(180),)
    text = s.say("rotate {it} {w}|turn {it} {w}|a quarter turn {w}|rotate {it} a quarter {w}", it=it, w=way)
    return text, (Rotate(270 if clockwise else 90),)


def light(s: Slots) -> Said:
    """An attribute raised or lowered by a number."""
    names: tuple[AttributeName, ...] = ("brightness", "contrast", "saturation", "warmth", "sharpness")
    name = s.chance.choices(names, (3, 3, 1, 1, 1))[0]
    amount, up = s.number(5, 100, 5), s.chance.random() < 0.65
    raised, lowered = (
        "increase|raise|boost|bump up|turn up|lift|push up",
        "decrease|reduce|lower|turn down|bring down|cut",
    )
    text = s.say(
        "{verb} the {name}{of} by {n}|{verb} {name} by {n}|{verb} the {name} {n}|{name} {sign}{amount}|"
        "{n} {more} {name}|"
        "the {name} needs to go {up} by {n}|make the {name} {higher} by {n}",
        verb=s.say(raised if up else lowered),
        name=name,
        of=s.say("|| of {it}| in {it}", it=s.say(_IT)),
        n=_spoken(amount, s) + s.say(" percent|%||| points"),
        amount=str(amount),
        sign="+" if up else "-",
        more="more" if up else "less",
        up="up" if up else "down",
        higher="higher" if up else "lower",
    )
    return text, (AdjustAttr(name, amount if up else -amount),)


_FELT: tuple[tuple[AttributeName, int, str], ...] = (
    ("brightness", 1, "brighter|lighter|less dark"),
    ("brightness", -1, "darker|less bright|dimmer"),
    ("saturation", 1, "more vivid|more colourful|more saturated|more vibrant"),
    ("saturation", -1, "less saturated|less colourful|more muted"),
    ("warmth", 1, "warmer"),
    ("warmth", -1, "cooler|colder"),
    ("sharpness", 1, "sharper|crisper"),
)


def light_felt(s: Slots) -> Said:
    """An attribute raised or lowered without a number."""
    name, sign, words = s.chance.choice(_FELT)
    step, small, big = PRODUCT.step, PRODUCT.small_step, PRODUCT.big_step
    amount, how = s.chance.choice(
        ((step, ""), (step, ""), (small, "a bit "), (small, "slightly "), (big, "a lot "), (big, "much "))
    )
    thing = s.thing() if s.chance.random() < 0.25 else None
    text = s.say(
        "make {it} {felt}|{it} should be {felt}|i want {it} {felt}|can {it} be {felt}",
        it=f"the {thing}" if thing else s.say(_IT),
        felt=how + s.say(words),
    )
    return text, (AdjustAttr(name, sign * amount, target=thing),)


def tint(s: Slots) -> Said:
    """The picture or a thing in another colour."""
    usual, light_, dark = PRODUCT.strength, PRODUCT.light_strength, PRODUCT.dark_strength
    shade, strength = s.chance.choice((("", usual),) * 4 + (("light ", light_), ("dark ", dark), ("deep ", dark)))
    colour = s.say("red|orange|green|blue|purple|brown|yellow|pink")
    thing = s.thing() if s.chance.random() < 0.35 else None
    text = s.say(
        "change the colour of {it} to {c}|make {it} {c}|paint {it} {c}|tint {it} {c}|turn {it} {c}|"
        "recolour {it} in {c}|"
        "change the color of {it} into {c}|give {it} a {c} tint|colour {it} {c}",
        it=f"the {thing}" if thing else s.say("the image|the picture|the photo|the whole image|it|the complete image"),
        c=shade + colour,
    )
    return text, (AdjustColor(colours()[colour], strength, target=thing),)


def _named(s: Slots) -> str:
    return s.thing() + s.maybe(s.say(" on the left| on the right| in the middle| in front"), 0.3)


def cut_out(s: Slots) -> Said:
    """Cut-outs of the main thing or a named one."""
    if s.chance.random() < 0.6:
        text = s.say(
            "remove the background|get rid of the background|erase the background|cut it out|delete the background|"
            "take the background away|i don't want the background|no background|make the background transparent|"
            "drop the backdrop|strip out the background|background removal|remove everything behind it"
        )
        return text, (ImageCutout(),)
    thing = _named(s)
    text = s.say(
        "cut out the {t}|extract the {t}|isolate the {t}|give me just the {t} cut out|cut the {t} out", t=thing
    )
    return text, (ImageCutout(target=thing),)


def crop(s: Slots) -> Said:
    """Crops to a thing or a shape."""
    it = s.say("it|the picture|the image|this")
    if s.chance.random() < 0.35:
        shape, aspect = s.chance.choice(
            (("a square", (1, 1)), ("16:9", (16, 9)), ("4:3", (4, 3)), ("3:2", (3, 2)), ("9:16", (9, 16)))
        )
        return s.say("crop {it} to {shape}|trim {it} to {shape}", it=it, shape=shape), (Crop(None, aspect),)
    thing = _named(s)
    text = s.say(
        "crop {it} to the {t}|crop to the {t}|crop around the {t}|crop {it} so that only the {t} is left|"
        "zoom in and crop to the {t}",
        it=it,
        t=thing,
    )
    return text, (Crop(target=thing),)


def blur(s: Slots) -> Said:
    """Blurs of everything, a thing, or the background."""
    kind = s.chance.random()
    if kind < 0.5:
        text = s.say(
            "blur the background|make the background blurry|defocus the background|blur everything behind it|"
            "soft background blur|put the background out of focus"
        )
        return text, (Blur(PRODUCT.effect, target="background"),)
    if kind < 0.75:
        thing = s.thing()
        text = s.say("blur the {t}|blur out the {t}|pixelate the {t}|make the {t} blurry", t=thing)
        return text, (Blur(PRODUCT.effect, target=thing),)
    it = s.say("it|the image|the whole picture|everything")
    return s.say("blur {it}|make {it} blurry|apply a blur to {it}", it=it), (Blur(PRODUCT.effect),)


_LOOKS: tuple[tuple[str, Command], ...] = (
    (
        "make {it} black and white|convert {it} to grayscale|{it} in black and white|turn {it} into a monochrome|"
        "remove the colours from {it}|b&w please",
        Grayscale(),
    ),
    ("make {it} sepia|apply a sepia tone|give {it} an old photo look|sepia effect", Sepia(PRODUCT.effect)),
    ("invert {it}|invert the colours|make a negative of {it}|turn {it} into a negative", Invert()),
    ("add a vignette to {it}|darken the corners|vignette effect|put a vignette on it", Vignette(PRODUCT.effect)),
    ("enhance {it}|auto enhance {it}|make {it} look better|improve {it}|auto fix|touch up {it}", Enhance()),
    ("straighten {it}|straighten the horizon|the horizon is crooked, fix it|level {it}", Straighten()),
    ("flip {it} horizontally|mirror {it}|flip {it}|reverse {it} left to right", Flip("horizontal")),
    ("flip {it} vertically|flip {it} top to bottom|vertical flip|mirror {it} vertically", Flip("vertical")),
)


def look(s: Slots) -> Said:
    """Looks that take no amount."""
    texts, command = s.chance.choice(_LOOKS)
    return s.say(texts, it=s.say("it|the picture|the image|this")), (command,)


def size(s: Slots) -> Said:
    """New sizes."""
    width, height, percent = s.number(200, 2000, 10), s.number(200, 2000, 10), s.number(10, 90, 5)
    choices: tuple[tuple[str, Command], ...] = (
        ("resize {it} to {w}x{h}|scale {it} to {w} by {h}|make {it} {w} by {h} pixels", Resize(width, height)),
        ("make {it} {w} pixels wide|resize {it} to a width of {w}|scale {it} to {w} px wide", Resize(width)),
        ("scale {it} to {p}%|resize {it} to {p} percent|shrink {it} to {p} percent", Resize(percent=percent)),
        ("make {it} half as big|make {it} half the size|shrink {it} by half", Resize(percent=50)),
        ("make {it} twice as big|double the size of {it}", Resize(percent=200)),
    )
    texts, command = s.chance.choice(choices)
    return s.say(texts, it=s.say("it|the picture|the image"), w=str(width), h=str(height), p=str(percent)), (command,)


def frame(s: Slots) -> Said:
    """Borders and backgrounds."""
    colour, kind = s.say("white|black|red|blue|grey|green|pink"), s.chance.random()
    if kind < 0.5:
        width = s.number(2, 60, 2) if s.chance.random() < 0.5 else None
        thick = f"{width} {s.say('px|pixel|pixels')} " if width else ""
        texts = "add a {b} border|put a {b} frame around it|give it a {b} border|frame it in {b}"
        return s.say(texts, b=thick + colour), (Border(width or PRODUCT.border, colour),)
    if kind < 0.8:
        texts = (
            "make the background {c}|change the background to {c}|put it on a {c} background|i want a {c} background|"
            "set the background colour to {c}"
        )
        return s.say(texts, c=colour), (ReplaceBackground(colour),)
    scene = s.say("beach|forest|sunset|city street|starry sky|snowy mountain|living room|meadow|brick wall|desert")
    texts = (
        "replace the background with a {s}|put a {s} behind it|swap the background for a {s}|"
        "change the background to a {s}"
    )
    return s.say(texts, s=scene), (ReplaceBackground(scene),)


EDITS: tuple[tuple[float, Callable[[Slots], Said]], ...] = (
    (3, rotate),
    (1.5, rotate_unsaid),
    (3, light),
    (2.5, light_felt),
    (2.5, tint),
    (1.5, cut_out),
    (1.5, crop),
    (1.2, blur),
    (2, look),
    (1, size),
    (1, frame),
)
