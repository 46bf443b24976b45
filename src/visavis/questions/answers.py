"""Questions in plain words, and what an answer means for its question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from visavis.conversation.fold import statement
from visavis.language.english import bare
from visavis.search.vocabulary import commonness
from visavis.types import ORDINARY, Kind, Proposition, Question

_YES = re.compile(r"(?:yes|yeah|yep|yup|sure|of course|definitely|it is|it does|there (?:is|are)|correct|right)\b.*")
_NO = re.compile(r"(?:no|nope|nah|not really|not at all|it isn't|it doesn't|there (?:isn't|aren't))[ ,.!]*")
_UNKNOWN = re.compile(
    r"(?:i )?(?:don't|do not|can't|cannot) (?:know|care|mind|tell|remember|say)\b.*|no (?:preference|idea)|not sure"
    r"|i'm not sure|(?:it )?doesn't matter|whatever|either|any|skip|both|all|both of them|nothing(?: else)?|unknown"
)
_NONE = re.compile(r"(?:neither|none|something else|other)(?: of (?:them|these|those|the two))?")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True)
class UnderstoodAnswer:
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


def understand_answer(question: Question, said: str) -> UnderstoodAnswer:
    """Understand an answer in the context of its question."""
    text = re.sub(r"\s+", " ", said.strip().lower().replace("’", "'")).strip(" .!?")
    labels = [label.lower() for label, _ in question.options]
    bare = re.sub(r"^(?:the |a |an |number |option |#)+|(?: one| please)+$", "", text)
    for label in (text, bare):
        if label in labels:
            return UnderstoodAnswer(chosen=labels.index(label))
    if not text or _UNKNOWN.fullmatch(text):
        return UnderstoodAnswer(unknown=True)
    if question.form == "yes/no":
        return (
            UnderstoodAnswer(chosen=0)
            if _YES.fullmatch(text)
            else UnderstoodAnswer(chosen=1)
            if _NO.fullmatch(text)
            else UnderstoodAnswer(free=said)
        )
    if question.form == "choice":
        if (place := _place(bare)) is not None and place < len(labels):
            return UnderstoodAnswer(chosen=place)
        if _NONE.fullmatch(text) or _NO.fullmatch(text):
            return UnderstoodAnswer(none=True)
    return UnderstoodAnswer(unknown=True) if _NO.fullmatch(text) else UnderstoodAnswer(free=said)


def _place(text: str) -> int | None:
    if text in _ORDINALS:
        return _ORDINALS.index(text)
    return int(text) - 1 if re.fullmatch(r"[1-9]", text) else None


_YES_NO = re.compile(r"^(?:is|are|was|were|does|do|did|can|could|has|have|will|would|any)\b", re.IGNORECASE)
_OR = re.compile(r"\b(\w+) or (\w+)\??$", re.IGNORECASE)
_OF_WHAT = re.compile(
    r"^(?:what (?:colou?r|kind|type|sort)s? (?:is|are|of)|how many|where (?:is|are)|what (?:is|are))\s+(?:the |a |an )?"
    r"(.+?)(?:\s+(?:are|is|in|on|do|does|can|wearing|doing)\b.*)?\??$",
    re.IGNORECASE,
)
_TAIL = re.compile(r" (?:in (?:it|(?:the|this) (?:picture|image|photo))|there|visible)$", re.IGNORECASE)
#: An answer of this many words is a description of its own; a shorter one needs the question to make sense.
SENTENCE = 4


def free_question(text: str) -> Question:
    """A question out of plain words: yes/no, a choice between two words, or open."""
    text = text.strip()
    key = "free:" + " ".join(re.findall(r"[\w']+", text.lower()))
    if not _YES_NO.match(text):
        return Question(text, form="open", key=key)
    if found := _OR.search(text):
        labels = (found[1].lower(), found[2].lower())
        propositions = tuple(Proposition(label, f"a photo of something {label}", Kind.STATE) for label in labels)
        options = tuple((label, f"refine {label}") for label in labels)
        return Question(text, options, "choice", key, propositions=propositions)
    about = _TAIL.sub("", statement(text))
    proposition = Proposition(about, f"a photo of {about}", Kind.STUFF, common=commonness(about) or ORDINARY)
    options = (("yes", f"refine {about}"), ("no", f"avoid {bare(about)}"))
    return Question(text, options, "yes/no", key, propositions=(proposition,) if about else ())


def said_about(question: str, answer: str) -> str:
    """What a free answer says without its question: "what colour is the car?" and "red" make "red car"."""
    if len(answer.split()) >= SENTENCE:
        return answer
    subject = _OF_WHAT.match(question.strip())
    return f"{answer} {subject[1]}" if subject else answer
