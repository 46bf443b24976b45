"""Word pieces and marks: the alphabet in which the parser's network reads and writes.

The pieces are BERT's, those of the text tower. What is no word (a verb such as ``adjust_attr``, a comparison, the
begin of a field of the context) is a mark: one of the ids that BERT leaves unused.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from visavis.language.commands import KINDS

PAD, UNKNOWN, START, END = 0, 100, 101, 102
#: Ids below this are marks; the network learns their vectors, those of words are the text tower's.
MARKS = 104

#: Each verb is one mark, by the order of the grammar.
VERBS: dict[str, int] = {kind.verb: at for at, kind in enumerate(KINDS, start=1)}
VERB_OF = {mark: verb for verb, mark in VERBS.items()}

_FIRST_MARK = 54
_NAMES = (
    # inside commands
    "on # @ this minus or = != < <= > >= asc desc edits next clockwise x percent colon comma top center bottom point"
    # inside the context
    " turns shown columns topic picture edit attribute value range question option concept place number earlier"
).split()
MARK: dict[str, int] = {name: _FIRST_MARK + at for at, name in enumerate(_NAMES)}
MARK_NAME = {mark: name for name, mark in MARK.items()}
assert len(VERBS) < _FIRST_MARK
assert _FIRST_MARK + len(_NAMES) < UNKNOWN
#: The marks that may be written inside commands.
WRITTEN_MARKS = frozenset(MARK[name] for name in _NAMES[: _NAMES.index("turns")]) | frozenset(VERBS.values())


@dataclass(frozen=True)
class Piece:
    """A word piece with the place of the text that it stands for."""

    id: int
    start: int
    end: int


@cache
def tokenizer() -> Any:
    """The tokenizer of the text tower, without marks, without a limit."""
    from tokenizers import BertWordPieceTokenizer

    path = files("visavis.language.lexicon").joinpath("wordpieces.txt")
    return BertWordPieceTokenizer(str(path), lowercase=True)


@cache
def words() -> tuple[str, ...]:
    """The spelling of every piece; those that continue a word begin with ``##``."""
    path = files("visavis.language.lexicon").joinpath("wordpieces.txt")
    return tuple(path.read_text(encoding="utf-8").splitlines())


@cache
def ids() -> dict[str, int]:
    """The id of every spelling."""
    return {word: at for at, word in enumerate(words())}


def pieces(text: str) -> list[Piece]:
    """The word pieces of a text with their places in it."""
    encoding = tokenizer().encode(text, add_special_tokens=False)
    return [Piece(i, start, end) for i, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)]


def piece_ids(text: str) -> list[int]:
    """The ids of the word pieces of a text."""
    return list(_piece_ids(text))


@lru_cache(maxsize=8192)  # the words of a message are looked up again and again, those of a context in every turn
def _piece_ids(text: str) -> tuple[int, ...]:
    return tuple(tokenizer().encode(text, add_special_tokens=False).ids)
