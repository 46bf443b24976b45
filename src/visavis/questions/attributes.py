"""Questions about what the catalogue knows: colour, category, price band."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.language.commands import Filter
from visavis.language.commands.wishes import Comparison
from visavis.language.english import listed, words_of
from visavis.questions.base import Proposal, QuestionContext
from visavis.stores.filters import is_number
from visavis.types import Proposition, Question, name_in_words

#: What somebody who buys or looks for a photo cares about, the first before the others; by the last word of a name.
_ORDER = (
    ("category", "type", "kind", "department", "subcategory", "class", "subject", "product"),
    ("gender", "audience", "age"),
    ("size", "fit", "length"),
    ("price", "cost"),
    ("colour", "color"),
    ("brand", "maker", "manufacturer", "designer", "artist", "author"),
    ("country", "region", "city", "place", "location", "event", "album", "folder"),
    ("year", "season", "month", "decade"),
    ("material", "fabric"),
    ("pattern", "print", "style", "occasion", "usage", "neckline", "sleeves", "sleeve", "closure", "details"),
)
_PLACES = {word: place for place, words in enumerate(_ORDER) for word in words}
#: How a picture was made, and what it is called by machines: nobody knows it of the picture they look for.
_NEVER = frozenset(
    "id ids key sku ean gtin isbn asin uuid guid hash code number no index idx url uri link href file filename path "
    "image img photo picture thumbnail background backdrop taken date time timestamp latitude longitude lat lon lng "
    "camera lens iso aperture exposure focal flash width height bytes format currency stock quantity rating votes "
    "score text title name caption description tones".split()
)
FloatArray64 = NDArray[np.float64]
#: How many values are offered; the rest is "something else".
OFFERED = 5
#: ... unless so few are left over that they can be offered as well.
_LEFT_OVER = 2
#: Names that begin so are of something that only some have: nobody thinks of it first.
_SECOND = frozenset(("second", "secondary", "other", "additional"))
#: A field with more values than this share of the candidates is a name or a number of an article, not a property.
_DISTINCT = 0.5
#: A longer value is a description, not an answer that one reads at a glance.
_LONGEST = 40
#: A moment, a web address or a file: true of one picture, and no answer that a person gives.
_ONE_OF_A_KIND = re.compile(r"\d{4}-\d\d-\d\dT?\b|\d\d:\d\d:\d\d|://|\.(?:jpe?g|png|webp)$", re.IGNORECASE)
#: How a day begins that is written for machines, and its length without a time.
_DAY, _DAY_LETTERS = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)"), 10
_SLIP = 0.03
_ANSWERABLE = 0.95
_MOST = _ANSWERABLE * np.log2(OFFERED + _LEFT_OVER + 1)
#: What a question is worth less for each place that its attribute is down the list of what people care about.
_LESS = 0.03


def words_of_name(name: str) -> list[str]:
    """The words of an attribute's name, in lower case.

    >>> words_of_name("baseColour"), words_of_name("product_ID")
    (['base', 'colour'], ['product', 'id'])
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+", " ", name).lower().split()


def is_worth_asking(name: str) -> bool:
    """Whether a person may care about an attribute: not about the background, an id or the camera.

    >>> is_worth_asking("colour"), is_worth_asking("background"), is_worth_asking("article_id")
    (True, False, False)
    """
    words = words_of_name(name)
    return bool(words) and not ({words[0], words[-1]} & _NEVER)


@lru_cache(maxsize=4096)
def interest(name: str) -> int:
    """The place of an attribute among what people care about; 0 is first.

    >>> sorted(["pattern", "background", "price", "articleType"], key=interest)
    ['articleType', 'price', 'pattern', 'background']
    >>> interest("colour") < interest("second_colour")
    True
    """
    if not is_worth_asking(name):
        return len(_ORDER) + 1
    words = words_of_name(name)
    return len(_ORDER) if words[0] in _SECOND else _PLACES.get(words[-1], len(_ORDER))


def _tells_when(name: str) -> bool:
    """Whether an attribute says when a thing was made or brought out: nobody buys by that."""
    return interest(name) == interest("year")


