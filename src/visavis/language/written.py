"""Messages that are commands already, in their text form: read exactly, without the network."""

from __future__ import annotations

from visavis.errors import BadInputError
from visavis.language.commands import (
    Ask,
    Avoid,
    Clarify,
    Command,
    Count,
    Forget,
    Refine,
    Remove,
    Search,
    Values,
    parse_command,
)

#: What reads like plain English ("remove the man", "count me in") is left to the network.
_FREE = (Search, Refine, Avoid, Forget, Ask, Count, Remove, Values, Clarify)


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
