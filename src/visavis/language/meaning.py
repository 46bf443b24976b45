"""Whether commands mean the same although they are not written alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

from visavis.language.commands import Answer, Ask, Avoid, Command, Count, Forget, Keep, Refine, Remove, Search

#: Words of a description that do not count.
LITTLE_WORDS = frozenset(
    "a an the of in on at to for with and or some any that this these those it its is are be been was were there "
    "my your his her their our i you we they he she me them us so very really just only also please maybe "
    "more from by as into onto than then too much one ones thing things picture pictures photo photos image images "
    "pic pics shot shots".split()
)
#: Descriptions are the same from this overlap of their words on.
ENOUGH = 0.6
_DESCRIPTIONS = Search | Refine | Avoid | Forget | Answer | Keep | Count | Ask | Remove


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and re.search(r"(?:s|x|z|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def content_words(text: str) -> frozenset[str]:
    """The words of a description that count: no little words, plurals folded; all of them where none would be left.

    >>> sorted(content_words("the Dresses with lace"))
    ['dress', 'lace']
    """
    words = re.findall(r"[^\W_]+", text.lower().replace("'s", ""))
    counted = frozenset(_singular(word) for word in words if word not in LITTLE_WORDS)
    return counted or frozenset(words)


def overlap(one: str, other: str) -> float:
    """Shared words of two descriptions over all their words."""
    first, second = content_words(one), content_words(other)
    return len(first & second) / len(first | second) if first | second else 1.0


def _described(command: Command) -> tuple[str, str]:
    """The free text of a command, and the rest of it."""
    match command:
        case Keep():
            return command.attribute, str(command.source)
        case Remove():
            return command.target or "", ""
        case Count():
            return command.text or "", "all" if command.text is None else ""
    return getattr(command, "text", ""), ""


def normal(command: Command) -> str:
    """The text form without what does not matter: case, quotes, spaces."""
    return re.sub(r"[\s\"]+", " ", str(command).lower()).strip()


def same_command(one: Command, other: Command) -> bool:
    """Whether two commands mean the same."""
    if type(one) is not type(other):
        return False
    if not isinstance(one, _DESCRIPTIONS):
        return normal(one).replace(" ", "") == normal(other).replace(" ", "")
    (text, rest), (other_text, other_rest) = _described(one), _described(other)
    return rest == other_rest and overlap(text, other_text) >= ENOUGH


def same_commands(one: Sequence[Command], other: Sequence[Command]) -> bool:
    """Whether two lists of commands mean the same."""
    return len(one) == len(other) and all(map(same_command, one, other))
