"""A message in its context as the network reads it: ``[CLS] message [SEP] context [SEP]``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from visavis.language.codec import encode_commands, plain_spelling
from visavis.language.context import Context, NumberRange
from visavis.language.english import hidden_numbers
from visavis.language.pieces import END, MARK, START, Piece, piece_ids, pieces, words
from visavis.language.references import described_turn, places, turns_ago

#: The longest input; the message never takes more than its share.
LONGEST, LONGEST_MESSAGE = 192, 96
_LONGEST_TOPIC, _LONGEST_QUESTION, _LONGEST_VALUE, _LONGEST_EDIT = 24, 24, 8, 12
_PLACES = 6
_EDITS, _OPTIONS, _ATTRIBUTES, _CONCEPTS = 3, 8, 5, 16
#: So many values of an attribute are read even where none of them seems to be meant.
_VALUES_READ = 6


@dataclass
class _Segment:
    text: str
    pieces: list[Piece]


@dataclass
class Prompt:
    """The pieces of an input, and the texts that they were made from.

    Attributes:
        ids: The pieces.
        message_length: How many of them are the message's, the start included.
    """

    ids: list[int] = field(default_factory=list)
    message_length: int = 0
    _segments: list[_Segment] = field(default_factory=list)

    def mark(self, name: str) -> None:
        """Add a mark."""
        self.ids.append(MARK[name])

    def text(self, text: str, longest: int, spelled: str | None = None) -> None:
        """Add the pieces of a text; ``spelled`` is how it was written, letter for letter as long."""
        found = pieces(text)[:longest]
        self._segments.append(_Segment(text if spelled is None else spelled, found))
        self.ids += [piece.id for piece in found]

    def number(self, value: float) -> None:
        """Add a number."""
        self.ids += piece_ids(f"{value:g}" if abs(value) < 1e6 else f"{value:.0f}")

    def spell(self, ids: Sequence[int]) -> str:
        """The text of pieces, spelled as in the message or the context where they stand there one after another."""
        parts: list[str] = []
        at = 0
        while at < len(ids):
            run, surface = self._longest_run(ids, at)
            joint = "" if not parts or words()[ids[at]].startswith("##") else _joint(ids[at - 1], ids[at])
            parts += [joint, surface or plain_spelling(ids[at : at + run])]
            at += run
        return "".join(parts)

    def _longest_run(self, ids: Sequence[int], at: int) -> tuple[int, str]:
        best, surface = 0, ""
        for segment in self._segments:
            for start, piece in enumerate(segment.pieces):
                if piece.id != ids[at]:
                    continue
                run = 1
                while (
                    at + run < len(ids)
                    and start + run < len(segment.pieces)
                    and segment.pieces[start + run].id == ids[at + run]
                ):
                    run += 1
                if run > best:
                    best, surface = run, segment.text[piece.start : segment.pieces[start + run - 1].end]
        if not best:
            best = 1
            while at + best < len(ids) and words()[ids[at + best]].startswith("##"):
                best += 1
        return best, surface


#: One letter for one, so that offsets hold in both texts.
_QUOTES = str.maketrans({"‘": "'", "’": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_TIGHT_BEFORE, _TIGHT_BOTH = set(",.;:!?%)"), set("-/'’")


def _joint(before: int, after: int) -> str:
    """What stands between two pieces that were not copied together."""
    first, second = words()[before], words()[after]
    return "" if second in _TIGHT_BEFORE or first in _TIGHT_BOTH or second in _TIGHT_BOTH or first == "(" else " "


def stems(text: str) -> set[str]:
    """The words of a text without endings, to compare them roughly.

    >>> stems("dresses, totes and skies") == stems("dress tote and sky")
    True
    """
    return {_stem(word) for word in re.findall(r"[^\W_]+", text.lower())}


def _stem(word: str) -> str:
    if word.endswith("ies"):
        word = word[:-3]
    elif re.search(r"(?:ss|sh|ch|x|z)es$", word):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word[:-1] if len(word) > 2 and word[-1] in "ey" else word


def encode_prompt(message: str, context: Context, earlier: Sequence[str] = ()) -> Prompt:
    """A message in its context as pieces.

    Args:
        message: What was said.
        context: What is known of the conversation.
        earlier: Further lines from the conversation, the latest last.
    """
    prompt = Prompt([START])
    prompt.text(message.translate(_QUOTES), LONGEST_MESSAGE - 2, message)
    prompt.ids.append(END)
    prompt.message_length = len(prompt.ids)
    _write_state(prompt, context)
    _write_places(prompt, message, context)
    _write_question(prompt, context)
    _write_edits(prompt, context)
    _write_topic(prompt, context)
    for line in earlier:
        prompt.mark("earlier")
        prompt.text(line, _LONGEST_TOPIC)
    _write_concepts(prompt, message, context)
    _write_attributes(prompt, message, context)
    prompt.ids = [*prompt.ids[: LONGEST - 1], END]
    return prompt


def _write_state(prompt: Prompt, context: Context) -> None:
    for name in ("turns", "shown", "columns"):
        if value := getattr(context, name):
            prompt.mark(name)
            prompt.number(value)
    if context.picture:
        prompt.mark("picture")


def _write_places(prompt: Prompt, message: str, context: Context) -> None:
    for number in places(message, context.shown, context.columns)[:_PLACES]:
        prompt.mark("place")
        prompt.mark("#")
        prompt.number(number)
    if turn := turns_ago(message, context.turns) or _described(message, context):
        prompt.mark("place")
        prompt.mark("@")
        prompt.number(turn)
    for value in hidden_numbers(message)[:6]:
        prompt.mark("number")
        prompt.number(value)


def _described(message: str, context: Context) -> int | None:
    turn = described_turn(message, context.topics)
    return turn and max(0, context.turns - len(context.topics)) + turn


def _write_question(prompt: Prompt, context: Context) -> None:
    if context.question is None:
        return
    prompt.mark("question")
    prompt.text(context.question.text, _LONGEST_QUESTION)
    for label, _ in context.question.options[:_OPTIONS]:
        prompt.mark("option")
        prompt.text(label, _LONGEST_VALUE)


def _write_edits(prompt: Prompt, context: Context) -> None:
    for edit in context.edits[-_EDITS:]:
        prompt.mark("edit")
        prompt.ids += encode_commands([edit])[:_LONGEST_EDIT]


def _write_topic(prompt: Prompt, context: Context) -> None:
    if context.topic:
        prompt.mark("topic")
        prompt.text(context.topic, _LONGEST_TOPIC)


def _write_concepts(prompt: Prompt, message: str, context: Context) -> None:
    said = stems(message)
    phrases = dict.fromkeys(" ".join(filter(None, (*c.attributes, c.noun, c.place))) for c in context.concepts)
    for phrase in sorted(phrases, key=lambda phrase: not said & stems(phrase))[:_CONCEPTS]:
        prompt.mark("concept")
        prompt.text(phrase, _LONGEST_VALUE)


def _write_attributes(prompt: Prompt, message: str, context: Context) -> None:
    said = stems(message)
    names = sorted(context.attributes, key=lambda name: _distance(said, name, context))[:_ATTRIBUTES]
    for name in [name for name in context.attributes if name in names]:
        prompt.mark("attribute")
        prompt.text(name, _LONGEST_VALUE)
        values = context.attributes[name]
        if isinstance(values, NumberRange):
            prompt.mark("range")
            prompt.number(values.low)
            prompt.mark("comma")
            prompt.number(values.high)
            continue
        for value in _values_to_read(said, values):
            prompt.mark("value")
            prompt.text(value, _LONGEST_VALUE)


def _distance(said: set[str], name: str, context: Context) -> int:
    """How far an attribute is from what was said: those that it mentions come first, then numbers, then others."""
    if _concerned(said, name, context):
        return 0
    return 1 if isinstance(context.attributes[name], NumberRange) else 2


def _concerned(said: set[str], name: str, context: Context) -> bool:
    values = context.attributes[name]
    return bool(said & stems(name)) or (not isinstance(values, NumberRange) and any(said & stems(v) for v in values))


def _values_to_read(said: set[str], values: Sequence[str]) -> Iterator[str]:
    """The values that share a word with the message, then the first others, in the collection's order."""
    if len(values) <= _VALUES_READ:
        yield from values
        return
    meant = [value for value in values if said & stems(value)][: 2 * _VALUES_READ]
    others = [value for value in values if value not in meant][: max(0, _VALUES_READ - len(meant))]
    chosen = {*meant, *others}
    yield from (value for value in values if value in chosen)


#: What the annotators of Fashion IQ were given to go on from, and the like.
_PREFIX = re.compile(
    r"\s*unlike\s+(?:the|this|that)\s+(?:provided|given|shown|displayed)\s+(?:image|picture|photo|product|item|one)\s*,?\s*"
    r"(?:the\s+one|what)\s+i(?:['’]m|\s+am)?\s+(?:want|like|need|prefer|after|looking\s+for)\b[\s,:]*(?=\w)",
    re.IGNORECASE,
)


def without_prefix(text: str) -> str:
    """A relative caption without the words that only say that it compares with the picture shown.

    >>> without_prefix("Unlike the provided image, the one I want is solid black")
    'is solid black'
    """
    return _PREFIX.sub("", text, count=1) if _PREFIX.match(text) else text
