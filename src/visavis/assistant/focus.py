"""When an edit turns the talk to a part of the picture: a crop of the hat is not about the coat beside it."""

from __future__ import annotations

from dataclasses import replace

from visavis.conversation.brief import Brief
from visavis.conversation.turns import Hand
from visavis.language.commands import Crop, ImageCutout

#: Wishes about what the picture shows; conditions such as a price hold for the part as well.
_CONTENT = ("want", "relative", "keep", "like", "unlike")


def shows_less(hand: Hand) -> bool:
    """Whether the picture in hand was cut down to a part of what its source shows."""
    return any(isinstance(command, Crop | ImageCutout) for command in hand.commands)


def set_aside(brief: Brief, turn: int) -> Brief:
    """The brief in which wishes about the content of whole pictures give way to what this turn says."""
    return Brief(
        tuple(
            replace(wish, active=False, end="replaced", ended=turn)
            if wish.active and not wish.pinned and wish.turn != turn and wish.kind in _CONTENT
            else wish
            for wish in brief.wishes
        )
    )
