"""A dialogue as one text: caption and rounds joined with [SEP], shortened by whole rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from visavis.conversation.dialogue import Dialogue

SEPARATOR = " [SEP] "
#: What a dialog encoder reads at most.
MOST_TOKENS = 256
#: Answers that say least about a picture: they go first.
_DENIALS = ("no", "none", "nope", "nothing", "not")


@dataclass(frozen=True)
class Dialog:
    """A dialogue in VisDial's form.

    Attributes:
        caption: The description that it begins with; may be empty.
        rounds: Questions with their answers; either may be empty.
        image: The id of the picture that is meant; empty where nobody knows.
    """

    caption: str
    rounds: tuple[tuple[str, str], ...] = ()
    image: str = ""

    def first(self, rounds: int) -> Dialog:
        """The dialogue after so many rounds."""
        return replace(self, rounds=self.rounds[:rounds])


def joined(dialog: Dialog) -> str:
    """The text that the encoder reads: ``caption [SEP] question? answer [SEP] ...``."""
    parts = [dialog.caption.strip(), *(_round_text(*one) for one in dialog.rounds)]
    return SEPARATOR.join(part for part in parts if part)


def _round_text(question: str, answer: str) -> str:
    question, answer = question.strip(), answer.strip()
    if question and not question.endswith("?"):
        question += "?"
    return f"{question} {answer}".strip()


def shortened(dialog: Dialog, tokens: Callable[[str], int], most: int = MOST_TOKENS) -> tuple[Dialog, int]:
    """The dialogue without as many whole rounds as are too many, and their number.

    Denials go first, the oldest before the others; then the oldest rounds. The caption is never shortened.

    Args:
        dialog: The dialogue.
        tokens: Counts the tokens of a text.
        most: How many tokens there may be.
    """
    left, dropped = dialog, 0
    while left.rounds and tokens(joined(left)) > most:
        denied = (place for place, (_, answer) in enumerate(left.rounds) if _denies(answer))
        place = next(denied, 0)
        left = replace(left, rounds=left.rounds[:place] + left.rounds[place + 1 :])
        dropped += 1
    return left, dropped


def _denies(answer: str) -> bool:
    return answer.lower().replace(",", " ").replace(".", " ").split()[:1] in ([word] for word in _DENIALS)


def dialog_of(dialogue: Dialogue) -> Dialog:
    """A conversation's rounds in VisDial's form: the first description is the caption, others answer nobody."""
    caption, rounds = "", []
    for one in dialogue:
        if one.question:
            rounds.append((one.question, one.answer))
        elif one.text and not caption and not rounds:
            caption = one.text
        elif one.text:
            rounds.append(("", one.text))
    return Dialog(caption, tuple(rounds))
