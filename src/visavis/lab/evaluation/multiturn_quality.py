"""What can be counted of the quality of sessions: MAI's Table 10 has people score the same five aspects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from visavis.lab.datasets.multiturn import Request, Session
from visavis.lab.datasets.product_aspects import Product


def quality(sessions: Sequence[Session], products: Mapping[str, Product]) -> dict[str, float]:
    """Figures in percent, where they are not counts.

    ``accuracy``: what is said of a picture is so. ``historical awareness``: turns after the first that speak of an
    earlier turn, and ``of them true``: with which the picture really shares more (rollback) or what is kept
    (combination). ``aspects`` and ``words`` of a request are its granularity. ``consistency``: pictures of a session
    are of one category. ``coverage``: differences from the reference that are named.
    """
    later = rollback = combination = true = named = differing = right = words = number = same = fits = 0
    for session in sessions:
        seen = [products.get(id) for id in session.pictures]
        same += len({one.category for one in seen if one}) == 1
        for turn, request in enumerate(session.requests, start=1):
            target, references = seen[turn], [seen[place] for place in session.references(turn)]
            if target is None:
                continue
            number += 1
            words += len(request.text.split())
            later += turn > 1
            rollback += request.kind == "rollback"
            combination += request.kind == "combination"
            true += _is_true(request, target, seen, turn)
            said = [aspect for aspect, value in target.aspects.items() if _says(request.text, value)]
            fits += len(said)
            right += not _contradicts(request.text, target, references)
            main = references[0]
            if main is not None:
                wrong = target.differences(main)
                differing += len(wrong)
                named += sum(aspect in said for aspect in wrong)
    back = rollback + combination
    figures = {
        "sessions": len(sessions),
        "turns": number,
        "rollback": 100 * rollback / max(later, 1),
        "combination": 100 * combination / max(later, 1),
        "accuracy": 100 * right / max(number, 1),
        "historical awareness": 100 * back / max(later, 1),
        "of them true": 100 * true / max(back, 1),
        "aspects": fits / max(number, 1),
        "words": words / max(number, 1),
        "consistency": 100 * same / max(len(sessions), 1),
        "coverage": 100 * named / max(differing, 1),
    }
    return {name: round(value, 2) for name, value in figures.items()}


def _says(text: str, value: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text.lower()) is not None


def _is_true(request: Request, target: Product, seen: Sequence[Product | None], turn: int) -> bool:
    """Whether what a request looks back at is really like the picture that is meant."""
    if request.kind == "base":
        return False
    liked = [one for place in request.back if (one := seen[place]) is not None]
    if request.kind == "combination":
        return bool(liked) and all(target.agreement(one) for one in liked)
    last = seen[turn - 1]
    return bool(liked) and last is not None and target.agreement(liked[0]) > target.agreement(last)


def _contradicts(text: str, target: Product, references: Sequence[Product | None]) -> bool:
    """Whether it asks for a value of a reference that the picture does not have, other than to leave it."""
    for one in references:
        for aspect, value in (one.aspects if one else {}).items():
            other = target.aspects.get(aspect)
            wanted = rf"(?:is(?: more| by| for| made of)?|in|from|for) {re.escape(value)}(?![\w-])"
            if other and other != value and value not in other and re.search(rf"\b{wanted}", text.lower()):
                return True
    return False
