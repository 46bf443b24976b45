"""Carrying out edit commands one after the other on a working copy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from PIL import Image, ImageChops

from visavis.editing.cutout.cutters import Cutter
from visavis.editing.files import working_form
from visavis.editing.finding.corrections import corrected
from visavis.editing.finding.kinds import is_of_one_piece
from visavis.editing.finding.locate import Located, locate
from visavis.editing.finding.phrases import names_a_thing, read_phrase
from visavis.editing.operations import layers, recolour
from visavis.editing.operations.tone import deep_edit, is_deep, shallow
from visavis.editing.table import OPERATIONS, Operation, colour_of
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, VisavisError
from visavis.language.commands import AdjustColor, Border, Recolor, ReplaceBackground, parse_command
from visavis.language.commands.base import SELECTION
from visavis.language.commands.edits import Edit

#: Gives the picture that a command points at: ``#3`` or ``this``, a path or a description.
Resolver = Callable[[str], Image.Image]


@dataclass(frozen=True)
class Tools:
    """What some commands need beside the picture.

    Attributes:
        encoder: Finds named things; without it only the subject and the background can be meant.
        cutter: Follows outlines; the default one when not given.
        resolve: Gives the pictures that commands point at.
    """

    encoder: Encoder | None = None
    cutter: Cutter | None = None
    resolve: Resolver | None = None


class UnsureError(VisavisError):
    """A command was not carried out, because the thing that it is about was not surely found."""

    def __init__(self, located: Located, command: Edit) -> None:
        super().__init__(
            f"It is not sure that '{located.phrase}' was found (confidence {located.confidence:.2f}), "
            f"so '{command}' was not carried out.",
            "Look at what was found, then confirm it; or say more exactly what is meant.",
        )
        self.located = located


@dataclass
class EditRun:
    """One picture on its way through a list of commands."""

    image: Image.Image
    tools: Tools = field(default_factory=Tools)
    located: list[Located] = field(default_factory=list)

    def step(self, command: Edit, *, confirmed: bool) -> None:
        """Carry out one command.

        Raises:
            UnsureError: The thing was not surely found, and nobody confirmed it.
            BadInputError: The command does not fit the picture.
        """
        operation = operation_for(command)
        if is_deep(self.image):
            if (deep := deep_edit(command)) is not None:
                self.image = deep(self.image, command)
                return
            self.image = shallow(self.image)
        if command.target is None and operation.whole is not None:
            self.image = operation.whole(self.image, command)
            return
        # Before the long search: a command that cannot be carried out should say so at once.
        ground = self._ground(command) if isinstance(command, ReplaceBackground) else None
        found = self.find(command)
        self.located.append(found)
        if found.confidence < operation.sure and not confirmed:
            raise UnsureError(found, command)
        if ground is not None:
            self.image = layers.over_picture(self.image, found.mask, ground)
        else:
            assert operation.part is not None, "checked when the command was read"
            self.image = operation.part(self.image, command, found.mask)

    def find(self, command: Edit) -> Located:
        """What a command would touch, or keep, of the picture as it is now, with its corrections by hand.

        Raises:
            BadInputError: It is about the whole picture, or about a selection in which nothing is marked.
        """
        operation = operation_for(command)
        if operation.part is None or (command.target is None and operation.whole is not None):
            raise BadInputError(f"'{operation.name}' is about the whole picture here.", "Name a thing in it.")
        image, target = shallow(self.image), command.target or "subject"
        if target != SELECTION:
            found = locate(image, target, self.tools.encoder, self.tools.cutter)
        elif command.marks:
            found = Located(target, Image.new("L", image.size, 0), 1.0)
        else:
            raise BadInputError("Nothing is selected.", "Mark it on the picture, or name a thing.")
        mask = found.mask
        if operation.inverse and _is_background(target):
            mask = ImageChops.invert(mask)
        if isinstance(command, Recolor) and mask.getbbox():
            whole = is_of_one_piece(target, image, mask, self.tools.encoder)
            mask = recolour.painted_part(image, mask, target, whole=whole)
        if not command.marks:
            return replace(found, mask=mask)
        # Who corrected it has seen it.
        mask = corrected(image, mask, command.marks, self.tools.encoder, self.tools.cutter)
        return replace(found, mask=mask, confidence=1.0)

    def result(self, given: Image.Image) -> Image.Image:
        """The picture as it is now, and never the one that was given: that one belongs to the caller."""
        return self.image.copy() if self.image is given else self.image

    def _ground(self, command: ReplaceBackground) -> Image.Image | None:
        """The picture to put behind, or None when the command gives a colour."""
        name = str(command.background)
        if isinstance(command.background, str):
            try:
                colour_of(name)
            except BadInputError:
                if self.tools.resolve is None:
                    raise
            else:
                return None
        if self.tools.resolve is None:
            raise BadInputError(f"The picture {name} is not known here.", "Give a colour, or the path of a picture.")
        return shallow(working_form(self.tools.resolve(name)))


def apply(
    image: Image.Image, commands: Iterable[Edit | str], tools: Tools | None = None, *, confirmed: bool = False
) -> Image.Image:
    """Carry out commands in order and return a new picture; the one given is never changed.

    Args:
        image: Any picture that Pillow holds.
        commands: Edit commands, or their text forms.
        tools: What named things and other pictures need.
        confirmed: Whether things that were not surely found may be changed nevertheless.

    Raises:
        UnsureError: A thing was not surely found.
        BadInputError: One of the commands cannot be carried out; nothing is returned then.
    """
    wanted = read_commands(commands)
    run = EditRun(working_form(image), tools or Tools())
    for command in wanted:
        run.step(command, confirmed=confirmed)
    return run.result(image)


def read_commands(commands: Iterable[Edit | str]) -> tuple[Edit, ...]:
    """Edit commands from their text forms; every one is checked before the first is carried out."""
    return tuple(_read(command) for command in commands)


def operation_for(command: Edit) -> Operation:
    """The table's row for a command."""
    operation = OPERATIONS.get(type(command))
    if operation is None:
        raise BadInputError(
            f"'{command.verb}' is no edit that is known here.", f"Edits are: {', '.join(edit_names())}."
        )
    return operation


def edit_names() -> Sequence[str]:
    """The first words of all edit commands."""
    return [operation.name for operation in OPERATIONS.values()]


def needs_encoder(command: Edit) -> bool:
    """Whether a command names a thing, or has a click that means whatever is seen at a place."""
    named = command.target != SELECTION and names_a_thing(command.target)
    return named or any(mark.radius is None for mark in command.marks)


def _read(command: Edit | str) -> Edit:
    parsed = parse_command(command) if isinstance(command, str) else command
    if not isinstance(parsed, Edit):
        raise BadInputError(f"'{parsed}' does not change a picture.", f"Edits are: {', '.join(edit_names())}.")
    operation = operation_for(parsed)
    if parsed.target is not None and operation.part is None:
        raise BadInputError(
            f"'{operation.name}' works on the whole picture, not on '{parsed.target}' alone.",
            f"Leave out 'on {parsed.target}'.",
        )
    if isinstance(parsed, AdjustColor | Border | Recolor):
        colour_of(parsed.colour if isinstance(parsed, Border) else parsed.name)
    return parsed


def _is_background(target: str) -> bool:
    return read_phrase(target).background
