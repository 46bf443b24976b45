"""How much each kind of wish counts: the numbers that were chosen on the validation protocols."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """What one spread of a wish is worth against one spread of the wanted words (docs/retrieval.md has the trials).

    Attributes:
        like: A liked picture.
        unlike: A disliked picture.
        keep: A kept aspect.
        relative: A relative change.
        reference: Resembling the picture that the newest relative change starts from.
        avoid: What is avoided, in the first stage; pictures that clearly show it are left out altogether.
        short: What each spread that a picture lacks to lie beyond the reference costs, in spreads.
        beyond: How many spreads beyond the reference a relative change should lead.
        before: The share of what was wanted before the newest turn, besides its part in all that is wanted.
        written: A description that is borne out by what is written about the picture.
    """

    like: float = 0.3
    unlike: float = 0.4
    keep: float = 0.25
    relative: float = 0.6
    reference: float = 0.5
    avoid: float = 0.25
    short: float = 0.5
    beyond: float = 0.3
    before: float = 0.25
    written: float = 1.0


DEFAULT = Recipe()
