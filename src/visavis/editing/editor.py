"""The editor: a picture and commands in, a new picture out, or a question when it is not sure."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from PIL import Image, ImageChops

from visavis.editing.cutout.cutters import Cutter
from visavis.editing.cutout.cutters import cutter as default_cutter
from visavis.editing.files import mask_preview, reduced, working_form
from visavis.editing.finding.locate import Located, locate
from visavis.editing.finding.phrases import everything_but
from visavis.editing.operations import geometry
from visavis.editing.operations.tone import shallow
from visavis.editing.pipeline import EditRun, Resolver, Tools, UnsureError, read_commands
from visavis.editing.recipe import EditRecipe
from visavis.encoders.base import Encoder
from visavis.language.commands.edits import Edit, Resize, Rotate

#: Below this probability the thing is rather not in the picture.
_UNSEEN = 0.05
#: What a screen shows at once.
PREVIEW_SIDE = 1024


@dataclass(frozen=True)
class EditResult:
    """What came of a list of commands.

    Attributes:
        image: The new picture; after a question, as far as it was sure.
        applied: The commands that were carried out.
        pending: The commands that wait for an answer; empty when everything is done.
        question: What to ask the person, or None.
        preview: The picture with the doubtful thing marked, or None.
        located: Where named things were found, in order.
        seconds: How long it took.
    """

    image: Image.Image
    applied: tuple[Edit, ...]
    pending: tuple[Edit, ...] = ()
    question: str | None = None
    preview: Image.Image | None = None
    located: tuple[Located, ...] = ()
    seconds: float = 0.0

    @property
    def done(self) -> bool:
        """Whether all commands were carried out."""
        return not self.pending

    @property
    def recipe(self) -> EditRecipe:
        """What was carried out, to be replayed on this or any other picture."""
        return EditRecipe(self.applied, len(self.applied))


class Editor:
    """Edits pictures. It keeps no state between calls and never changes a picture that it is given.

    Args:
        encoder: Finds named things ("the dog"); without it, only the subject and the background can be named.
        cutter: Follows outlines; the built-in one when not given.
        resolve: Gives the pictures that commands point at, such as the new background ``#3``.
    """

    def __init__(
        self, encoder: Encoder | None = None, cutter: Cutter | None = None, resolve: Resolver | None = None
    ) -> None:
        self._cutter = cutter
        self._encoder = encoder
        self._resolve = resolve

    @property
    def tools(self) -> Tools:
        """What the commands work with."""
        return Tools(self._encoder, self._cutter or default_cutter(), self._resolve)

    def edit(
        self,
        image: Image.Image,
        commands: Iterable[Edit | str],
        *,
        confirmed: bool = False,
        longest: int | None = None,
        most_pixels: int = geometry.MOST_PIXELS,
    ) -> EditResult:
        """Carry out commands in order.

        Args:
            image: The picture as it came; undo is carrying out fewer commands on it.
            commands: Edit commands, or their text forms.
            confirmed: Go on where a thing was not surely found: the person has seen the preview and agreed.
            longest: The longer side that the picture has after each command at most: it is reduced where a command
                makes it larger, and pixels in the commands that follow are scaled along.
            most_pixels: The largest picture that a command may make.

        Returns:
            The result; with a question and a preview when a named thing was not surely found.

        Raises:
            BadInputError: A command cannot be read or does not fit; nothing was changed.
        """
        started = time.perf_counter()
        wanted = read_commands(commands)
        run = EditRun(working_form(image), self.tools)
        for number in range(len(wanted)):
            _check_growth(run.image.size, wanted[number], longest, most_pixels)
            try:
                factor = _step_within(run, wanted[number], longest, confirmed=confirmed)
            except UnsureError as doubt:
                (thing, mask), sure = _doubtful(doubt.located), doubt.located.confidence
                return EditResult(
                    run.result(image),
                    wanted[:number],
                    wanted[number:],
                    _doubt(thing, sure),
                    mask_preview(reduced(run.image, PREVIEW_SIDE), mask),
                    tuple(run.located),
                    time.perf_counter() - started,
                )
            wanted = _scaled_after(wanted, number, factor)
        return EditResult(run.result(image), wanted, located=tuple(run.located), seconds=time.perf_counter() - started)

    def preview(
        self, image: Image.Image, commands: Iterable[Edit | str], *, longest: int = PREVIEW_SIDE, confirmed: bool = True
    ) -> EditResult:
        """The same at screen size, in a fraction of the time: pixels in the commands are scaled along."""
        small = reduced(image, longest)
        recipe = EditRecipe.of(commands).scaled(small.width / image.width)
        return self.edit(small, recipe.active, confirmed=confirmed, longest=longest)

    def find(self, image: Image.Image, commands: Iterable[Edit | str], *, longest: int | None = None) -> Located:
        """What the last of some commands would touch, or keep, after the others were carried out.

        Args:
            image: The picture.
            commands: Edit commands, or their text forms.
            longest: As in ``edit``.

        Raises:
            BadInputError: A command does not fit, or the last one is about the whole picture.
        """
        wanted = read_commands(commands)
        run = EditRun(working_form(image), self.tools)
        for number in range(len(wanted) - 1):
            wanted = _scaled_after(wanted, number, _step_within(run, wanted[number], longest, confirmed=True))
        return run.find(wanted[-1])

    def locate(self, image: Image.Image, phrase: str) -> Located:
        """Where a named thing is, and how sure that is."""
        return locate(shallow(working_form(image)), phrase, self._encoder, self._cutter)


def _check_growth(size: tuple[int, int], command: Edit, longest: int | None, most: int) -> None:
    """Refuse a command that would make a picture larger than allowed, before it takes the memory."""
    if longest is not None:
        return
    if isinstance(command, Resize):
        geometry.check_size(geometry.size_after(size, command.width, command.height, command.percent), most)
    elif isinstance(command, Rotate):
        geometry.check_size(geometry.size_rotated(size, command.degrees), most)


def _step_within(run: EditRun, command: Edit, longest: int | None, *, confirmed: bool) -> float:
    """Carry out one command on a picture whose longer side stays within a limit; returns the reduction."""
    if longest is None:
        run.step(command, confirmed=confirmed)
        return 1.0
    factor = 1.0
    if isinstance(command, Resize):  # never made larger than it may be, to be reduced then
        size = geometry.size_after(run.image.size, command.width, command.height, command.percent)
        factor = min(1.0, longest / max(size))
        width, height = (max(1, round(side * factor)) for side in size)
        command = Resize(width=width, height=height)
    run.step(command, confirmed=confirmed)
    if max(run.image.size) > longest:
        before = run.image.width
        run.image = reduced(run.image, longest)
        factor *= run.image.width / before
    return factor


def _scaled_after(commands: tuple[Edit, ...], number: int, factor: float) -> tuple[Edit, ...]:
    """The commands, those after the given one for a picture that was reduced by a factor."""
    if factor == 1:
        return commands
    return (*commands[: number + 1], *EditRecipe.of(commands[number + 1 :]).scaled(factor).commands)


def _doubt(thing: str, sure: float) -> str:
    """What to ask where a thing was not surely found; that it is not seen at all, where that is so."""
    if sure < _UNSEEN:
        return f"I do not see “{thing}” here. What comes closest is marked. Shall I go on with it?"
    return f"I am not sure that this is “{thing}” ({sure:.0%}). Shall I go on with what is marked?"


def _doubtful(located: Located) -> tuple[str, Image.Image]:
    """What was looked for and where it seems to be: for "everything but the sky" that is the sky."""
    left_out = everything_but(located.phrase)
    return (left_out, ImageChops.invert(located.mask)) if left_out else (located.phrase, located.mask)
