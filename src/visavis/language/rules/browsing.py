"""Which results and in which order: more, fewer, anything at random, sorting."""

from __future__ import annotations

import re

from visavis.language.commands import Fewer, Like, More, Random, Sort
from visavis.language.context import NumberRange
from visavis.language.rules.amounts import COUNT, to_number
from visavis.language.rules.grounding import field_for
from visavis.language.rules.scene import Reading, Scene, read

_LEAD = (
    r"^(?:(?:please|ok(?:ay)?|yes|now|can you|could you|can i|could i|i want to|i'd like to|let me|let's|"
    r"just|only|show|see|get|give|display|load|have|find)(?: me| us)?[ ,]+)*"
)
_THINGS = r"(?:results?|pictures?|images?|photos?|ones|options?|items?|of (?:them|these|those)|pages?)"
_MORE = re.compile(
    rf"{_LEAD}(?:(?:some |a few |even )?more(?: {_THINGS})*|next(?: page| batch| ones| results?)?|"
    rf"(?:(?P<count>{COUNT}) more|another (?P<another>{COUNT}))(?: {_THINGS})*|"
    rf"(?:the )?next (?P<next>{COUNT})(?: {_THINGS})*)(?: please)?[ .!?]*$"
)
_OTHERS = re.compile(
    r"\b(?:any(?:thing)?|what|something|some) (?:else|other ones|others)\b(?: do you have| have you got|"
    r" is there| you have| please)*[ ?.!]*$|^(?:none|neither|not any) of (?:these|them|those)\b|^(?:show |"
    r"see )?(?:me )?others?[ ?.!]*$|^no(?:ne)? of the above\b|^(?:keep going|go on|continue|more of the same|"
    r"scroll(?: down)?)$"
)
_FEWER = re.compile(
    rf"{_LEAD}(?:fewer|less)(?: {_THINGS})?(?: at (?:once|a time))?(?: please)?[ .!]*$|"
    rf"\btoo many(?: {_THINGS})?[ .!]*$|{_LEAD}(?:the )?(?:(?:best|top|"
    rf"first) )?(?!one\b)(?P<count>{COUNT})(?: {_THINGS})?(?: (?:at a time|at once|only|each time|"
    rf"per page))?(?: please)?[ .!]*$"
)
_RANDOM = re.compile(
    r"\bsurprise me\b|\brandom(?:ly)?\b(?! (?:people|person|man|woman|dots|pattern))|^(?:please )?(?:show|"
    r"give|find|get) me (?:anything|something|whatever)[ .!?]*$|\bi'm feeling lucky\b|\binspire me\b|"
    r"\banything goes\b"
)
_SORT = re.compile(
    r"\b(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?|arrange)\b(?: (?:them|it|the results|everything|these|"
    r"those|results|all))*(?: by| on| after| in order of)? ?(?:the |their )?(?P<field>[\w ]+)?"
)
_DESCENDING = re.compile(
    r"\bdesc\w*|\bhigh(?:est)?(?: (?:to low|first))\b|\blargest first\b|\bdecreasing\b|\b(?:most|newest|"
    r"latest|biggest) first\b|\breverse\b|\bfrom (?:high|new)"
)
_FIRST = re.compile(
    r"\b(?P<word>cheapest|lowest price|highest price|most expensive|dearest|priciest|newest|latest|"
    r"most recent|oldest|earliest|biggest|largest|smallest)(?: (?:ones|pictures|images))?(?: (?:first|"
    r"on top|at the top|to (?:the )?(?:highest|lowest|dearest|most expensive|oldest|newest)))"
)
_CHEAPER = re.compile(
    r"^(?:(?:something|anything|some|a bit|a little|much|ones|show me|find me|please|i want|got|have you|"
    r"i'd like|do you have|but|can it be|any) ?)*(?P<word>cheaper|less expensive|more expensive|pricier|"
    r"newer|older|more recent)(?: (?:one|ones|please|alternatives?|options?))*[ .!?]*$"
)

PRICE_WORDS = ("price", "cost", "amount")
YEAR_WORDS = ("year", "date", "created", "taken", "season_year", "released")
_SIZE_WORDS = ("size", "width", "pixels", "bytes", "megapixels")


def browse(scene: Scene) -> Reading | None:
    """Read "more", "10 more", "fewer results", "surprise me", "anything else?"."""
    text = scene.text
    if _RANDOM.search(text):
        number = re.search(rf"\b(?P<count>\d{{1,3}}|{COUNT}) (?:random|{_THINGS})", text)
        return read(Random(_count(number["count"])) if number else Random())
    if found := _MORE.match(text):
        if scene.last_edit is not None and scene.context.picture and not re.search(_THINGS, text):
            return None  # about the edit just made, not about results
        said = found["count"] or found["another"] or found["next"]
        return read(More(_count(said)) if said else More())
    if _OTHERS.search(text) and scene.context.turns:
        return read(More())
    if (found := _FEWER.search(text)) and scene.context.turns:
        said = found["count"]
        if (
            not said
            and scene.last_edit is not None
            and scene.context.picture
            and not re.search(rf"{_THINGS}|many", text)
        ):
            return None  # less of the edit just made
        if said and not re.search(r"\b(?:only|just|show|at a time|best|top|fewer|less|per page)\b", text):
            return None
        return read(Fewer(_count(said)) if said else Fewer())
    return None


def _count(said: str) -> int:
    return max(1, min(1000, int(to_number(said))))


def _field(words: tuple[str, ...], scene: Scene) -> str:
    for name, values in scene.context.attributes.items():
        if isinstance(values, NumberRange) and any(word in name.lower() for word in words):
            return name
    return words[0]


def sort(scene: Scene) -> Reading | None:
    """Read "sort by price", "newest first", "something cheaper"."""
    text = scene.text
    if found := _FIRST.search(text):
        return read(_sort_for(found["word"], scene))
    liked = any(isinstance(command, Like) for command in scene.before)
    if (found := _CHEAPER.match(text)) and _has_number(found["word"], scene) and not liked:
        return read(_sort_for(found["word"], scene))
    found = _SORT.search(text)
    if not found or not found["field"] or re.search(r"\b(?:kind|sort|type) of\b", text):
        return None
    name = field_for(found["field"], scene.context.attributes)
    if name is None and scene.context.attributes:
        return None
    descending = _DESCENDING.search(text)
    return read(Sort(name or found["field"].split()[0], "desc" if descending else "asc"))


def _has_number(word: str, scene: Scene) -> bool:
    wanted = PRICE_WORDS if re.search(r"cheap|expensive|pric", word) else YEAR_WORDS
    return any(
        isinstance(values, NumberRange) and any(w in name.lower() for w in wanted)
        for name, values in scene.context.attributes.items()
    )


def _sort_for(word: str, scene: Scene) -> Sort:
    if re.search(r"cheap|price|expensive|dear|pric", word):
        dear = re.search(r"most expensive|more expensive|highest|dear|prici", word)
        return Sort(_field(PRICE_WORDS, scene), "desc" if dear else "asc")
    if re.search(r"biggest|largest|smallest", word):
        return Sort(_field(_SIZE_WORDS, scene), "asc" if word == "smallest" else "desc")
    return Sort(_field(YEAR_WORDS, scene), "asc" if re.search(r"old|earliest", word) else "desc")
