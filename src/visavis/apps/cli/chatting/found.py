"""What a doubtful edit found, written where a person can look at it before saying yes."""

from __future__ import annotations

import tempfile
from pathlib import Path

from visavis.assistant import Assistant
from visavis.conversation.turns import Turn
from visavis.errors import VisavisError


def write_found(assistant: Assistant, turn: Turn) -> Path | None:
    """The file with the doubtful thing marked in the picture; None where the turn asks nothing of that kind.

    The file lies in the system's folder for temporary files, under a name that nobody can foresee.
    """
    try:
        marked = assistant.doubt(turn)
    except VisavisError:  # the question can be answered without the picture
        return None
    if marked is None:
        return None
    with tempfile.NamedTemporaryFile(prefix="visavis-found-", suffix=".png", delete=False) as file:
        marked.save(file, "PNG", compress_level=1)
    return Path(file.name)
