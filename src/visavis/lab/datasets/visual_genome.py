"""Visual Genome's region descriptions, as Drill-down uses them: the queries of a conversation."""

from __future__ import annotations

import json
from pathlib import Path

from visavis.errors import BadInputError, NotFoundError

#: Pictures with fewer different descriptions are left out, as in the paper.
FEWEST = 10


def read_region_descriptions(file: Path, fewest: int = FEWEST) -> dict[str, tuple[str, ...]]:
    """Different descriptions of each picture in ``region_descriptions.json``, in their order.

    Args:
        file: ``[{"id": 1, "regions": [{"phrase": ..., "image_id": 1, "x": ..., ...}, ...]}, ...]``.
        fewest: Pictures with fewer are left out.
    """
    try:
        rows = json.loads(file.read_text("utf-8"))
        told = {str(row["id"]): _different(region["phrase"] for region in row["regions"]) for row in rows}
    except OSError as error:
        raise NotFoundError(f"The file {file} cannot be read: {error.strerror}.", "Check the path.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{file} has no region descriptions: {error!r}.", "It needs id and regions.") from error
    return {id: phrases for id, phrases in told.items() if len(phrases) >= fewest}


def _different(phrases: object) -> tuple[str, ...]:
    assert hasattr(phrases, "__iter__")
    return tuple(dict.fromkeys(" ".join(str(phrase).lower().split()).rstrip(".") for phrase in phrases))