class AttributeQuestions:
    """One question a field: a choice of its most likely values, or bands of its numbers."""

    def __init__(self, fields: Sequence[str] | None = None) -> None:
        """Choose the fields to ask about; all that the candidates have, unless told."""
        self._fields = tuple(fields) if fields is not None else None

    def most(self, context: QuestionContext, probabilities: FloatArray64) -> float:  # noqa: ARG002
        """With the most values that are offered; nothing where the catalogue says nothing."""
        return _MOST if context.candidates.attributes else -inf

    def propose(self, context: QuestionContext, probabilities: FloatArray64) -> Iterator[Proposal]:
        """One question for each field that differs between candidates."""
        rows = context.candidates.attributes
        if not rows:
            return
        names = self._fields if self._fields is not None else tuple(dict.fromkeys(name for row in rows for name in row))
        said, sold = frozenset(words_of(context.told)), any(interest(name) == interest("price") for name in names)
        for name in names:
            if self._fields is None and (not is_worth_asking(name) or (sold and _tells_when(name))):
                continue
            if set(words_of_name(name)) <= said or set(words_of(name_in_words(name))) <= said:
                continue  # there is a wish about it already
            proposal = self._ask(name, rows, probabilities, said)
            if proposal is not None:
                yield proposal

    def _ask(
        self, name: str, rows: Sequence[Mapping[str, Any]], probabilities: FloatArray64, said: frozenset[str]
    ) -> Proposal | None:
        values = [row.get(name) for row in rows]
        numbers = [value for value in values if is_number(value)]
        if len(numbers) > len(values) / 2 and len(set(numbers)) > OFFERED:
            return _bands(name, values, numbers)
        texts = [_text(value) for value in values]
        known = {text: float(value) if is_number(value) else text for text, value in zip(texts, values, strict=True)}
        weights: dict[str, float] = {}
        for text, weight in zip(texts, probabilities, strict=True):
            if text:
                weights[text] = weights.get(text, 0.0) + float(weight)
        if len(weights) < 2 or len(weights) > max(OFFERED, _DISTINCT * len(rows)):
            return None
        if any(set(words_of(text)) <= said for text in weights):
            return None  # the person has named a value already
        most = OFFERED + _LEFT_OVER if len(weights) <= OFFERED + _LEFT_OVER else OFFERED
        many = Counter(texts)  # the commonest are offered: the likeliest of all are hardly likelier than the others
        offered = sorted(weights, key=lambda text: (-many[text], -weights[text], text))[:most]
        places = [offered.index(text) if text in offered else len(offered) for text in texts]
        return _choice(name, {text: known[text] for text in offered}, places, more=len(weights) > len(offered))


def _choice(name: str, known: Mapping[str, str | float], places: list[int], more: bool) -> Proposal:
    """A choice of values; ``places`` says which is true of each candidate, their number for "something else"."""
    labels = list(known)
    shown = [*labels, "something else"] if more else labels
    text = f"{asked_in_words(name)}: {listed(shown)}?"
    options = tuple((label, str(Filter(name, "=", (value,)))) for label, value in known.items())
    propositions = tuple(Proposition(label, attribute=name, value=label) for label in labels)
    likelihood = np.full((len(places), len(labels) + 1), _SLIP / len(labels))
    likelihood[np.arange(len(places)), places] = 1 - _SLIP
    return Proposal(
        Question(text, options, "choice", f"attribute:{name}", propositions=propositions), likelihood, _worth(name)
    )


def _bands(name: str, values: list[Any], numbers: list[float]) -> Proposal | None:
    """Two bands with about half of the candidates each: what one command can express."""
    middle = _round(float(np.median(np.array(numbers, float))))
    if not min(numbers) < middle <= max(numbers):
        return None
    labels = (f"under {middle:g}", f"{middle:g} or more")
    tests: tuple[Comparison, Comparison] = ("<", ">=")
    options = tuple((label, str(Filter(name, test, (middle,)))) for label, test in zip(labels, tests, strict=True))
    propositions = tuple(
        Proposition(f"{name_in_words(name)} {label}", attribute=name, value=f"{test} {middle:g}")
        for label, test in zip(labels, tests, strict=True)
    )
    likelihood = np.full((len(values), 3), _SLIP / 2)
    for row, value in enumerate(values):
        place = (0 if value < middle else 1) if isinstance(value, int | float) else 2
        likelihood[row, place] = 1 - _SLIP
    question = Question(
        f"{asked_in_words(name)}: {listed(labels)}?", options, "choice", f"attribute:{name}", propositions=propositions
    )
    return Proposal(question, likelihood, _worth(name))


def _worth(name: str) -> float:
    return _ANSWERABLE - _LESS * interest(name)


#: How it is asked for what an attribute tells, by its name in words.
_ASKED = {"kind": "What kind", "occasion": "For what occasion", "gender": "For whom"}


def asked_in_words(name: str) -> str:
    """How a question for an attribute begins.

    >>> asked_in_words("baseColour"), asked_in_words("usage")
    ('Which colour', 'For what occasion')
    """
    word = name_in_words(name)
    return _ASKED.get(word, f"Which {word}")


def value_in_words(value: object) -> str:
    """The value of a field as people say it; a moment as a day and the time of day.

    >>> value_in_words("2011-11-17T12:33:37"), value_in_words("2011-11-17"), value_in_words(["red", "blue"])
    ('17 November 2011, 12:33', '17 November 2011', 'red, blue')
    """
    if isinstance(value, list | tuple):
        return ", ".join(map(value_in_words, value))
    if isinstance(value, str) and _DAY.match(value):
        with contextlib.suppress(ValueError):
            when = datetime.fromisoformat(value)
            return f"{when.day} {when:%B %Y}{f', {when:%H:%M}' if len(value) > _DAY_LETTERS else ''}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def valued(name: str, attributes: Mapping[str, object]) -> str:
    """A value in words; a price with its currency, where the catalogue has one."""
    currency = attributes.get("currency", "") if name in ("price", "cost") else ""
    return f"{value_in_words(attributes[name])} {currency}".strip()


def _round(value: float) -> float:
    """To two leading digits, as people say numbers; years and other small spans stay as they are."""
    return float(f"{value:.2g}") if abs(value) < 1000 else float(round(value))


def _text(value: Any) -> str:
    """A value that can be offered; lists and long texts cannot."""
    text = "" if value is None or isinstance(value, list | tuple | dict | bool) else str(value)
    return text if len(text) <= _LONGEST and not _ONE_OF_A_KIND.search(text) else ""
