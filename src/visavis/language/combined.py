"""The default parser: rules, and the learned parser where they make nothing of a message."""

from __future__ import annotations

from collections.abc import Callable

from visavis.errors import VisavisError
from visavis.language.base import NO_CONTEXT, Parser, Understanding
from visavis.language.commands import Chat
from visavis.language.context import Context
from visavis.language.learned import LearnedParser
from visavis.language.rules import RuleParser
from visavis.language.rules.smalltalk import chat_kind
from visavis.language.tidy import tidy, usual

#: How sure the learned parser must be to be heard. What ships has learned from generated dialogues only, and a few
#: words that it never met ("dogs") can look to it like anything at all.
CONVINCED = 0.9


class CombinedParser(Parser):
    """Rules first; where they are lost, the learned parser may know better.

    Without usable weights it is the rule parser.

    Args:
        rules: The rule parser.
        learned: The learned parser; the one that ships when None.
    """

    name = "combined"

    def __init__(self, rules: Parser | None = None, learned: Parser | None = None) -> None:
        self._rules = rules or RuleParser()
        self._learned = learned or LearnedParser()

    def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
        """What a message asks for, in its context."""
        by_rules = self._rules.understand(message, context)
        if not _is_lost(by_rules) or chat_kind(usual(tidy(message))) == "nonsense":  # nobody can read that
            return by_rules
        try:
            learned = self._learned.understand(message, context)
        except VisavisError:  # no weights: the rules alone must do
            return by_rules
        return choose(by_rules, learned)


def _is_lost(understanding: Understanding) -> bool:
    """Whether a parser made nothing of a message."""
    return any(isinstance(command, Chat) and command.kind == "nonsense" for command in understanding.commands)


def choose(by_rules: Understanding, learned: Understanding) -> Understanding:
    """What the learned parser says, if it is convinced, otherwise what the rules say."""
    if learned.confidence < CONVINCED or _is_lost(learned):
        return by_rules
    return learned


#: The parsers by name, for the command line and the configuration.
PARSERS: dict[str, Callable[[], Parser]] = {
    "rules": RuleParser,
    "learned": LearnedParser,
    "combined": CombinedParser,
}
