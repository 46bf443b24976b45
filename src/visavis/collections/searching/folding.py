"""Showing one of several pictures that look the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.stores.base import Hit


def fold(hits: Sequence[Hit], vectors: Mapping[str, FloatArray], closeness: float) -> list[tuple[Hit, tuple[str, ...]]]:
    """Keep each hit that is not a near-duplicate of a better one.

    Args:
        hits: Best first.
        vectors: The whole vectors of the hits, unit length; hits without one are kept.
        closeness: The cosine above which two pictures count as the same.

    Returns:
        Each kept hit with the ids that were folded into it.
    """
    kept: list[Hit] = []
    folded: list[list[str]] = []
    seen: list[FloatArray] = []
    places: list[int] = []
    for hit in hits:
        vector = vectors.get(hit.id)
        if vector is not None and seen:
            cosines = np.stack(seen) @ vector
            nearest = int(np.argmax(cosines))
            if cosines[nearest] > closeness:
                folded[places[nearest]].append(hit.id)
                continue
        if vector is not None:
            seen.append(vector)
            places.append(len(kept))
        kept.append(hit)
        folded.append([])
    return [(hit, tuple(ids)) for hit, ids in zip(kept, folded, strict=True)]
