"""Wishes whose every word is a value of an attribute: "running shoes" in a catalogue with sports shoes.

Looks cannot tell what a thing is for ("a white shirt for a job interview"). A catalogue that knows it says so in its
own words, which need not be those of the person: a short table has what people say for what catalogues write. What a
thing is for puts such things in order and leaves none out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files
from threading import Lock

from cachetools import LRUCache

from visavis.collections.words import index_words, without_denied
from visavis.conversation.aspects import head_of
from visavis.stores.base import Query, Store
from visavis.stores.filters import All, Any, AnyOf, Filter
from visavis.types import FloatArray

#: An attribute with more values than this is a text, not a property.
_MOST_VALUES = 300
#: Attributes that name a picture, or say how it was made.
_NAMES = frozenset("_state title name caption text file filename path url id sku taken date camera lens".split())
#: Wishes whose pictures are remembered: those of a few conversations.
_REMEMBERED = 64
#: Words that ask for no property.
_PRAISE = frozenset("nice good great pretty beautiful lovely cool cheap fancy new best favourite pair".split())

#: An attribute that so large a share of the pictures has is a catalogue's own word about all of them.
_COVERED = 0.9
#: A letter before a word is a part of it: "t-shirt".
_LETTER = re.compile(r"\b([a-z])-(?=[a-z]{3})|\b(t) (?=shirt)", re.IGNORECASE)

#: By a word, the values that have it, by attribute.
Values = Mapping[str, Mapping[str, tuple[str, ...]]]


def compounds(text: str) -> str:
    """A text in which words with a letter before them are one, as catalogues write them.

    >>> compounds("two T-shirts")
    'two Tshirts'
    """
    return _LETTER.sub(r"\1\2", text)


@cache
def _uses() -> dict[str, frozenset[str]]:
    lines = (files("visavis.search") / "uses.txt").read_text(encoding="utf-8").splitlines()
    made: dict[str, frozenset[str]] = {}
    for line in lines:
        if line and not line.startswith("#"):
            written, said = (frozenset(index_words(part)) for part in line.split(":"))
            made |= {word: made.get(word, frozenset()) | written for word in said}
    return made


def values_for(said: str, values: Iterable[str]) -> tuple[str, ...]:
    """The values of a catalogue that everyday words stand for.

    >>> values_for("my husband", ["Men", "Women", "Boys"]), values_for("my little son", ["Men", "Boys"])
    (('Men',), ('Boys',))
    >>> values_for("my husband", ["Men", "Women", "Unisex"])
    ('Men', 'Unisex')
    """
    meant = frozenset[str]().union(*(_uses().get(word, frozenset()) for word in index_words(said)))
    return tuple(value for value in values if meant & set(index_words(value)))


class ValueSearch:
    """Finds the pictures whose attributes have every word of a wish. Safe to use from several threads."""

    def __init__(self, store: Store, fields: Callable[[], Iterable[str]]) -> None:
        """Get ready; nothing is read before the first wish.

        Args:
            store: The pictures.
            fields: The names of their attributes.
        """
        self._store = store
        self._fields = fields
        self._made: tuple[int, Values, frozenset[str]] | None = None
        self._found: LRUCache[tuple[int, str, int], frozenset[str]] = LRUCache(_REMEMBERED)
        self._lock = Lock()

    def find(self, words: Iterable[str], text: str, vector: Callable[[], FloatArray], most: int) -> frozenset[str]:
        """The pictures that have all words of a wish among their values, the likeliest ones where there are many.

        Args:
            words: The words of the wish, as an index has them.
            text: The wish.
            vector: Gives the vector of the wish.
            most: How many pictures at most.
        """
        condition = self.condition(words) if without_denied(text) == text else None
        if condition is None:
            return frozenset()
        key = (self._store.count(), text, most)
        with self._lock:
            found = self._found.get(key)
        if found is None:
            hits = self._store.query(Query(vector()[None], filter=condition, limit=most))
            found = frozenset(hit.id for hit in hits)
            with self._lock:
                self._found[key] = found
        return found

    def decides(self, words: Iterable[str]) -> bool:
        """Whether each word is a value, as it is written, of an attribute that nearly all pictures have.

        Then the catalogue knows of every picture whether it is meant, and looks have no say: grey bags are not black.
        """
        values, covered = self._values(), self._made[2] if self._made else frozenset()
        return all(values.get(word, {}).keys() & covered for word in words if word not in _PRAISE)

    def names(self, text: str) -> bool:
        """Whether the thing that a description is about is a value, or what a value says in its last word."""
        head = index_words(head_of(text))
        fields = self._values().get(head[0], {}) if head else {}
        return any(index_words(value)[-1] == head[0] for values in fields.values() for value in values)

    def refresh(self) -> None:
        """Read the values again for the next wish."""
        with self._lock:
            self._made = None
            self._found.clear()

    def condition(self, words: Iterable[str]) -> Filter | None:
        """The condition that each word is a value; None where one is none, or nothing was said."""
        asked = [word for word in words if word not in _PRAISE]
        values = self._values() if asked else {}
        each = [self._one(word, values) for word in asked]
        known = tuple(one for one in each if one is not None)
        return All(known) if known and len(known) == len(each) else None

    def _one(self, word: str, values: Values) -> Filter | None:
        forms = (word,) if word in values else tuple(sorted(_uses().get(word, ())))
        found = [AnyOf(field, own) for form in forms for field, own in values.get(form, {}).items()]
        return Any(tuple(found)) if found else None

    def _values(self) -> Values:
        """The words of all values; read again when the number of pictures has changed."""
        count, made = self._store.count(), self._made
        if made is None or made[0] != count:
            made = self._made = (count, *self._read(count))
        return made[1]

    def _read(self, count: int) -> tuple[Values, frozenset[str]]:
        read: dict[str, dict[str, tuple[str, ...]]] = {}
        covered: set[str] = set()
        for field in self._fields():
            if field.lower() in _NAMES:
                continue
            values = self._store.facets(field, limit=_MOST_VALUES + 1)
            if len(values) > _MOST_VALUES:
                continue
            if sum(number for _, number in values) >= _COVERED * count:
                covered.add(field)
            for value, _ in values:
                for word in index_words(str(value)):
                    own = read.setdefault(word, {})
                    own[field] = (*own.get(field, ()), str(value))
        return read, frozenset(covered)


#: What a thing is to go with is another thing: all that follows is about that.
_BESIDE = re.compile(
    r"[\s,]+(?:(?:that|which)\s+(?:\w+\s+)?(?:go(?:es)?|match(?:es)?|suits?|fits?|works?|pairs?)\b"
    r"|to\s+(?:go|match|pair|combine|complete)\b|(?:going|matching)\b).*$",
    re.IGNORECASE,
)
#: A purpose ends where the looks of the thing are told again.
_PURPOSE = re.compile(
    r"[\s,]+(?:for|to\s+(?:wear|use|bring|take|give)|(?:(?:that|which)\s+)?(?:i|we|she|he)\s+(?:can|could|want|will))\b"
    r"(?:\s+(?!with\b|without\b|in\b)[\w'’-]+)+",
    re.IGNORECASE,
)


def without_purpose(text: str) -> tuple[str, str]:
    """A description without what the thing is for, and the words about that; they name nothing that it goes with.

    >>> without_purpose("little clutch for the evening with a chain")
    ('little clutch with a chain', 'for the evening')
    >>> without_purpose("heels that would go with a red dress"), without_purpose("a red dress")
    (('heels', ''), ('a red dress', ''))
    """
    main = _BESIDE.sub("", text)
    told = " ".join(found[0].strip(" ,") for found in _PURPOSE.finditer(main))
    return _PURPOSE.sub("", main).strip(" ,"), told
