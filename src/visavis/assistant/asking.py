"""Asking back: what was asked and answered so far is read from the saved turns, so nothing is ever asked twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from visavis.assistant.candidates import CandidateReader
from visavis.assistant.interfaces import Moment
from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.language import context
from visavis.questions.base import Exchange, Form, Option, Question, Questioner, View
from visavis.questions.posterior import entropy, posterior

#: How many of the best pictures are looked at: nine of ten targets were among them (docs/questions.md), and every
#: further one costs time to read.
DEPTH = 60


@dataclass(frozen=True)
class Tact:
    """How much a person is asked who does not answer.

    Attributes:
        pause: Turns without a question after the first that was passed over; twice as many after each further one.
        most_ignored: After so many that were passed over in a row, nothing is asked any more.
    """

    pause: int = 1
    most_ignored: int = 3

    def holds_back(self, conversation: Conversation, exchanges: Sequence[Exchange]) -> bool:
        """Whether to ask nothing now."""
        ignored = 0
        for exchange in reversed(exchanges):
            if exchange.answer:
                break
            ignored += 1
        if not ignored:
            return False
        last = max(turn.number for turn in conversation.turns if turn.question is not None and turn.question.key)
        return ignored >= self.most_ignored or len(conversation) - last < self.pause * 2 ** (ignored - 1)


class AskingBack:
    """A questioner as the assistant knows it: from a moment of a conversation to a question that can be saved."""

    def __init__(
        self,
        make: Callable[[], Questioner],
        reader: CandidateReader,
        tact: Tact | None = None,
        depth: int = DEPTH,
    ) -> None:
        """Set it up.

        Args:
            make: Makes the questioner when it is first needed: it may have to load an encoder.
            reader: Reads what is known of pictures.
            tact: How much a person is asked who does not answer.
            depth: How many of the best pictures are looked at.
        """
        self.depth = depth
        self._make = make
        self._reader = reader
        self._tact = tact or Tact()

    @cached_property
    def _questioner(self) -> Questioner:
        return self._make()

    def ask(self, moment: Moment) -> context.Question | None:
        """The question worth asking now, or None."""
        asked = list(exchanges(moment))
        if self._tact.holds_back(moment.conversation, asked) or moment.brief.of("sort"):
            return None  # who is passed over should not insist, and who sorts is looking around
        candidates = self._reader.read(moment.ranked)
        bits = entropy(posterior(candidates.scores))
        entropies = (*(exchange.bits for exchange in asked), bits)
        described = sum(not wish.answer for wish in moment.brief.of("want", "relative"))
        view = View(candidates, told(moment.brief), tuple(asked), entropies, described)
        question = self._questioner.ask(view)
        return None if question is None else question.as_context(bits)


def exchanges(moment: Moment) -> Iterator[Exchange]:
    """Every question of the conversation with what was answered, oldest first; an empty answer where there was none.

    What a rollback or a new search left behind counts too: a person who was asked remembers it.
    """
    turns = moment.conversation.turns
    for place, turn in enumerate(turns):
        asked = turn.question
        if asked is None or not asked.key:
            continue
        following = turns[place + 1] if place + 1 < len(turns) else None
        message = following.message if following else moment.message
        answered = following.answered if following else moment.answered
        yield Exchange(_from_context(asked), message if answered is not None else "", asked.bits)


def told(brief: Brief) -> str:
    """What the person said that need not be asked: the wishes in words and the values of filters."""
    wishes = [wish.text for wish in brief.of("want", "relative", "avoid")]
    return ". ".join([*wishes, *(wish.text for wish in brief.of("filter"))])


def _from_context(asked: context.Question) -> Question:
    counts = asked.leaves or (0,) * len(asked.options)
    options = tuple(
        Option(label, leaves, command) for (label, command), leaves in zip(asked.options, counts, strict=True)
    )
    forms: dict[str, Form] = {"yes/no": "yes/no", "choice": "choice"}
    return Question(asked.text, forms.get(asked.form, "open"), asked.key, options, pictures=asked.pictures)
