"""What a person does to wishes without words: a chip switched off, made heavier, pinned, removed."""

from __future__ import annotations

from visavis.conversation.brief import Brief
from visavis.errors import BadInputError

_HELP = "Use: off 1.1, on 1.1, weight 1.1 2.5, pin 1.1, unpin 1.1 or remove 1.1."


def change(brief: Brief, line: str) -> Brief:
    """The brief after a change in its text form.

    Raises:
        BadInputError: The line is no change.
        NotFoundError: There is no such wish.
    """
    match line.split():
        case ["off", id]:
            return brief.switched(id, False)
        case ["on", id]:
            return brief.switched(id, True)
        case ["pin", id]:
            return brief.pinned(id)
        case ["unpin", id]:
            return brief.pinned(id, False)
        case ["remove", id]:
            return brief.without(id)
        case ["weight", id, number]:
            return brief.weighted(id, _weight(number))
        case _:
            raise BadInputError(f"'{line}' is no change to a wish.", _HELP)


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInputError(f"'{text}' is no weight.", _HELP) from None
