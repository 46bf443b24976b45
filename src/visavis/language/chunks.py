"""The parts of a sentence that name things: what regions of pictures are matched with, and learn from."""

from __future__ import annotations

import re

#: Words that end a chunk: what is left between them is close to a noun phrase, which is all that is needed.
_BREAKS = frozenset(
    "a an the this that these those some of on in at with and or is are was were be being has have having to from by"
    " for near next under over above below behind beside between into onto through while as its his her their it he she"
    " they there who which very up down out off around along across against front top side sitting standing walking"
    " riding holding laying lying looking playing wearing eating flying parked sits stands rides holds lays looks plays"
    " wears eats flies filled covered made sit stand ride hold lay look play wear eat fly".split()
)


def chunks(caption: str) -> list[str]:
    """The parts of a caption that name things, e.g. ``red umbrella``, ``wet street``."""
    words = re.findall(r"[a-z]+", caption.lower())
    found: list[list[str]] = [[]]
    for word in words:
        if word in _BREAKS:
            found.append([])
        else:
            found[-1].append(word)
    return [" ".join(part) for part in found if 0 < len(part) <= 4 and len(part[-1]) > 2]
