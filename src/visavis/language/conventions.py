"""How much "a bit" is: the amounts that a person leaves unsaid, and when to ask instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from visavis.language.context import Context


class Eye(Protocol):
    """Somebody who tells what the picture in hand shows, where words only point at it."""

    def colour(self, phrase: str, context: Context) -> str | None:
        """The colour of the thing that a phrase names, or None."""

    def thing(self, phrase: str, context: Context) -> str | None:
        """The thing that a phrase such as "the object on the table" stands for, or None."""


@dataclass(frozen=True)
class Conventions:
    """Amounts for what is left unsaid.

    Attributes:
        ask_direction: Ask back for the direction of a turn that says only its angle; else it is anticlockwise.
        turn: Degrees of a turn with a direction but no angle.
        small_turn: Degrees of turning "a bit".
        step: Percent of "brighter" or "more contrast".
        small_step: Percent of "a bit brighter".
        big_step: Percent of "a lot brighter".
        strength: How strongly a colour tints.
        light_strength: How strongly a "light" colour tints.
        dark_strength: How strongly a "dark" or "deep" colour tints.
        again_is_same: Whether "a bit more" repeats the last amount instead of taking a small step.
        replaces: Whether an effect that is given anew, weaker or in another colour, takes the place of the last one.
        effect: Amount of blur, sepia or vignette.
        border: Width of a border in pixels.
        colour_prior: How likely each colour is before looking; with it an unclear colour is guessed instead of asked.
        eye: Who is asked for colours and things of the picture instead of going by its concepts.
    """

    ask_direction: bool = True
    turn: float = 90
    small_turn: float = 10
    step: float = 20
    small_step: float = 10
    big_step: float = 40
    strength: float = 0.3
    light_strength: float = 0.15
    dark_strength: float = 0.5
    again_is_same: bool = False
    replaces: bool = True
    effect: float = 50
    border: int = 20
    colour_prior: Mapping[str, float] | None = None
    eye: Eye | None = None


PRODUCT = Conventions()
