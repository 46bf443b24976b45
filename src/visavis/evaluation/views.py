"""The pictures as the model-based user sees them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from visavis.encoders.base import Encoder, FloatArray
from visavis.simulation.model import other_view


def other_views(ids: Iterable[str], folder: Path, encoder: Encoder) -> dict[str, FloatArray]:
    """The vector of the other view of each picture that is in the folder."""
    views: dict[str, FloatArray] = {}
    for id in ids:
        file = next((f for name in (id, id.zfill(12)) if (f := folder / f"{name}.jpg").is_file()), None)
        if file is None:
            continue
        try:
            with Image.open(file) as image:
                views[id] = encoder.encode_images([other_view(image)])[0]
        except (OSError, UnidentifiedImageError):
            continue
    return views
