"""What counts as a word when a filter looks for words in a text."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, in order; marks, signs and spaces separate them.

    The engines split texts by the same rule, so a condition on words means the same with and without an index.

    >>> words_of("Summer-dress, blue_sky!")
    ['summer', 'dress', 'blue', 'sky']
    """
    return "".join(" " if _separates(character) else character for character in text.lower()).split()


@lru_cache(maxsize=4096)
def _separates(character: str) -> bool:
    # Combining marks (M*) belong to the letter before them: many scripts cannot be written without.
    return unicodedata.category(character)[0] in "PSZC"
