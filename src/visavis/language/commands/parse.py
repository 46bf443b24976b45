"""From the text form to the command, and messages that are commands in their text form already."""

from __future__ import annotations

import re
from collections.abc import Iterable

from visavis.errors import BadInputError
from visavis.language.commands import edits, effects, talk, wishes
from visavis.language.commands.base import LONGEST_TEXT, Command

#: Every kind of command, in the order in which the documentation lists them.
KINDS: tuple[type[Command], ...] = (
    wishes.Search,
    wishes.Refine,
    wishes.Avoid,
    wishes.Forget,
    wishes.Answer,
    wishes.Keep,
    wishes.Like,
    wishes.Unlike,
    wishes.Select,
    wishes.Filter,
    wishes.Sort,
    wishes.Rollback,
    wishes.More,
    wishes.Fewer,
    wishes.Random,
    talk.Count,
    talk.Describe,
    talk.Ask,
    talk.Why,
    talk.Values,
    talk.Compare,
    talk.Questions,
    edits.Rotate,
    edits.AdjustAttr,
    edits.AdjustColor,
    edits.Crop,
    edits.ImageCutout,
    edits.Flip,
    edits.Resize,
    edits.ReplaceBackground,
    effects.Straighten,
    effects.Blur,
    effects.Sepia,
    effects.Vignette,
    effects.Grayscale,
    effects.Invert,
    effects.Enhance,
    effects.Border,
    effects.Caption,
    edits.Recolor,
    edits.Remove,
    talk.Undo,
    talk.Redo,
    talk.Reset,
    talk.Repeat,
    talk.Export,
    talk.Chat,
    talk.Clarify,
)

_BY_VERB = {kind.verb: kind for kind in KINDS}

#: Room for a text, a target and the options of a question.
_LONGEST_COMMAND = 8 * LONGEST_TEXT


def parse_command(text: str) -> Command:
    """Read one command from its text form.

    Args:
        text: One line, such as ``rotate 270`` or ``keep colour @2``.

    Returns:
        The command; ``str`` of it gives the text form back.

    Raises:
        BadInputError: The line is not a command, or one of its arguments is out of range.
    """
    if len(text) > _LONGEST_COMMAND:
        raise BadInputError(f"A command of {len(text)} characters is too long.", f"Use at most {_LONGEST_COMMAND}.")
    verb, _, arguments = text.strip().partition(" ")
    kind = _BY_VERB.get(verb)
    if kind is None:
        raise BadInputError(f"'{verb}' is no command.", f"Commands are: {', '.join(_BY_VERB)}.")
    return kind.read(arguments.strip())


#: What stands between several commands on one line.
SEPARATOR = " ; "


def parse_commands(text: str) -> tuple[Command, ...]:
    """Read several commands from one line, as the options of a question hold them.

    >>> [str(command) for command in parse_commands("select #3 ; flip horizontal")]
    ['select #3', 'flip horizontal']
    """
    return tuple(parse_command(part) for part in text.split(SEPARATOR) if part.strip())


def commands_text(commands: Iterable[Command]) -> str:
    """The inverse of ``parse_commands``."""
    return SEPARATOR.join(str(command).replace(SEPARATOR, ", ") for command in commands)


#: What reads like plain English ("remove the man", "count me in") is left to the network.
_FREE = (wishes.Forget, edits.Remove, talk.Clarify, talk.Ask, talk.Count, talk.Values)
#: ... and of these what is more than a plain description: "search the second one", "avoid people please".
_DESCRIBED = (wishes.Search, wishes.Refine, wishes.Avoid)
#: Words that point, speak to somebody, exclude, compare or join: a description written as a command has none.
_TALK = frozenset(
    "a an the my your our his her its their this that these those it them me you i we us one ones some any every all "
    "for again more less back please pls thanks instead but not no without except only just first second third last "
    "next previous number under over below above between than cheaper like if so then and or to by using through "
    "search refine avoid find show".split()
)
_PLAIN = re.compile(r"[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*(?: [^\W\d_]+(?:[-'\u2019][^\W\d_]+)*)*")


def written_command(message: str) -> Command | None:
    """The command that a message is the exact text form of, or None.

    >>> str(written_command(" rotate 270 ")), written_command("rotate it to the left")
    ('rotate 270', None)
    >>> str(written_command("search red dress")), written_command("search the second one")
    ('search red dress', None)
    """
    line = " ".join(message.split())
    try:
        command = parse_command(line)
    except BadInputError:
        return None
    if isinstance(command, _DESCRIBED) and not _is_description(line, command.verb, command.text):
        return None
    exact = str(command) == line or (str(command).lower() == line.lower() and command.verb == line.split()[0])
    return command if exact and not isinstance(command, _FREE) else None


def _is_description(line: str, verb: str, text: str) -> bool:
    """Whether a line is a verb in small letters and then nothing but words that describe."""
    plain = text.lower()
    return line.startswith(f"{verb} ") and bool(_PLAIN.fullmatch(plain)) and not _TALK & set(plain.split())
