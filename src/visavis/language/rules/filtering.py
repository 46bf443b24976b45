"""Filters from words, grounded in the collection's own attributes: "under 50", "from 2011", "only shirts"."""

from __future__ import annotations

import re

from visavis.language.commands import THIS, Filter, Known, Like, Shown
from visavis.language.commands.listing import Comparison
from visavis.language.rules.amounts import NUMBER, to_number
from visavis.language.rules.browsing import PRICE_WORDS, YEAR_WORDS
from visavis.language.rules.grounding import Grounded, field_for, numeric_fields, values_in
from visavis.language.rules.pointing import numbers_pointed_at
from visavis.language.rules.scene import Reading, Scene, read

_MONEY = r"(?:\$|€|£|usd|eur|gbp|dollars?|euros?\b|pounds?|bucks|quid|rupees|rs\.?)"
_VALUE = rf"{_MONEY}? ?(?P<{{0}}>{NUMBER})(?: ?(?P<{{0}}_money>{_MONEY})(?!\w))?"
_BETWEEN = re.compile(
    rf"\b(?:(?:priced |costing )?between|from) {_VALUE.format('low')} (?:and|to|-|until|"
    rf"till) {_VALUE.format('high')}(?! (?:people|dogs|cats))"
)
_AROUND = re.compile(rf"\b(?:around|about|roughly|approximately) {_VALUE.format('value')}(?= ?$|[,.])")
_COMPARED = re.compile(
    rf"\b(?P<word>under|below|less than|cheaper than|lower than|smaller than|not over|up to|at most|"
    rf"max(?:imum)?(?: of)?|no more than|not more than|"
    rf"over|above|more than|greater than|higher than|bigger than|at least|min(?:imum)?(?: of)?|"
    rf"no less than|starting at|from|since|after|newer than|later than|before|older than|earlier than|in|"
    rf"of year|exactly) "
    rf"(?:the year |year |price (?:of )?)?{_VALUE.format('value')}(?! ?(?:more|degrees?|percent|pixels?|px|"
    rf"people|dogs?|cats?|times|of (?:them|these)))(?P<plus>\+| or (?:more|less|newer|older|later))?"
)
_OPERATORS: dict[str, Comparison] = {
    **dict.fromkeys(
        (
            "under",
            "below",
            "less than",
            "cheaper than",
            "lower than",
            "smaller than",
            "before",
            "older than",
            "earlier than",
        ),
        "<",
    ),
    **dict.fromkeys(
        ("up to", "at most", "max", "maximum", "max of", "maximum of", "no more than", "not more than", "not over"),
        "<=",
    ),
    **dict.fromkeys(
        (
            "over",
            "above",
            "more than",
            "greater than",
            "higher than",
            "bigger than",
            "after",
            "newer than",
            "later than",
        ),
        ">",
    ),
    **dict.fromkeys(
        ("at least", "min", "minimum", "min of", "minimum of", "no less than", "starting at", "since"), ">="
    ),
}
_OPPOSITE: dict[Comparison, Comparison] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
_NOTHING = re.compile(
    r"\b(?:nothing|not|none|no|don't (?:want|show)(?: me)?(?: anything)?)\b(?: (?:that's|that is|costs|"
    r"costing|which is))?\s*$"
)
#: What is measured and costs nothing: "size between 10 and 20" is about no price.
_MEASURE = re.compile(
    r"\b(size|width|height|length|weight|age|rating|iso|aperture|resolution|depth|volume|distance)"
    r"(?: (?:is|of|should be|must be|needs to be))?\s*$"
)
_MADE_BY = re.compile(r"\b(?:made )?(?:by|from)\b")
_TIMELIKE = {
    "from",
    "since",
    "after",
    "newer than",
    "later than",
    "before",
    "older than",
    "earlier than",
    "in",
    "of year",
}
_THAN_PICTURE = re.compile(
    r"\b(?P<word>cheaper|less expensive|more expensive|pricier|newer|older)(?: than (?P<what>.+))?$"
)
_ONLY = re.compile(
    r"\b(?:only|just|exclusively|nothing but|no other than|limit(?:ed)? (?:it |them )?to|"
    r"restrict(?:ed)? (?:it |them )?to|must be|has to be|have to be|filter (?:by|for|on))\b"
)
_IS = re.compile(r"\b(?P<field>\w+)(?: (?:is|are|=|must be|should be|has to be|equals)| ?:) (?P<value>.+)$")
_NEGATED = re.compile(
    r"^(?:but |and |please )*(?:no|not|without|except|exclude|excluding|anything but|don't want|"
    r"no more) (?P<value>.+?)(?: please)?$"
)
_FILLER = re.compile(
    r"\b(?:only|just|exclusively|nothing but|please|show|me|the|ones?|a|an|and|or|for|in|from|by|of|want|"
    r"i|see|those|that|are|is|with|pictures?|items?|filter|limit|it|to|them|restrict|can|you|with|now|"
    r"made|must|be|anything|something|everything)\b|[,.?!'&]"
)


