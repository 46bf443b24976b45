"""What a question is, what a questioner sees, and what every questioner does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import FloatArray
from visavis.language import context
from visavis.questions.vocabulary import Kind

FloatVector = NDArray[np.float64]
Form = Literal["yes/no", "choice", "open"]
#: How common a concept is taken to be of which nothing is known.
ORDINARY = 0.01


@dataclass(frozen=True)
class Proposition:
    """Something that is true of some candidates.

    Attributes:
        wish: What it adds to the brief: ``a dog``.
        prompt: What the encoder compares pictures with; empty where the catalogue knows.
        kind: What kind of concept it is; decides how a score becomes a probability.
        attribute: The catalogue's field, where it knows.
        value: The value that the field must have.
        common: In what share of pictures people mention it.
    """

    wish: str
    prompt: str = ""
    kind: Kind = Kind.THING
    attribute: str = ""
    value: str = ""
    common: float = ORDINARY


@dataclass(frozen=True)
class Option:
    """An answer that is offered.

    Attributes:
        label: What the person reads and says.
        leaves: How many of the likely candidates it would leave.
        command: The command that it stands for (``refine a dog``, ``filter colour = "red"``), or None.
    """

    label: str
    leaves: int = 0
    command: str | None = None


@dataclass(frozen=True)
class Question:
    """A question with the answers it offers.

    Attributes:
        text: What the person reads.
        form: How it is answered.
        key: What it is about; a key is never asked about twice.
        options: The answers offered; an open question has none.
        propositions: For a choice one an option, for yes/no the one that "yes" affirms, for an open question none.
        gain: The expected gain in bits, costs taken off.
        pictures: Ids of pictures to show with the options, in the same order, or none.
    """

    text: str
    form: Form
    key: str
    options: tuple[Option, ...] = ()
    propositions: tuple[Proposition, ...] = ()
    gain: float = 0.0
    pictures: tuple[str, ...] = ()

    def as_context(self, bits: float = 0.0) -> context.Question:
        """As conversations keep it and the language room reads answers to it.

        Args:
            bits: The candidates' entropy when it is asked.
        """
        return context.Question(
            self.text,
            tuple((option.label, option.command) for option in self.options),
            self.form,
            self.key,
            tuple(option.leaves for option in self.options),
            self.pictures,
            round(bits, 4),
        )

    def as_json(self) -> dict[str, Any]:
        """For the server and for reports."""
        return {
            "text": self.text,
            "form": self.form,
            "key": self.key,
            "options": [{"label": o.label, "leaves": o.leaves, "command": o.command} for o in self.options],
            "gain": round(self.gain, 4),
            "pictures": list(self.pictures),
        }


@dataclass(frozen=True)
class Exchange:
    """A question that was asked, and what was answered.

    Attributes:
        question: What was asked.
        answer: The person's words; empty where they passed it over.
        bits: The candidates' entropy when it was asked, where it is known.
    """

    question: Question
    answer: str
    bits: float = 0.0


@dataclass(frozen=True)
class Candidates:
    """What might be meant, best first.

    Attributes:
        ids: The pictures.
        scores: Log-weights: what the ranking thinks of each, on the scale of natural logarithms.
        read: Reads their vectors, when somebody looks at them: often the scores alone tell what to ask.
        attributes: What the catalogue says of each.
        concepts: ``[n, v]``: the best region's cosine with each concept of the vocabulary, where it is known already.
    """

    ids: Sequence[str]
    scores: FloatVector
    read: Callable[[], tuple[FloatArray, FloatArray]]
    attributes: Sequence[Mapping[str, Any]] = ()
    concepts: FloatArray | None = None

    @cached_property
    def _vectors(self) -> tuple[FloatArray, FloatArray]:
        return self.read()

    @property
    def whole(self) -> FloatArray:
        """``[n, d]``: their vectors."""
        return self._vectors[0]

    @property
    def regions(self) -> FloatArray:
        """``[n, r, d]``: the vectors of their parts."""
        return self._vectors[1]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class View:
    """What a questioner knows: the candidates and the conversation so far.

    Attributes:
        candidates: Best first.
        told: What the person said, in one text.
        exchanges: What was asked and answered, oldest first.
        entropies: The candidates' entropy in bits before each question and after the last answer.
        descriptions: How many sentences of their own the person said.
    """

    candidates: Candidates
    told: str = ""
    exchanges: tuple[Exchange, ...] = ()
    entropies: tuple[float, ...] = field(default=())
    descriptions: int = 1

    @property
    def asked(self) -> frozenset[str]:
        """The keys that are used up."""
        return frozenset(exchange.question.key for exchange in self.exchanges)


class Questioner(ABC):
    """Finds the one question worth asking next. Deterministic: the same view, the same question."""

    #: Stable name, used by the command line and in reports.
    name: str

    @abstractmethod
    def ask(self, view: View) -> Question | None:
        """The next question, or None when asking would not help. Never one whose key was asked before."""
