"""What to say when there is nothing to do."""

from __future__ import annotations

from visavis.language.commands.talk import ChatKind

REPLIES: dict[ChatKind, str] = {
    "greeting": "Hello! Tell me which picture you have in mind.",
    "thanks": "You are welcome.",
    "praise": "Glad you like it. Shall we go on from here?",
    "complaint": "I am sorry. Tell me what should be different, or go back a step.",
    "goodbye": "Goodbye!",
    "help": (
        "Say what you are looking for (“a red dress with long sleeves”), what should be different (“shorter, "
        "no logo”), "
        "point at a picture (“like #4 but blue”), go back (“back to turn 2”) or edit (“rotate it clockwise by 90”)."
    ),
    "summary": "This is what I am looking for.",
    "agreement": "All right. What shall I do next?",
    "refusal": "All right, nothing is changed.",
    "nonsense": "I did not understand that. Tell me in other words what you are looking for.",
}


def reply_to(kind: ChatKind) -> str:
    """A polite sentence for a kind of small talk."""
    return REPLIES[kind]
