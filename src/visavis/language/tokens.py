"""Messages in context and commands as word pieces: what the learned parser reads and writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from tokenizers import BertWordPieceTokenizer

from visavis.language.commands import KINDS
from visavis.language.context import Context, NumberRange
from visavis.language.rules.grounding import values_in
from visavis.language.spelling import correct
from visavis.language.tidy import tidy, usual

#: Where a piece of the input comes from: the message, the conversation before it, or what the picture shows.
MESSAGE, BEFORE, SEEN = 0, 1, 2

PAD, START, END = 0, 101, 102
_NEXT_COMMAND = 99  # one of the ids that BERT leaves unused
#: Each verb is one token, on ids that BERT leaves unused: verbs such as adjust_attr are no English words.
VERBS: dict[str, int] = {kind.verb: at for at, kind in enumerate(KINDS, start=1)}
_VERB_OF = {token: verb for verb, token in VERBS.items()}
_IN_HAND, _BEGUN, _ASKED, _LIST, _COLUMN = 60, 61, 62, 63, 64

#: Longer inputs are cut; the message itself is never longer than half of it.
LONGEST_INPUT = 160
LONGEST_TARGET = 40

IntArray = NDArray[np.int64]


#: Words that lean on the picture; without one of them what it shows is not read.
_REFERS = re.compile(
    r"\b(?:colou?rs?(?:ed)?|shade|tone|match\w*|same|similar|like|object|thing|item|stuff|what|that|this|"
    r"wear\w*|hold\w*|which|the \w+'s?)\b"
)


@cache
def _tokenizer() -> BertWordPieceTokenizer:
    path = files("visavis.language.lexicon").joinpath("wordpieces.txt")
    return BertWordPieceTokenizer(str(path), lowercase=True)


@cache
def _pieces() -> tuple[str, ...]:
    path = files("visavis.language.lexicon").joinpath("wordpieces.txt")
    return tuple(path.read_text(encoding="utf-8").splitlines())


def pieces_of(text: str) -> list[int]:
    """The word pieces of a text."""
    return list(_tokenizer().encode(text, add_special_tokens=False).ids)


def _command_pieces(line: str) -> list[int]:
    verb, _, arguments = line.partition(" ")
    head = [VERBS[verb]] if verb in VERBS else pieces_of(verb)
    return head + pieces_of(arguments)


@dataclass(frozen=True)
class Encoded:
    """An input: the pieces, where each comes from."""

    ids: IntArray
    kinds: IntArray


def spoken_form(message: str, context: Context) -> str:
    """The message as both parsers read it: tidy, usual expressions, typing errors put right."""
    return correct(usual(tidy(message)), frozenset(c.noun for c in context.concepts))


def encode_input(message: str, context: Context, earlier: Sequence[str] = ()) -> Encoded:
    """A message in its context.

    Args:
        message: What was said.
        context: The conversation.
        earlier: Further lines from the conversation: commands, or what was said before, the latest last.
    """
    text = spoken_form(message, context)
    spoken = [START, *pieces_of(text)[: LONGEST_INPUT // 2], END]
    before = [token for flag, token in _flags(context) if flag]
    if context.question:
        before += [_ASKED, *pieces_of(context.question.text)[:16]]
        for label, _ in context.question.options[:6]:
            before += [_LIST, *pieces_of(label)[:6]]
    for edit in context.edits[-1:]:
        before += _command_pieces(str(edit))
    for line in earlier:
        before += [_LIST, *_command_pieces(line)[:16]]
    seen: list[int] = []
    for phrase in _seen(text, context):
        seen += [_COLUMN, *pieces_of(phrase)]
    ids = [*spoken, *before, END, *seen, END][:LONGEST_INPUT]
    kinds = ([MESSAGE] * len(spoken) + [BEFORE] * (len(before) + 1) + [SEEN] * (len(seen) + 1))[:LONGEST_INPUT]
    return Encoded(np.array(ids, dtype=np.int64), np.array(kinds, dtype=np.int64))


def _flags(context: Context) -> tuple[tuple[bool, int], ...]:
    return ((context.picture, _IN_HAND), (context.turns > 0, _BEGUN))


def _seen(text: str, context: Context) -> list[str]:
    """What the picture shows, most frequent first, and which attributes and values of the collection are near."""
    counted: dict[str, int] = {}
    for concept in context.concepts if _REFERS.search(text) else ():
        phrase = " ".join((*concept.attributes, concept.noun))
        counted[phrase] = counted.get(phrase, 0) + 1
    phrases = sorted(counted, key=lambda phrase: -counted[phrase])[:40]
    phrases += [f"{value.field} {value.value}" for value in values_in(text, context.attributes)]
    phrases += [name for name, values in context.attributes.items() if isinstance(values, NumberRange)][:6]
    return phrases


def encode_target(commands: Iterable[str]) -> list[int]:
    """Commands as the pieces that the learned parser writes, without start and end."""
    pieces: list[int] = []
    for line in commands:
        pieces += [*([_NEXT_COMMAND] if pieces else []), *_command_pieces(line)]
    return pieces[: LONGEST_TARGET - 1]


_JOINS = (
    (re.compile(r"(?<=\d) \. (?=\d)"), "."),
    (re.compile(r"(^|\s)- (?=\d)"), r"\1-"),
    (re.compile(r"(?<=\w) ([-']) (?=\w)"), r"\1"),
    (re.compile(r"([#@]) (?=\d)"), r"\1"),
    (re.compile(r"([<>!]) ="), r"\1="),
    (re.compile(r"(?<=\d) ([:x%])(?= ?\d|$| )"), r"\1"),
    (re.compile(r"(?<=\d)([:x]) (?=\d)"), r"\1"),
)


def decode_target(pieces: Iterable[int]) -> list[str]:
    """The commands that pieces spell, one line each; they are not checked."""
    lines: list[list[str]] = [[]]
    for piece in pieces:
        if piece == _NEXT_COMMAND:
            lines.append([])
        elif piece in _VERB_OF:
            lines[-1].append(_VERB_OF[piece])
        elif piece not in (PAD, START, END):
            text = _pieces()[piece]
            if text.startswith("##") and lines[-1]:
                lines[-1][-1] += text[2:]
            else:
                lines[-1].append(text.removeprefix("##"))
    return [_joined(" ".join(words)) for words in lines if words]


def _joined(text: str) -> str:
    for pattern, replacement in _JOINS:
        text = pattern.sub(replacement, text)
    return text
