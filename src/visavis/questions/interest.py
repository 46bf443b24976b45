"""Which attributes of pictures people care about: what to ask about first, and what never."""

from __future__ import annotations

import re

#: What somebody who buys or looks for a photo cares about, the first before the others; by the last word of a name.
_ORDER = (
    ("category", "type", "kind", "department", "subcategory", "class", "subject", "product"),
    ("gender", "audience", "age"),
    ("size", "fit", "length"),
    ("price", "cost"),
    ("colour", "color"),
    ("brand", "maker", "manufacturer", "designer", "artist", "author"),
    ("country", "region", "city", "place", "location", "event", "album", "folder"),
    ("year", "season", "month", "decade"),
    ("material", "fabric"),
    ("pattern", "print", "style", "occasion", "usage", "neckline", "sleeves", "sleeve", "closure", "details"),
)
_PLACES = {word: place for place, words in enumerate(_ORDER) for word in words}
#: How a picture was made, and what it is called by machines: nobody knows it of the picture they look for.
_NEVER = frozenset(
    "id ids key sku ean gtin isbn asin uuid guid hash code number no index idx url uri link href file filename path "
    "image img photo picture thumbnail background backdrop taken date time timestamp latitude longitude lat lon lng "
    "camera lens iso aperture exposure focal flash width height bytes format currency stock quantity rating votes "
    "score text title name caption description".split()
)


def words_of_name(name: str) -> list[str]:
    """The words of an attribute's name, in lower case.

    >>> words_of_name("baseColour"), words_of_name("product_ID")
    (['base', 'colour'], ['product', 'id'])
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+", " ", name).lower().split()


def is_worth_asking(name: str) -> bool:
    """Whether a person may care about an attribute: not about the background, an id or the camera.

    >>> is_worth_asking("colour"), is_worth_asking("background"), is_worth_asking("article_id")
    (True, False, False)
    """
    words = words_of_name(name)
    return bool(words) and not ({words[0], words[-1]} & _NEVER)


def interest(name: str) -> int:
    """The place of an attribute among what people care about; 0 is first.

    >>> sorted(["pattern", "background", "price", "articleType"], key=interest)
    ['articleType', 'price', 'pattern', 'background']
    """
    if not is_worth_asking(name):
        return len(_ORDER) + 1
    return _PLACES.get(words_of_name(name)[-1], len(_ORDER))
