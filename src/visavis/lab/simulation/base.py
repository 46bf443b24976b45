"""The interface of simulated users, and their strength."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from visavis.errors import BadInputError

#: The answer of a user who does not know; the parser reads it as "no preference".
DONT_KNOW = "I don't know"
YES, NO = "yes", "no"
NOTHING_ELSE = "nothing else"


@dataclass(frozen=True)
class Strength:
    """How good a user is; published with every figure that was measured with it.

    Attributes:
        vocabulary: The share of words that it knows (0..1); a question with an unknown word gets "I don't know".
        noise: The share of closed questions that it answers wrongly (0..1).
        patience: How many questions it answers before it always says "I don't know".
        seed: The seed of the user's choices.
    """

    vocabulary: float = 1.0
    noise: float = 0.0
    patience: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("vocabulary", "noise"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadInputError(f"A user's {name} cannot be {getattr(self, name)}.", "Use 0 to 1.")
        if self.patience < 0:
            raise BadInputError(f"A user's patience cannot be {self.patience}.", "Use 0 or more.")

    def as_json(self) -> dict[str, float | int]:
        """Return the values for reports."""
        return asdict(self)

    def knows(self, word: str) -> bool:
        """Return whether the word is in the user's vocabulary."""
        return self.vocabulary >= 1 or self.rng("word", word).random() < self.vocabulary

    def slips(self, target: str, question: str) -> bool:
        """Return whether this question about this target is answered wrongly."""
        return self.noise > 0 and bool(self.rng("slip", target, question).random() < self.noise)

    def rng(self, *what: str) -> np.random.Generator:
        """Return a generator that depends on the seed and the purpose only, not on earlier draws."""
        digest = hashlib.blake2b("\x1f".join((str(self.seed), *what)).encode(), digest_size=8).digest()
        return np.random.default_rng(int.from_bytes(digest, "big"))


@dataclass(frozen=True)
class Asked:
    """A question as shown to a user: text, and perhaps options and pictures.

    Attributes:
        text: The question.
        options: The answers offered; none for an open question.
        pictures: Ids of the pictures shown with the options, in the same order, or none.
    """

    text: str
    options: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()


class SimulatedUser(ABC):
    """Answers about one target, from that target, its strength and its seed alone.

    Users are stateless: their earlier messages are arguments, so conversations can run in any order.
    """

    name: str

    def __init__(self, strength: Strength | None = None) -> None:
        self.strength = strength or Strength()

    @abstractmethod
    def describe(self, target: str) -> str:
        """Return the opening description of the target."""

    @abstractmethod
    def compare(self, shown: Sequence[str], target: str) -> str:
        """Return a relative caption: how the target differs from the first picture shown."""

    @abstractmethod
    def _reply(self, question: Asked, target: str, said: Sequence[str]) -> str:
        """Return the correct answer."""

    def answer(self, question: Asked, target: str, said: Sequence[str] = ()) -> str:
        """Answer a question about the target.

        Args:
            question: The question.
            target: The target's id.
            said: The user's earlier messages in this conversation, oldest first.
        """
        if len(said) > self.strength.patience:
            return DONT_KNOW
        if not all(self.strength.knows(word) for word in question.text.lower().split()):
            return DONT_KNOW
        reply = self._reply(question, target, said)
        return self._wrong(question, reply, target) if self.strength.slips(target, question.text) else reply

    def pick(self, results: Sequence[str], target: str) -> str | None:
        """Return the target if it is among the results."""
        return target if target in results else None

    def _wrong(self, question: Asked, reply: str, target: str) -> str:
        if reply in (YES, NO):
            return NO if reply == YES else YES
        others = [option for option in question.options if option != reply]
        if not others:
            return reply
        return others[int(self.strength.rng("wrong", target, question.text).integers(len(others)))]
