"""The simulated users of product benchmarks: who speaks by the catalogue, and who by trained networks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from visavis.errors import BadInputError, MissingExtraError

if TYPE_CHECKING:
    from visavis.lab.evaluation.gallery import Gallery
    from visavis.lab.simulation.base import SimulatedUser, Strength

CaptionerOption = Annotated[
    Path | None, typer.Option(help="The run of visavis train captioner speaks instead of the catalogue.")
]
PredictorOption = Annotated[Path | None, typer.Option(help="The run of visavis train attributes, for it.")]


def check_networks(captioner: Path | None, predictor: Path | None) -> bool:
    """Whether a trained user speaks.

    Raises:
        BadInputError: One of the two networks is missing.
    """
    if (captioner is None) != (predictor is None):
        raise BadInputError("A captioner needs the attribute predictor.", "Give --captioner and --predictor.")
    return captioner is not None


def product_user(
    gallery: Gallery,
    rows: Mapping[str, Mapping[str, Any]],
    strength: Strength,
    captioner: Path | None,
    predictor: Path | None,
) -> SimulatedUser:
    """The user who speaks by trained networks where they are given, else the one who speaks by the catalogue."""
    from visavis.lab.simulation.attributes import AttributeUser

    if captioner is None or predictor is None:
        return AttributeUser(rows, strength)
    try:
        from visavis.lab.simulation.captioner import TrainedUser
    except ImportError as error:
        raise MissingExtraError("A trained user", "train") from error
    return TrainedUser(gallery, rows, captioner, predictor, strength)
