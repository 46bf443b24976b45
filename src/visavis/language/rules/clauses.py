"""A message taken apart: sentences, and within them one clause for each thing that is asked."""

from __future__ import annotations

import re

_VERBS = (
    r"(?:rotat\w*|turn|tilt|spin|twist|swivel|flip|mirror (?:it|this|that|the|my)|crop|cutout|cut|resize|"
    r"scale|straighten|blur|brighten|"
    r"darken|sharpen|desaturate|increas\w*|decreas\w*|reduc\w*|rais\w*|lower|"
    r"add|remov\w*|replace|make|chang\w*|convert|invert|export|save|download|undo|redo|find|search|"
    r"look for|fetch|get rid|get me|show|give|sort|order|write|put|paint|tint|recolou?r|colou?r (?:it|"
    r"the)|enhance|apply|"
    r"set|go back|rollback|keep|filter|use|start over|reset|do the same|boost|adjust|(?:the|my|"
    r"this) (?:image|picture|photo) should|it should|can (?:it|the (?:image|picture|photo)|this|that|"
    r"my photo) be|i want (?:it|the (?:image|picture|photo)|this|that)|set|erase|grayscale|"
    r"black and white|sepia|lighten|soften|trim|zoom|vignette|frame (?:it|this)|shrink|enlarge|"
    r"tone (?:it|the|down)|warm (?:it|the|things) up|cool (?:it|things) (?:down|off)|auto ?enhance|pixelate|"
    r"(?:caption|label|title)(?= «)|"
    r"(?:an? )?(?:\w+ )?(?:border|frame|vignette)(?= please$|$|,))"
)
_ASKING = (
    r"(?:(?:please|now|also|then|next|finally|can you|could you|would you|will you|let's|i want you to|"
    r"i need you to|i'd like you to|just|after that)[ ,]+)"
)
_SENTENCE = re.compile(
    r"(?<=[a-z0-9»)'\" ])[.!?;]+(?=\s|$)(?<!\bno\.)|(?<=[!?])\s+|\.{2,}|\s-\s|(?<=\w)\.(?=[a-z]{3,}(?:\s|"
    r"$)(?<!png)(?<!jpg)(?<!gif))(?!(?:png|jpe?g|gif|webp|tiff?|bmp|heic)\b)|\n"
)
_THEN = re.compile(r",?\s*\b(?:and then|and after that|after that|then also|then)\b,?\s+")
_JOINED = re.compile(
    rf",\s*(?:and |but )?(?={_ASKING}*{_VERBS}\b)|"
    rf",\s*(?=(?:please )?(?:share|help me (?:to )?(?:find|get)|send|fetch) )|,\s*(?:and |but )?(?={_ASKING}+\w)|"
    rf",?\s+(?:and|&|\+|plus)\s+(?={_ASKING}*{_VERBS}\b(?! (?:and|&) white (?:cat|dog|photo|picture)))"
)
#: A request that follows a remark without a comma: "I am hungry can you find me ...".
_RUN_ON = re.compile(
    r"(?<=\w)\s+(?=(?:(?:can|could|would|will) (?:you|i|we) |you need to (?=increase|decrease|rotate|change)|"
    r"(?:get|fetch|show|find|suggest|send) (?:me|us|some)\b|i (?:want|need)(?: to (?:see|eat|go))? |"
    r"(?:please )?help me (?:to )?(?:find|get|with) |(?:and am )?looking for ))"
)
_REMARK = re.compile(r"\b(?:i|i'm|i've|i'd|my|we|it's|its|feeling|just|so|you|he|she|they)\b")
_UNFINISHED = re.compile(r"\b(?:to|you|please|and|if|also|just|that|can|could|would|we|me)$")
_SAID_BEFORE = re.compile(
    r"^(?:(?:yes|no(?=[,.!]| (?:can|could|would|please|i|we|change|turn|increase|decrease|rotate|move|"
    r"make|try|do|further|tilt)\b)|ok|okay|thanks|thank you|great|perfect|nice|good|"
    r"cool(?! (?:it|this|the|things)\b)|awesome|wow|hello|hi|hey|sure|lovely|beautiful|excellent|fine|nah|naah|nope|"
    r"yeah)\b(?: there| job| one| image| it is|"
    r" it does| i do| i like it| i love it)*)[ ,!]+(?=\S)(?!but\b)"
)
_EMPTY = re.compile(
    r"(?:now|also|and|then|so|next|finally|lastly|instead|please|actually|well|one last (?:thing|request|"
    r"help))[ .!]*"
)
_QUOTED = re.compile(r"\"([^\"]{1,300})\"|(?<!\w)'([^']{2,300})'(?!\w)")


def hold_quotes(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with its quoted passages replaced by ``«0»``, ``«1»``..., and the passages."""
    quotes: list[str] = []

    def hold(found: re.Match[str]) -> str:
        quotes.append((found[1] or found[2]).strip() or "-")
        return f"«{len(quotes) - 1}»"

    return _QUOTED.sub(hold, text), tuple(quotes)


def clauses(text: str) -> list[str]:
    """The clauses of a message in lower case, in order, none of them empty."""
    found: list[str] = []
    for sentence in _SENTENCE.split(text):
        for part in _THEN.split(sentence or ""):
            for piece in _JOINED.split(part):
                found.extend(_run_on(piece))
    kept = [clause.strip(" ,;") for clause in found if clause and clause.strip(" ,.;!?")]
    return (
        [clause for clause in kept if not _EMPTY.fullmatch(clause)] or kept or ([text.strip()] if text.strip() else [])
    )


def _run_on(piece: str) -> list[str]:
    """A remark and the request that follows it, apart."""
    for cut in _RUN_ON.finditer(piece):
        remark = piece[: cut.start()]
        if _REMARK.search(remark) and len(remark.split()) > 1 and not _UNFINISHED.search(remark):
            return [piece[: cut.start()], piece[cut.end() :]]
    return [piece]


def small_talk_before(clause: str) -> tuple[str, str]:
    """A clause taken apart into the small talk it opens with ("perfect, ...") and the rest."""
    found = _SAID_BEFORE.match(clause)
    return (found[0].strip(" ,!"), clause[found.end() :]) if found else ("", clause)
