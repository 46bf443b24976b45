"""From the text form to the command, and messages that are commands in their text form already."""

from __future__ import annotations

from collections.abc import Iterable

from visavis.errors import BadInputError
from visavis.language.commands import edits, effects, inquiries, listing, talk, wishes
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
    listing.Filter,
    listing.Sort,
    listing.Rollback,
    listing.More,
    listing.Fewer,
    listing.Random,
    inquiries.Count,
    inquiries.Describe,
    inquiries.Ask,
    inquiries.Why,
    inquiries.Values,
    inquiries.Compare,
    inquiries.Questions,
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
_FREE = (
    *(wishes.Search, wishes.Refine, wishes.Avoid, wishes.Forget, edits.Remove, talk.Clarify),
    *(inquiries.Ask, inquiries.Count, inquiries.Values),
)


def written_command(message: str) -> Command | None:
    """The command that a message is the exact text form of, or None.

    >>> str(written_command(" rotate 270 ")), written_command("rotate it to the left")
    ('rotate 270', None)
    """
    line = " ".join(message.split())
    try:
        command = parse_command(line)
    except BadInputError:
        return None
    exact = str(command) == line or (str(command).lower() == line.lower() and command.verb == line.split()[0])
    return command if exact and not isinstance(command, _FREE) else None
