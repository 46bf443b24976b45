"""How well a reading fits the message: words that it leaves out, values that were not named, deeds not asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from visavis.language.commands import Chat, Clarify, Command, Filter, Remove, ReplaceBackground, Values
from visavis.language.commands.listing import TIMES
from visavis.language.lexicon import word_ranks
from visavis.language.meaning import content_words

#: What a word that a reading leaves out costs, in log probability; fitted on a writer not learned from.
_LEFT_OUT = 0.35
#: ... and a value of an attribute that was not named.
_UNSAID = 2.5
#: Words that carry no wish of their own.
_FILLERS = frozenset(
    "please thanks thank hi hello hey ok okay can could would should will want like need looking look find show get "
    "give let make made put take go going know think feel feels looks see got have has had do does did done don say "
    "said bit little lot kind sort something anything everything someone actually really maybe perhaps rather quite "
    "now then here there what which who how why when where not no nothing but if because all both either still "
    "again back way im id ive its dont cant wont lets yes yeah hmm oh well sorry good nice lovely great better best "
    "sure right".split()
)
_SMALL = frozenset("a an the of on in at to for by from with and or".split())
_GOES_ON = re.compile(r"\s*(?:and|also|plus|then)\b", re.IGNORECASE)
_NUMBER_WORDS = {w: str(n) for n, w in enumerate("zero one two three four five six seven eight nine ten".split())}
#: Words are compared by their beginning: endings change between a message and a command.
_STEM = 4
#: ... and values by less: "Polish" names Poland.
_ROOT = 3


def plausibility(commands: Sequence[Command], message: str) -> float:
    """A factor for the probability of a reading, at most 1."""
    if not commands or isinstance(commands[0], Chat | Clarify):  # small talk and nonsense take up no words
        return 1.0
    written = _words(" ".join(map(str, commands)))
    said = [word for word in content_words(message) if word not in _FILLERS]
    missed = [word for word in said if not _taken_up(word, written) and _NUMBER_WORDS.get(word) not in written]
    spoken = _words(message)
    unsaid = sum(not _named(command, spoken, commands) for command in commands if isinstance(command, Filter | Values))
    unasked = sum(_only_described(command, message) for command in commands)
    if said and missed == said and not any(word in word_ranks() for word in content_words(message)):
        unasked += 1  # "xyzzy": not one word that it could have been read from
    return math.exp(-_LEFT_OUT * len(missed) - _UNSAID * (unsaid + unasked))


def _taken_up(word: str, written: set[str]) -> bool:
    """Whether a word is among the beginnings of others; of a short one the plural may be: cat, cats."""
    return word[:_STEM] in written or (len(word) < _STEM and f"{word}s" in written)


def _only_described(command: Command, message: str) -> bool:
    """Whether a message names a thing and nothing to do with it: "cats on a couch" is no request to remove them.

    "And the bins" goes on with what was done before.
    """
    if not isinstance(command, Remove | ReplaceBackground) or _GOES_ON.match(message):
        return False
    named = _words(str(command).partition(" ")[2])
    return {word for word in _words(message) if word not in _SMALL} <= named


def _words(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"[^\W_]+", text.lower())}


def _named(command: Filter | Values, spoken: set[str], commands: Sequence[Command]) -> bool:
    """Whether a message names a value of a filter, or its attribute; numbers and times are computed.

    A word is said for one thing: the blue of `search blue hat` does not name a pale blue background as well.
    """
    if isinstance(command, Values):
        return bool({word[:_ROOT] for word in _words(command.field)} & {word[:_ROOT] for word in spoken})
    values = [value for value in command.values if isinstance(value, str)]
    if not values or command.field in TIMES:
        return True
    texts = " ".join(str(other).partition(" ")[2] for other in commands if not isinstance(other, Filter))
    free = {word[:_ROOT] for word in spoken} - {word[:_ROOT] for word in _words(texts)}
    named = {word[:_ROOT] for word in _words(" ".join((command.field, *values)))}
    return bool(named & free) or any(value[0].isdigit() for value in values)
