"""Whether a first message describes a picture: "a man cuts a cake in front of a mirror" asks for no edit."""

from __future__ import annotations

import re

from visavis.language.commands import Edit
from visavis.language.rules.scene import Scene

#: Fewer words are rather a command than a description: "black and white please".
_FEWEST_WORDS = 5
#: Once there is something on the table, a description must be plainer still.
_MANY_WORDS = 7
_OPENS_LATER = re.compile(
    r"(?:an? (?!(?:bit|little|lot|touch|tad|quarter|half|third|few|hint|smidge|notch|shade|version|copy|crop)\b)|two |"
    r"three |"
    r"several |many |some people|people |a group of )[\w-]+"
)
_OF_EDITS = re.compile(
    r"\b(?:borders?|frame (?:around|in)|vignette|captions?|text|crop\w*|contrast|brightness|saturation|exposure|"
    r"version|"
    r"copy|look|filter|effect|turns?|degrees?|percent|pixels?|it|this|that|instead|please|again|background (?:please|"
    r"instead)|"
    r"brighter|darker|warmer|sharper|cooler|than|like|#\d+|but|not|no|without|under \d|less|more|colou?r of|ones?|"
    r"first|second|third)\b"
)
#: What "the" stands before when the talk is of pictures that are there, or of how one looks.
_TALKED_OF = (
    r"(?:images?|pictures?|photos?|results?|background|colou?rs?|brightness|contrast|whole|first|second|third|fourth|"
    r"fifth|"
    r"last|same|others?|ones?|left|right|main|entire|saturation|horizon|edges?|top|bottom|sky)"
)
#: What a thing to be found opens with, unless it is an amount ("a bit darker") or the picture itself.
_COUNTED = re.compile(
    r"(?:an?(?! (?:bit|little(?= (?:more|less|\w+er)\b)|lot|touch|tad|quarter|half|third|random|different|new|few|"
    r"bigger|smaller|border|frame|vignette|caption|square|(?:\w+ )?(?:version|copy|crop|cutout|cut-out)))|one|two|"
    r"three|four|five|six|seven|eight|nine|ten|several|many|multiple|various|some|lots of|group of|"
    rf"the(?! {_TALKED_OF}\b)) \w"
)
#: What a request opens with: a verb that tells what to do, or somebody who wants, asks or remarks something.
_REQUEST = re.compile(
    rf"(?:the {_TALKED_OF}\b|#|number \d|"
    r"rotat|turn|tilt|spin|twist|swivel|flip|mirror (?:it|this|the|my)|crop|cut-?out|cut (?!fruits?\b|flowers?\b)|"
    r"resiz|scal(?:e|ing)\b|straighten|blur\b|brighten|darken|sharpen|desaturat|increas|decreas|reduc|rais|lower|"
    r"lighten|add\b|remov|replac|make|making|chang|convert|invert|export|sav(?:e|ing)\b|download|undo|redo|find|"
    r"search|look|fetch|get|show|giv|sort|order|writ(?:e|ing)\b|put|paint (?:it|the|this|my)|tint|recolou?r|"
    r"colou?r (?:it|the|this|my|up)|enhance|apply|set\b|go\b|roll ?back|keep|filter|use\b|using|start|reset|do\b|"
    r"does\b|did\b|boost|adjust|erase|grayscale|shrink|enlarge|zoom|pump|knock|drop|swap|take|wipe|scratch|tilt|"
    r"revers|let|begin|stor(?:e|ing) (?:it|this|the)|bring|push|move|trim|frame (?:it|this|the)|fill|fix|improve|"
    r"clean|sort|rank|order|stop (?!signs?|lights?|watch)|skip|forget|ignore|exclude|avoid|hide|back\b|next\b|again|"
    r"more\b|less\b|fewer|only|just|without|no\b|not\b|nothing|never|none|except|anything|something|any\b|another|"
    r"under \D?\d|below \D?\d|over \D?\d|above \D?\d|less than|more than|cheap|between \D?\d|from \d|"
    r"i\b|i'|we\b|we'|you|it\b|it'|its\b|this|that|these|those|they|them|he\b|she\b|my\b|your\b|me\b|"
    r"can|could|would|will|should|may\b|might|must|is\b|are\b|was\b|has\b|have\b|how\b|what|which|who\b|where|when|why|"
    r"please|pls|ok|yes|yeah|thank|hi\b|hello|hey|sorry|maybe|perhaps|but\b|and\b|or\b|so\b|if\b|also|then|now|well|"
    r"as\b|like|similar|same|in\b|with\b|for\b|at\b|on\b|auto|brightness|contrast|saturation|warmth|sharpness|"
    r"an? |suggest|display|provide|send|pull|locate|view|grab|check|select|pick|choose|compare|combine|mix|brows)"
)


def describes(scene: Scene) -> bool:
    """Whether a clause is a description of what to find, so that its "cut", "mirror" and "background" are no orders.

    Short ones only while there is nothing on the table that an order could be about.
    """
    context = scene.context
    text = scene.text.strip(" ,.!?")
    if context.turns or context.picture or context.question or any(isinstance(c, Edit) for c in scene.before):
        return _describes_later(text)
    if len(text.split()) < _FEWEST_WORDS:
        return False
    return _COUNTED.match(text) is not None or _REQUEST.match(text) is None


def _describes_later(text: str) -> bool:
    """A long sentence that opens with a thing and names no edit: nobody asks so for a change of what is there."""
    return len(text.split()) >= _MANY_WORDS and _OPENS_LATER.match(text) is not None and not _OF_EDITS.search(text)
