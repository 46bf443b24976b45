"""From what a person wrote to edits: a sentence, command lines, or a file of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from visavis.editing.export import Manifest
from visavis.editing.pipeline import edit_names
from visavis.editing.recipe import EditRecipe
from visavis.errors import BadInputError
from visavis.language.base import Parser, default_parser
from visavis.language.commands import Chat, Clarify, Command, Export, Redo, Reset, Undo, parse_command
from visavis.language.commands.edits import Edit
from visavis.language.context import Context

_LONGEST = 80
_STEPS = (Edit, Undo, Redo, Reset)
#: Whatever is said is about the one picture that is there.
_IN_HAND = Context(turns=1, picture=True)
_HELP = "Say what to change, such as: rotate 90 clockwise and raise contrast by 20"


def edits_from_words(text: str, parser: Parser | None = None) -> EditRecipe:
    """The edits that a sentence, or a command in its text form, asks for.

    Raises:
        BadInputError: It asks for something else than an edit, or for nothing that can be understood.
    """
    if not text.strip():
        raise BadInputError("There is nothing to do.", _HELP)
    try:
        return folded([parse_command(text)])
    except BadInputError:
        if _written_as_command().fullmatch(text.strip().lower()):
            raise  # read as a sentence, "crop -5 0 10 10" would lose its sign, and "rotate 400" its error
        understood = (parser or default_parser()).understand(text, _IN_HAND)
    if understood.clarify is not None:
        raise BadInputError(
            f"'{_short(text)}' is not clear: {understood.clarify.question}", _offered(understood.clarify)
        )
    if not understood.commands or any(isinstance(command, Chat) for command in understood.commands):
        raise BadInputError(f"'{_short(text)}' is not understood.", _HELP)
    if any(isinstance(command, Export) for command in understood.commands):
        raise BadInputError(f"'{_short(text)}' also says where to save.", "Leave that out: -o says where to write.")
    if wish := next((command for command in understood.commands if not isinstance(command, _STEPS)), None):
        raise BadInputError(f"'{_short(text)}' asks for something else than an edit ('{wish}').", _HELP)
    return folded(understood.commands)


def _offered(asked: Clarify) -> str:
    """The edits that a question offers, as they can be written down; a search is none here."""
    edits = set(edit_names())
    lines = [line for _, line in asked.options if line and line.split()[0] in edits]
    return f"Write one of: {'; '.join(lines)}." if lines else _HELP


def _short(text: str) -> str:
    """What was said, not longer than an error should be."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def edits_from_file(path: Path) -> EditRecipe:
    """The edits in a file: one command a line, with empty lines and ``#`` comments; or a manifest."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"The file of commands {path} cannot be read: {error}.", "Check the path.") from error
    if text.lstrip().startswith("{"):
        return Manifest.from_json(text, str(path)).recipe
    commands = []
    for number, line in enumerate(text.splitlines(), 1):
        if not (bare := line.strip()) or bare.startswith("#"):
            continue
        try:
            commands.append(parse_command(bare))
        except BadInputError as error:
            raise BadInputError(f"{path}, line {number}: {error.message}", error.remedy) from error
    return folded(commands, str(path))


def folded(commands: Iterable[Command], name: str = "the request") -> EditRecipe:
    """Edits in order, with ``undo``, ``redo`` and ``reset edits`` among them carried out."""
    recipe = EditRecipe()
    for command in commands:
        if isinstance(command, Edit):
            recipe = recipe.then(command)
        elif isinstance(command, Undo):
            recipe = recipe.undo(command.steps)
        elif isinstance(command, Redo):
            recipe = recipe.redo(command.steps)
        elif isinstance(command, Reset) and command.what == "edits":
            recipe = recipe.at(0)
        else:
            raise BadInputError(f"'{command}' in {name} does not change a picture.", _HELP)
    if not recipe.active:
        raise BadInputError(f"No edit is left in {name}.", _HELP)
    return recipe


@cache
def _written_as_command() -> re.Pattern[str]:
    """What commands look like and sentences do not: a name such as adjust_color, or one with nothing but numbers."""
    number = r"[-+]?(?:\d[\d.,:x%e+-]*|nan|inf)"
    names = "|".join(edit_names())
    return re.compile(
        rf'\w+_\w+(?:\s.*)?|(?:{names})(?:\s+{number})+|border\s+{number}\s+\S+|caption\s+"[^"]*"(?:\s+\w+)?'
    )
