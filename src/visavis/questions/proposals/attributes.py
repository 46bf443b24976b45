"""Questions about what the catalogue knows: colour, category, price band."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.questions.base import Option, Proposition, Question, View
from visavis.questions.grammar import listed
from visavis.questions.proposals.base import Proposal
from visavis.questions.words import words_of

FloatArray64 = NDArray[np.float64]
#: How many values are offered; the rest is "something else".
OFFERED = 5
#: A field with more values than this share of the candidates is a name or a number of an article, not a property.
_DISTINCT = 0.5
_SLIP = 0.03
_ANSWERABLE = 0.95


class AttributeQuestions:
    """One question a field: a choice of its most likely values, or bands of its numbers."""

    def __init__(self, fields: Sequence[str] | None = None) -> None:
        """Choose the fields to ask about; all that the candidates have, unless told."""
        self._fields = tuple(fields) if fields is not None else None

    def propose(self, view: View, probabilities: FloatArray64) -> Iterator[Proposal]:
        """One question for each field that differs between candidates."""
        rows = view.candidates.attributes
        if not rows:
            return
        names = self._fields if self._fields is not None else tuple(dict.fromkeys(name for row in rows for name in row))
        said = frozenset(words_of(view.told))
        for name in names:
            proposal = self._ask(name, rows, probabilities, said)
            if proposal is not None:
                yield proposal

    def _ask(
        self, name: str, rows: Sequence[Mapping[str, Any]], probabilities: FloatArray64, said: frozenset[str]
    ) -> Proposal | None:
        values = [row.get(name) for row in rows]
        numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        if len(numbers) > len(values) / 2 and len(set(numbers)) > OFFERED:
            return _bands(name, values, numbers)
        texts = [_text(value) for value in values]
        weights: dict[str, float] = {}
        for text, weight in zip(texts, probabilities, strict=True):
            if text:
                weights[text] = weights.get(text, 0.0) + float(weight)
        if len(weights) < 2 or len(weights) > max(OFFERED, _DISTINCT * len(rows)):
            return None
        if any(set(words_of(text)) <= said for text in weights):
            return None  # the person has named a value already
        offered = sorted(weights, key=lambda text: (-weights[text], text))[:OFFERED]
        places = [offered.index(text) if text in offered else len(offered) for text in texts]
        return _choice(name, offered, offered, places, more=len(weights) > len(offered))


def _choice(name: str, labels: list[str], values: list[str], places: list[int], more: bool) -> Proposal:
    """A choice; ``places`` says which option is true of each candidate, its length for "something else"."""
    word = name.replace("_", " ")
    shown = [*labels, "something else"] if more else labels
    text = f"Which {word}: {listed(shown)}?"
    options = tuple(
        Option(label, command=f'filter {name} = "{value}"') for label, value in zip(labels, values, strict=True)
    )
    propositions = tuple(
        Proposition(label, attribute=name, value=value) for label, value in zip(labels, values, strict=True)
    )
    likelihood = np.full((len(places), len(labels) + 1), _SLIP / len(labels))
    likelihood[np.arange(len(places)), places] = 1 - _SLIP
    return Proposal(Question(text, "choice", f"attribute:{name}", options, propositions), likelihood, _ANSWERABLE)


def _bands(name: str, values: list[Any], numbers: list[float]) -> Proposal | None:
    """Two bands with about half of the candidates each: what one command can express."""
    middle = _round(float(np.median(np.array(numbers, float))))
    if not min(numbers) < middle <= max(numbers):
        return None
    word = name.replace("_", " ")
    labels, tests = (f"under {middle:g}", f"{middle:g} or more"), (f"< {middle:g}", f">= {middle:g}")
    options = tuple(Option(label, command=f"filter {name} {test}") for label, test in zip(labels, tests, strict=True))
    propositions = tuple(
        Proposition(f"{word} {label}", attribute=name, value=test) for label, test in zip(labels, tests, strict=True)
    )
    likelihood = np.full((len(values), 3), _SLIP / 2)
    for row, value in enumerate(values):
        place = (0 if value < middle else 1) if isinstance(value, int | float) else 2
        likelihood[row, place] = 1 - _SLIP
    question = Question(f"Which {word}: {listed(labels)}?", "choice", f"attribute:{name}", options, propositions)
    return Proposal(question, likelihood, _ANSWERABLE)


def _round(value: float) -> float:
    """To two leading digits, as people say numbers; years and other small spans stay as they are."""
    return float(f"{value:.2g}") if abs(value) < 1000 else float(round(value))


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, list | tuple | dict) else str(value)
