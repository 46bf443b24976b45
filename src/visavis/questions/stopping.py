"""When not to ask."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from visavis.questions.answers import hear
from visavis.questions.base import View


@dataclass(frozen=True)
class Stopping:
    """The rules by which a questioner holds its tongue.

    Attributes:
        small: With this many likely candidates or fewer, looking is quicker than answering.
        least_gain: A question must be expected to bring this many bits.
        least_help: An answer helped if it lowered the entropy by this many bits.
        useless: After so many answers in a row that did not help, no more is asked.
        most: Never more questions than this in one conversation.
    """

    small: int = 6
    least_gain: float = 0.08
    least_help: float = 0.02
    useless: int = 2
    most: int = 20

    def says_enough(self, view: View, likely: int) -> bool:
        """Whether to ask nothing, whatever could be asked."""
        return likely <= self.small or len(view.exchanges) >= self.most or self._answers_do_not_help(view)

    def _answers_do_not_help(self, view: View) -> bool:
        last = view.exchanges[-self.useless :]
        if len(last) < self.useless:
            return False
        if all(hear(exchange.question, exchange.answer).unknown for exchange in last):
            return True
        bits = view.entropies[-self.useless - 1 :]
        falls = [before - after for before, after in pairwise(bits)]
        return len(falls) == self.useless and all(fall < self.least_help for fall in falls)


#: For comparing questioners at equal rounds: asks as long as it may.
NEVER_STOP = Stopping(small=0, least_gain=-1.0, least_help=-1e9, useless=10**6, most=10**6)
