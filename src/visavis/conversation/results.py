"""Results as they are saved and told: their JSON, and the reasons as a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visavis.retrieval.base import Reason, Result

#: The place of a reason that is no wish, such as "picked at random".
NO_WISH = -1


def why(result: Result) -> str:
    """The reasons as one line: "a train, in the snow; misses: not people"."""
    fits = ", ".join(reason.text for reason in result.because if reason.fits)
    misses = ", ".join(reason.text for reason in result.because if not reason.fits)
    return "; ".join(part for part in (fits, f"misses: {misses}" if misses else "") if part)


def result_json(result: Result) -> dict[str, Any]:
    """Plain values."""
    reasons = [{"wish": reason.wish, "text": reason.text, "fit": reason.fit} for reason in result.because]
    return {"id": result.id, "score": result.score, "because": reasons}


def read_result(value: Mapping[str, Any]) -> Result:
    """The inverse of :func:`result_json`."""
    reasons = (Reason(reason["wish"], reason["text"], reason["fit"]) for reason in value["because"])
    return Result(value["id"], value["score"], tuple(reasons))
