"""What editing here cannot do: said plainly, with what comes closest to choose from."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

from visavis.language.commands import Caption, Clarify, Refine
from visavis.language.commands.edits import Position
from visavis.language.rules.pointing import numbers_pointed_at
from visavis.language.rules.scene import Reading, Scene, read
from visavis.language.rules.targets import target

Options = tuple[tuple[str, str | None], ...]

_GONE = re.compile(
    r"^(?:remove|erase|delete|get rid of|take out|take away|retouch|(?:paint|photoshop|edit|clone|wipe) out|"
    r"make (?=.* (?:disappear|vanish|go away)$))(?: out)? "
    r"(?P<thing>(?:the|that|this|those|these|his|her|my|all the|both)"
    r" (?!background|backdrop|colou?rs?|filters?|edits?|changes?|effects?|last|first|second|third|ones?\b|top|bottom|"
    r"left|right|pictures?|images?|photos?|results?|wish|price|brand)[\w' -]+?)"
    r"(?: (?:from|in|out of) (?:it|(?:the|this) (?:picture|image|photo)))?"
    r"(?: (?:disappear|vanish|go away|out|please))*$"
)
_OUT = re.compile(
    r"^(?:photoshop|edit|clone|paint|take|wipe|airbrush|erase|retouch) (?P<thing>(?:the|that|this|those|these|his|her|"
    r"my) "
    r"(?!background|backdrop|colou?rs?|picture|image|photo|border|frame|caption|text)[\w' -]+?) out"
    r"(?: of (?:it|(?:the|this) (?:picture|image|photo)))?$"
)
_REDRAWN = re.compile(
    r"\b(?:turn|make|convert|change|render|draw|redraw|style)\b.*\b(?:sketch|drawing|painting|cartoon|watercolou?r|"
    r"anime|comic|manga|pixel art|3d|gif|video|mosaic|collage|line art)\b"
)
_TONES = re.compile(
    r"^(?:\w+ ){0,3}?(?:the )?(?P<what>shadows|highlights|midtones|whites|blacks|curves|levels)\b(?! of)(?: \w+){0,4}$"
)
_NOISE = re.compile(
    r"^(?:remove|reduce|get rid of|less|too much|fix|lower|de-?noise)\b.*\b(?:noise|grain|graininess)\b|"
    r"^(?:it's|it is|this is) (?:a bit |too |very |so )*(?:noisy|grainy)$|^de-?noise(?: it)?$"
)
_RED_EYES = re.compile(
    r"\bred[ -]?eyes?\b(?=.*\b(?:remov|fix|correct|gone|away|out)\w*)|\b(?:remov|fix|correct)\w* .*\bred[ -]?eyes?\b"
)
_LETTERS = re.compile(
    r"\b(?:bigger|larger|smaller|bolder|bold|different|another|other|nicer|red|white|black|blue|yellow|green) "
    r"(?:letters?|lettering|fonts?|text|caption|words)\b|\bfont\b|\b(?:text|letters?|caption) (?:size|colou?r)\b|"
    r"\b(?:text|letters?|caption|words) (?:is |are )?(?:too )?(?:bigger|larger|smaller|big|small|large)\b"
)
_BODIES = re.compile(
    r"^(?:please )?(?:make|let|have|open|close|give) (?:him|her|them|the \w+|his|my \w+)\b.*"
    r"\b(?:smil\w*|laugh\w*|eyes|younger|older|thinner|slimmer|taller|bald|hair|beard|makeup|make-up|muscles)\b"
)
_SOME_OFF = re.compile(
    r"^(?:crop|trim|cut|chop|shave|take) (?:off )?(?:about |around |some )?\d+ ?(?P<unit>px|pixels?|percent|cm|mm)\b.*"
    r"\b(?:left|right|top|bottom|sides?|edges?|each|every|all)\b"
)
_COMPARE = re.compile(r"^(?:can you |let me |please )*compare (?P<what>.*\d.*\d.*|.*\b(?:first|second|third|two)\b.*)$")
_ONLY_IT = re.compile(
    r"^(?:i )?(?:just |only )?(?:(?:want|need) )?(?:just|only|nothing but) (?P<thing>(?:the|her|his|their|my) "
    r"(?!\w*ones?\b|first|second|third|last|next|best|top|(?:\w+ ){0,2}ones\b|results?|pictures?|images?|photos?|"
    r"colou?rs?|left|right|bottom)[\w' -]+?)(?:,? (?:and )?nothing else)?$"
)


#: Words that are said of a picture to be changed rather than of one to be found.
_OF_EDITING = re.compile(
    r"^(?:zoom|knock|reduce|increase|rotate|adjust|apply|convert|stretch|warp|distort|flip|erase|retouch|merge|undo|"
    r"export|"
    r"boost|tweak|photoshop)\b"
    r"|^(?:crop|cut|trim|lower|raise|turn|fix|clean|smooth|scale|paint|draw|edit) (?:the|it|this|its|his|her|that|out|"
    r"up)\b"
    r"|\b(?:pixels?|saturation|brightness|glare|horizon|dpi|opacity|gamma|white balance|captions?|borders?|vignette)\b"
)
#: A verb and the picture: "frame it in gold".
_OBJECT = re.compile(
    r"^(?!make|want|like|need|love|get|find|show|give|have|keep|is|was|do|does|that|if|but|and|in|with|like|as|for|"
    r"than)"
    r"[a-z]+ (?:it|this one|this picture|the (?:picture|photo|image))\b"
)
#: After an edit "thinner" is rather about that.
_COMPARED = re.compile(
    r"^(?:make it )?(?:(?:a (?:bit|little|touch|tad)|much|even|slightly|still|way|too) )*"
    r"(?:(?!other|another|under|over|after|never|winter|summer|flower|paper|water|river|leather|her\b)[a-z]{3,}er|"
    r"more \w+|less \w+|too \w+)(?: \w+)?$"
)
#: A refinement that nothing but the lack of another reading speaks for.
_GUESS = 0.7
_LIGHT: Options = (
    ("brighter", "adjust_attr brightness 10"),
    ("less contrast", "adjust_attr contrast -10"),
    ("better levels", "enhance"),
)
_SIDES = (("left", "right"), ("right", "left"), ("top", "bottom"), ("bottom", "top"))


def compare(scene: Scene) -> Reading | None:
    """Read "compare 1 and 2": what comparing is for is to say which one comes closer."""
    found = _COMPARE.match(scene.text.strip(" .!?"))
    if not found or not scene.context.shown:
        return None
    said = re.sub(r"(?<![#\w])(?=\d)", "#", re.sub(r"\bnumbers? ", "", found["what"]))
    numbers = [n for n in numbers_pointed_at(said, scene) if 0 < n <= scene.context.shown][:4]
    if len(numbers) < 2:
        return None
    options = tuple((f"number {n}", f"like #{n}") for n in numbers)
    names = " or ".join(f"#{n}" for n in numbers)
    return read(Clarify(f"Which one comes closer to what you want, {names}?", options))


def beyond(scene: Scene) -> Reading | None:
    """Read what cannot be done to the picture in hand, and offer what can."""
    text = scene.text.strip(" .!?")
    options: Options
    if not scene.context.picture:
        return None
    if (found := _GONE.match(text) or _OUT.match(text)) and (thing := target(found["thing"])):
        options = (
            ("crop it away", f"crop on everything but {thing}"),
            ("blur it", f"blur 80 on {thing}"),
            ("find pictures without it", f"avoid {thing}"),
        )
        return read(Clarify(f"I cannot paint {_the(thing)} out of a picture. What comes closest?", options))
    if found := _TONES.match(text):
        options = _LIGHT
        return read(Clarify(f"I cannot change the {found['what']} alone. What comes closest?", options))
    if _LETTERS.search(text) and (written := _caption(scene)):
        options = tuple(
            (f"move it to the {place}", str(replace(written, position=place)))
            for place in get_args(Position)
            if place != written.position
        )
        return read(Clarify("Letters have one size and colour here. What shall I do instead?", options))
    if _NOISE.search(text):
        options = (("soften it", "adjust_attr sharpness -20"), ("blur it slightly", "blur 5"))
        return read(Clarify("I cannot take out noise alone. What comes closest?", options))
    if _RED_EYES.search(text) or _BODIES.match(text):
        told = "I change light, colour, shape and background, not faces and bodies. What shall I do instead?"
        return read(Clarify(told, (("make it look better", "enhance"), ("crop to the face", "crop on face"))))
    if re.fullmatch(r"zoom(?: it)? out(?: a bit| a little)?", text):
        options = (("back to the original", "reset edits"), ("a border around it", "border 40 white"))
        return read(Clarify("There is nothing beyond the edges of the picture. What comes closest?", options))
    if _REDRAWN.search(text):
        options = (("black and white", "grayscale"), ("like an old photograph", "sepia 60"), ("a negative", "invert"))
        return read(Clarify("I cannot redraw a picture. What comes closest?", options))
    if _SOME_OFF.match(text):
        options = tuple((f"the {gone} third", f"crop on {kept} two thirds") for gone, kept in _SIDES)
        return read(Clarify("I crop to a box (crop 10 10 200 200), a shape or a part. What should go?", options))
    if (found := _ONLY_IT.match(text)) and (thing := target(found["thing"])):
        options = (("crop to it", f"crop on {thing}"), ("cut it out", f"image_cutout on {thing}"))
        return read(Clarify(f"Shall I crop to {_the(thing)} or cut it out?", options))
    return None


def unknown_edit(scene: Scene, reading: Reading) -> Reading:
    """A guess at a wish that speaks of editing, asked back: it would put the picture in hand away."""
    guess = reading.commands[0] if len(reading.commands) == 1 else None
    if not scene.context.picture or not isinstance(guess, Refine) or reading.confidence > _GUESS:
        return reading
    about_it = _OBJECT.match(scene.text) or (scene.context.edits and _COMPARED.match(scene.text))
    if not _OF_EDITING.search(scene.text) and not about_it:
        return reading
    said = scene.unquoted(scene.text.strip(" .!?"))[:80]
    told = (
        f"I do not know the edit “{said}”. I crop, turn, flip, resize, cut out, "
        "blur, frame, letter, and change light, colour and background. Shall I look for such pictures instead?"
    )
    return read(Clarify(told, (("yes", str(guess)), ("no", None))), confidence=reading.confidence)


def _caption(scene: Scene) -> Caption | None:
    return next((edit for edit in reversed(scene.context.edits) if isinstance(edit, Caption)), None)


def _the(thing: str) -> str:
    return thing if thing.startswith(("his ", "her ", "their ", "my ")) else f"the {thing}"
