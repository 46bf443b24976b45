"""How much "a bit" is in generated dialogues: the amounts that a person leaves unsaid (corpus/guide.md)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Conventions:
    """Amounts for what is left unsaid.

    Attributes:
        turn: Degrees of a turn with a direction but no angle.
        small_turn: Degrees of turning "a bit".
        step: Percent of "brighter" or "more contrast".
        small_step: Percent of "a bit brighter".
        big_step: Percent of "a lot brighter".
        strength: How strongly a colour tints.
        light_strength: How strongly a "light" colour tints.
        dark_strength: How strongly a "dark" or "deep" colour tints.
        effect: Amount of blur, sepia or vignette.
        border: Width of a border in pixels.
    """

    turn: float = 90
    small_turn: float = 10
    step: float = 20
    small_step: float = 10
    big_step: float = 40
    strength: float = 0.3
    light_strength: float = 0.15
    dark_strength: float = 0.5
    effect: float = 50
    border: int = 20


PRODUCT = Conventions()
