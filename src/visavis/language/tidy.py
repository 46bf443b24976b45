"""A message in a form that rules can rely on: short, one line, plain quotes, usual spelling of fixed expressions."""

from __future__ import annotations

import re
import unicodedata

#: What a person says in one message; anything beyond it is not read.
LONGEST_MESSAGE = 2000

_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]+")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_DASHES = re.compile(r"[‐‑‒–—−]")

#: Expressions that people write in many ways, each with the one that the rules know.
_EXPRESSIONS = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), replacement)
    for pattern, replacement in (
        (r"(?:anti|counter|contra)[ -]?c?lock[ -]?wise|ccw", "anticlockwise"),
        (r"clock[ -]wise|cw", "clockwise"),
        (r"pls|plz|plss|pleas|plese|plase", "please"),
        (r"teh|hte|tge", "the"),
        (r"thx|thnx|thanx|ty|tysm", "thanks"),
        (r"dont|do not|do n't", "don't"),
        (r"doesnt|does not", "doesn't"),
        (r"cant|cannot|can not", "can't"),
        (r"im|i am", "i'm"),
        (r"ive", "i've"),
        (r"id like|i would like|i should like", "i'd like"),
        (r"i would", "i'd"),
        (r"thats|that is", "that's"),
        (r"its (?=too|not|so|very|a bit|much)", "it's "),
        (r"lets|let us", "let's"),
        (r"whats|what is", "what's"),
        (r"wanna", "want to"),
        (r"gimme", "give me"),
        (r"u", "you"),
        (r"per ?cents?|perent|percents|pct", "percent"),
        (r"back[ -]ground|bg|back(?:round|grond|groud|grund|gorund|goround)|bakground|backdround", "background"),
        (r"de[ -]saturate", "desaturate"),
        (r"bri(?:te|ght|gth|gh)r|brighther", "brighter"),
        (r"b ?(?:&|/|n) ?w", "black and white"),
        (r"sky[ -]blue", "skyblue"),
        (r"grey[ -]?scale|gray[ -]scale", "grayscale"),
        (r"pics|photos|photographs|imgs", "pictures"),
        (r"pic|img", "picture"),
        (r"un[ -]do", "undo"),
        (r"roll[ -]back", "rollback"),
        (r"cut[ -]out", "cutout"),
        (r"in[ -]?(?:lining|line|lined|lines|ling)(?= with)|in[ -](?:lining|line)(?= to)", "matching"),
        (r"wit(?= the\b)|withe(?= colou?r)", "with"),
    )
)


def tidy(message: str) -> str:
    """The message on one line with plain characters, cut where nobody would go on reading."""
    cut = message[: 2 * LONGEST_MESSAGE]
    text = unicodedata.normalize("NFKC", cut)[:LONGEST_MESSAGE]
    text = _DASHES.sub("-", _INVISIBLE.sub(" ", text).translate(_QUOTES))
    return " ".join(text.split())


def usual(text: str) -> str:
    """A tidy text in lower case, with fixed expressions in their usual spelling."""
    text = re.sub(r"(?<=\d) ?%", " percent", text.lower())
    for pattern, replacement in _EXPRESSIONS:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())
