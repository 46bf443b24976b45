"""What is written about pictures, as far as it speaks for or against what is wanted.

An encoder sees that a garment has sleeves; a catalogue knows that they are long. Where the words that come with the
pictures use the person's own words, those that have them are preferred, and silence counts against a picture only
where others speak. Collections without captions and attributes are ranked by sight alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visavis.collections.searching.mentions import stems
from visavis.encoders.base import FloatArray
from visavis.language.chunks import chunks

#: Words that say nothing about what is shown.
_EMPTY = frozenset("photo picture image photograph one thing something show".split())
#: A word tells pictures apart when so many of them have it, and not nearly all.
_FEWEST, _LARGEST_SHARE = 2, 0.98


def spoken_for(text: str, words: Sequence[str]) -> FloatArray:
    """How far what is written about each picture bears out a wish, ``[n]`` from -1 to 1; 0 where nothing is known.

    Args:
        text: The wish.
        words: What is written about each picture; an empty text where nothing is.

    >>> spoken_for("long sleeves", ["a shirt, long sleeves", "long sleeves", "short sleeves", ""]).tolist()
    [1.0, 1.0, -1.0, 0.0]
    """
    said = [stems(text) for text in words]
    asked = sorted(set().union(*map(stems, chunks(text) or [text])) - _EMPTY)
    described = np.array([bool(one) for one in said])
    votes = []
    for stem in asked:
        has = np.array([stem in one for one in said])
        if has.sum() >= _FEWEST and has.sum() <= _LARGEST_SHARE * described.sum():
            votes.append(np.where(has, 1.0, np.where(described, -1.0, 0.0)))
    return np.asarray(np.mean(votes, axis=0) if votes else np.zeros(len(said)), np.float32)
