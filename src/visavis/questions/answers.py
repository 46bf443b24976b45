"""What an answer means for its question: which option, none, not known, or something of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from visavis.questions.base import Question

_YES = re.compile(r"(?:yes|yeah|yep|yup|sure|of course|definitely|it is|it does|there (?:is|are)|correct|right)\b.*")
_NO = re.compile(r"(?:no|nope|nah|not really|not at all|it isn't|it doesn't|there (?:isn't|aren't))[ ,.!]*")
_UNKNOWN = re.compile(
    r"(?:i )?(?:don't|do not|can't|cannot) (?:know|care|mind|tell|remember|say)\b.*|no (?:preference|idea)|not sure"
    r"|i'm not sure|(?:it )?doesn't matter|whatever|either|any|skip|both|all|both of them|nothing(?: else)?|unknown"
)
_NONE = re.compile(r"(?:neither|none|something else|other)(?: of (?:them|these|those|the two))?")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True)
class Heard:
    """An answer, understood.

    Attributes:
        chosen: The place of the option that was chosen ("yes" is 0, "no" is 1), or None.
        none: Whether every option was refused.
        free: The answer in the person's own words, where it is none of the options.
        unknown: Whether nothing can be learnt from it.
    """

    chosen: int | None = None
    none: bool = False
    free: str = ""
    unknown: bool = False


def hear(question: Question, said: str) -> Heard:
    """Understand an answer in the context of its question."""
    text = re.sub(r"\s+", " ", said.strip().lower().replace("’", "'")).strip(" .!?")
    labels = [option.label.lower() for option in question.options]
    bare = re.sub(r"^(?:the |a |an |number |option |#)+|(?: one| please)+$", "", text)
    for label in (text, bare):
        if label in labels:
            return Heard(chosen=labels.index(label))
    if not text or _UNKNOWN.fullmatch(text):
        return Heard(unknown=True)
    if question.form == "yes/no":
        return Heard(chosen=0) if _YES.fullmatch(text) else Heard(chosen=1) if _NO.fullmatch(text) else Heard(free=said)
    if question.form == "choice":
        if (place := _place(bare)) is not None and place < len(labels):
            return Heard(chosen=place)
        if _NONE.fullmatch(text) or _NO.fullmatch(text):
            return Heard(none=True)
    return Heard(unknown=True) if _NO.fullmatch(text) else Heard(free=said)


def wishes(question: Question, said: str) -> tuple[tuple[bool, str], ...]:
    """What an answer adds to the brief: pairs of whether it is wanted (or to be avoided) and the words for it."""
    heard = hear(question, said)
    if heard.free:
        return ((True, heard.free),)
    names = [proposition.wish for proposition in question.propositions]
    if heard.none:
        return tuple((False, name) for name in names)
    if heard.chosen is None or not names:
        return ()
    if question.form == "yes/no":
        return ((heard.chosen == 0, names[0]),)
    return ((True, names[heard.chosen]),)


def _place(text: str) -> int | None:
    if text in _ORDINALS:
        return _ORDINALS.index(text)
    return int(text) - 1 if re.fullmatch(r"[1-9]", text) else None
