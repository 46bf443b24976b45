"""Questions that come as plain words, from people or from a language model, and what their answers say."""

from __future__ import annotations

import re

from visavis.conversation.answers import statement
from visavis.questions.base import ORDINARY, Option, Proposition, Question
from visavis.questions.grammar import bare
from visavis.questions.vocabulary import Kind, commonness

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
        return Question(text, "open", key)
    if found := _OR.search(text):
        labels = (found[1].lower(), found[2].lower())
        propositions = tuple(Proposition(label, f"a photo of something {label}", Kind.STATE) for label in labels)
        options = tuple(Option(label, command=f"refine {label}") for label in labels)
        return Question(text, "choice", key, options, propositions)
    about = _TAIL.sub("", statement(text))
    proposition = Proposition(about, f"a photo of {about}", Kind.STUFF, common=commonness(about) or ORDINARY)
    options = (Option("yes", command=f"refine {about}"), Option("no", command=f"avoid {bare(about)}"))
    return Question(text, "yes/no", key, options, (proposition,) if about else ())


def said_about(question: str, answer: str) -> str:
    """What a free answer says without its question: "what colour is the car?" and "red" make "red car"."""
    if len(answer.split()) >= SENTENCE:
        return answer
    subject = _OF_WHAT.match(question.strip())
    return f"{answer} {subject[1]}" if subject else answer
