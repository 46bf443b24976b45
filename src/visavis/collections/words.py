"""The inverted index of a catalogue: which words are written about which pictures.

A picture's document holds the words of its captions, its title and other attributes, and the names of its files. It is
written in the transaction that writes those rows. SQLite keeps the index in an FTS5 table that triggers update,
PostgreSQL in a GIN index.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import TextClause, delete, select, text
from sqlalchemy.orm import Session

from visavis.collections.database import AttributeRow, CaptionRow, DocumentRow, LocationRow
from visavis.database import Transactions, upsert

#: A document is cut to so many words: nobody looks for a picture by the end of a book.
_MOST_WORDS = 2000
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DENIED = re.compile(r"\b(?:no|not|non|without|none|never)\b[\s-]+(?:an?\s+|any\s+|the\s+)?\w+", re.IGNORECASE)
#: Numbers of fewer digits are counters and sizes, not names.
_SHORTEST_NUMBER = 3

_HOLDING = {
    "sqlite": "SELECT picture_id FROM documents JOIN document_words ON document_words.rowid = documents.number"
    " WHERE document_words MATCH :word ORDER BY picture_id LIMIT :limit",
    "postgresql": "SELECT picture_id FROM documents WHERE string_to_array(words, ' ') @> ARRAY[CAST(:word AS text)]"
    " ORDER BY picture_id LIMIT :limit",
}
_FREQUENCY = {
    "sqlite": "SELECT doc FROM document_vocabulary WHERE term = :word",
    "postgresql": "SELECT count(*) FROM documents WHERE string_to_array(words, ' ') @> ARRAY[CAST(:word AS text)]",
}


def index_words(written: str) -> list[str]:
    """The words of a text as the index has them: lower case, without accents and plural endings, each once.

    >>> index_words("Two Café Dresses, 12 EUR; IMG_2034")
    ['two', 'cafe', 'dress', 'eur', 'img', '2034']
    """
    if not written.isascii():
        written = "".join(c for c in unicodedata.normalize("NFKD", written) if not unicodedata.combining(c))
    words = (singular_form(word) for word in _WORD.findall(written.lower()))
    return list(dict.fromkeys(word for word in words if len(word) > 1 and not _is_counter(word)))


def singular_form(word: str) -> str:
    """A word without its plural ending; a crude rule, the same for what is written and what is asked.

    >>> [singular_form(word) for word in ("dresses", "watches", "puma", "glass", "parties", "buses")]
    ['dress', 'watch', 'puma', 'glass', 'party', 'bus']
    """
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + instead
    if word.endswith(("buses", "lenses")):  # "houses" and "horses" lose one letter, these two
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


def without_denied(written: str) -> str:
    """A text without what it denies.

    >>> without_denied("a shirt without any buttons, striped")
    'a shirt  , striped'
    """
    return _DENIED.sub(" ", written)


def _is_counter(word: str) -> bool:
    return word.isdecimal() and len(word) < _SHORTEST_NUMBER


def document(captions: Iterable[str], values: Iterable[Any], paths: Iterable[str]) -> str:
    """The words written about a picture, separated by spaces.

    Args:
        captions: Its captions.
        values: The values of its attributes; numbers are left to filters.
        paths: Its files, whose names count.
    """
    said = [*captions]
    for value in values:
        if isinstance(value, str):
            said.append(value)
        elif isinstance(value, list | tuple):
            said += [one for one in value if isinstance(one, str)]
    said = [without_denied(" ; ".join(said))]
    for path in paths:
        name = PurePosixPath(path.replace("\\", "/")).stem
        said += [name, _HUMP.sub(" ", name)]
    return " ".join(index_words(" ; ".join(said))[:_MOST_WORDS])


def write_documents(session: Session, ids: Collection[str]) -> None:
    """Write the documents of pictures from their rows, in the transaction that changed those."""
    captions = _by_picture(session, ids, CaptionRow.picture_id, CaptionRow.text)
    values = _by_picture(session, ids, AttributeRow.picture_id, AttributeRow.value)
    paths = _by_picture(session, ids, LocationRow.picture_id, LocationRow.path)
    made = {id: document(captions.get(id, ()), values.get(id, ()), paths.get(id, ())) for id in ids}
    written = select(DocumentRow.picture_id, DocumentRow.words).where(DocumentRow.picture_id.in_(ids))
    known = {id: words for id, words in session.execute(written)}  # noqa: C416
    gone = [id for id in known if not made[id]]
    if gone:
        session.execute(delete(DocumentRow).where(DocumentRow.picture_id.in_(gone)))
    changed = [{"picture_id": id, "words": words} for id, words in made.items() if words and known.get(id) != words]
    upsert(session, DocumentRow, changed, key="picture_id")


def _by_picture(session: Session, ids: Collection[str], picture: Any, column: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for id, value in session.execute(select(picture, column).where(picture.in_(ids))):
        found.setdefault(id, []).append(value)
    return found


@lru_cache(maxsize=64)
def _frequencies(dialect: str, words: int) -> TextClause:
    """One statement for several words: each costs more than the word itself."""
    one = _FREQUENCY[dialect]
    return text(" UNION ALL ".join(f"SELECT {at}, ({one.replace(':word', f':word{at}')})" for at in range(words)))


class WordIndex:
    """Looks words up in a catalogue. Thread-safe, and sees what other processes have committed."""

    def __init__(self, catalogue: Transactions) -> None:
        self._catalogue = catalogue

    def frequencies(self, words: Sequence[str]) -> Mapping[str, int]:
        """How many pictures have each word; those that none has are left out."""
        if not words:
            return {}
        with self._catalogue.reading() as connection:
            given = {f"word{at}": word for at, word in enumerate(words)}
            found = connection.execute(_frequencies(connection.dialect.name, len(words)), given).all()
        return {words[at]: int(number) for at, number in found if number}

    def holding(self, word: str, limit: int) -> list[str]:
        """The pictures that have a word, in the order of their ids."""
        with self._catalogue.transaction() as session:
            dialect = session.get_bind().dialect.name
            asked = f'"{word}"' if dialect == "sqlite" else word
            rows = session.execute(text(_HOLDING[dialect]), {"word": asked, "limit": limit})
            return [id for (id,) in rows]