def _field_of(money: bool, word: str, value: float, lead: str, scene: Scene) -> str | None:
    """Which numeric attribute a number belongs to."""
    numeric = numeric_fields(scene.context.attributes)
    named = field_for(lead, numeric)
    if named:
        return named
    if not money and (other := _MEASURE.search(lead)):  # what the pictures do not tell is no price
        return other[1]
    years = [name for name in numeric if any(w in name.lower() for w in YEAR_WORDS)]
    prices = [name for name in numeric if any(w in name.lower() for w in PRICE_WORDS)]
    is_year = 1800 <= value <= 2100 and float(value).is_integer()
    if money or (not is_year and word not in _TIMELIKE):
        if prices or not scene.context.attributes:
            return prices[0] if prices else "price"
        fitting = [name for name, span in numeric.items() if span.low <= value <= span.high and name not in years]
        return fitting[0] if len(fitting) == 1 else None
    if is_year:
        return years[0] if years else None if scene.context.attributes else "year"
    return None


def _comparison(found: re.Match[str]) -> Comparison:
    operator = _OPERATORS.get(found["word"], "=")
    if found["plus"]:
        return "<=" if re.search(r"less|older", found["plus"]) else ">="
    return operator


def _numbers(text: str, scene: Scene) -> tuple[list[Filter], str]:
    """The numeric filters of a text, and the text without them."""
    filters: list[Filter] = []
    if found := _BETWEEN.search(text):
        low, high = to_number(found["low"]), to_number(found["high"])
        money = bool(re.search(_MONEY, found[0]))
        name = _field_of(money, "between", high, text[: found.start()], scene)
        if name and low <= high:
            filters += [Filter(name, ">=", (low,)), Filter(name, "<=", (high,))]
            return filters, (_MEASURE.sub("", text[: found.start()]) + text[found.end() :]).strip()
    for found in list(_COMPARED.finditer(text))[:2]:
        value = to_number(found["value"])
        money = bool(re.search(_MONEY, found[0]))
        if found["word"] in ("in", "from", "of year", "exactly") and not 1800 <= value <= 2100:
            continue
        lead = text[: found.start()]
        name = _field_of(money, found["word"], value, lead[-40:], scene)
        if name:
            negated = _NOTHING.search(lead)
            comparison = _OPPOSITE[_comparison(found)] if negated else _comparison(found)
            filters.append(Filter(name, comparison, (value,)))
            text = text.replace(negated[0], " ", 1) if negated else text
            text = text.replace(found[0], " ", 1)
            text = (
                re.sub(
                    rf"\b(?:{re.escape(name.lower())}|price|cost|year)s?\b\s*(?:is|are|be|must be|should be)?\s*$",
                    "",
                    text.rstrip(),
                )
                or ""
            )
    return filters, " ".join(text.split())


def _alternatives(values: list[Grounded], comparison: Comparison = "=") -> list[Filter]:
    grouped: dict[str, list[str]] = {}
    for value in values:
        grouped.setdefault(value.field, []).append(value.value)
    return [Filter(name, comparison, tuple(dict.fromkeys(items))) for name, items in grouped.items()]


def _is_maker(value: Grounded) -> bool:
    """Whether a value says who made a thing."""
    return field_for("brand", {value.field: ()}) is not None


def _covered(text: str, values: list[Grounded]) -> bool:
    """Whether nothing but filler stands beside the values."""
    for value in reversed(values):
        text = text[: value.start] + text[value.end :]
    return not _FILLER.sub(" ", text).strip()


def filter_words(scene: Scene) -> Reading | None:
    """Read "only shirts under 20", "brand is Fossil", "no nike", "cheaper than #3"."""
    attributes = scene.context.attributes
    if relative := _than_picture(scene):
        return relative
    numbers, text = _numbers(scene.text, scene)
    if numbers and not _FILLER.sub(" ", text).strip():
        return read(*numbers)
    if attributes:
        values = values_in(text, attributes)
        negated = _NEGATED.match(text)
        if negated and values and _covered(negated["value"], values_in(negated["value"], attributes)):
            return read(*_alternatives(values, "!="), *numbers)
        limited = _ONLY.search(text) or (_MADE_BY.search(text) and all(_is_maker(value) for value in values))
        if values and limited and _covered(text, values):
            return read(*_alternatives(values), *numbers)
        if (stated := _IS.search(text)) and (name := field_for(stated["field"], attributes)):
            own = [value for value in values_in(stated["value"], attributes) if value.field == name]
            if own:
                return read(*_alternatives(own), *numbers)
    return Reading(tuple(numbers), rest=text, rest_first=True) if numbers else None


def _than_picture(scene: Scene) -> Reading | None:
    found = _THAN_PICTURE.search(scene.text)
    if not found:
        return None
    numeric = numeric_fields(scene.context.attributes)
    wanted = YEAR_WORDS if found["word"] in ("newer", "older") else PRICE_WORDS
    name = next((n for n in numeric if any(word in n.lower() for word in wanted)), None)
    numbers = numbers_pointed_at(found["what"], scene) if found["what"] else []
    likes = (command.picture for command in scene.before if isinstance(command, Like))
    liked = [picture for picture in likes if not isinstance(picture, Known)]
    this = THIS if re.fullmatch(r"(?:this|that|it)(?: (?:one|picture|item))?", found["what"] or "") else None
    reference = Shown(numbers[0]) if numbers and numbers[0] > 0 else liked[-1] if liked else this
    if name is None or reference is None or (not found["what"] and scene.text[: found.start()].strip(" ,")):
        return None
    less = found["word"] in ("cheaper", "less expensive", "older")
    return read(Filter(name, "<" if less else ">", (reference,)))
