"""The conversation as a set of state vectors, each matched to the picture's best region.

Drill-down's observation is that people talk about parts of a picture, and that one vector for all they said blurs
the parts. Its states are learned; here they are the phrases of the wishes ("red umbrella", "wet street"), which is
what the encoder's regions were trained to be found by. One vector finds the first few hundred pictures, the
states put them in order (MaxSim).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from visavis.encoders.base import FloatArray
from visavis.retrieval.texts import TextVectors
from visavis.training.wording import chunks

#: The newest phrases are matched; older ones are still in the joined text of the first stage.
MOST_STATES = 24


@dataclass(frozen=True)
class SecondStage:
    """How the first pictures are put in order.

    Attributes:
        weight: What the states count against the first stage, 0 to 1; 0 for no second stage.
        prefetch: How many pictures are put in order.
    """

    weight: float = 0.3
    prefetch: int = 200

    def phrases(self, texts: Sequence[str]) -> list[str]:
        """The phrases of what is wanted, oldest first, each once."""
        if not self.weight:
            return []
        found = dict.fromkeys(phrase for text in texts for phrase in chunks(text) or [text])
        return list(found)[-MOST_STATES:]

    def states(self, texts: Sequence[str], vectors: TextVectors) -> FloatArray | None:
        """The state vectors ``[m, d]``, or None where there is nothing to match."""
        phrases = self.phrases(texts)
        return vectors(phrases) if phrases else None
