"""The command line with a parser that takes commands at their word: ``python written_visavis.py serve ...``.

A message such as ``search red dress`` or ``avoid stripes`` is plain English too, and is left to the network. For tests
of what the page does with an answer it is read as the command that it is the text form of; other messages are read by
the network.
"""

from __future__ import annotations

from visavis.cli.main import main
from visavis.errors import BadInputError
from visavis.language.base import NO_CONTEXT, Understanding
from visavis.language.commands import Clarify, parse_command, parse_commands
from visavis.language.context import Context
from visavis.language.grounding import ground
from visavis.language.parser import NetworkParser

read_by_network = NetworkParser.understand


def read_at_its_word(parser: NetworkParser, message: str, context: Context = NO_CONTEXT) -> Understanding:
    try:
        if message.startswith("clarify "):
            question = parse_command(message)
            assert isinstance(question, Clarify)
            return Understanding((), 1.0, question)
        return Understanding(ground(parse_commands(message), context), 1.0)
    except BadInputError:
        return read_by_network(parser, message, context)


if __name__ == "__main__":
    NetworkParser.understand = read_at_its_word
    main()
