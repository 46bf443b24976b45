"""A list of edits with a position: undo and redo move the position."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from visavis.editing.pipeline import read_commands
from visavis.errors import BadInputError
from visavis.language.commands import Border, Crop, Resize
from visavis.language.commands.edits import Edit


@dataclass(frozen=True)
class EditRecipe:
    """Edits that can be applied to any picture, any number of times.

    A recipe is a value: every method returns a new one.

    Attributes:
        commands: All edits, also those that were undone and can be redone.
        position: How many of them are active.
    """

    commands: tuple[Edit, ...] = ()
    position: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.position <= len(self.commands):
            raise BadInputError(f"There is no step {self.position}.", f"Use 0 to {len(self.commands)}.")

    @classmethod
    def of(cls, commands: Iterable[Edit | str]) -> EditRecipe:
        """Create a recipe in which all of the commands are active."""
        read = read_commands(commands)
        return cls(read, len(read))

    @property
    def active(self) -> tuple[Edit, ...]:
        """The active edits, in order."""
        return self.commands[: self.position]

    def then(self, *commands: Edit | str) -> EditRecipe:
        """Append edits; undone ones are dropped from the new recipe."""
        return EditRecipe.of((*self.active, *commands))

    def undo(self, steps: int = 1) -> EditRecipe:
        """Undo the last steps."""
        return self._moved(-steps, "undo")

    def redo(self, steps: int = 1) -> EditRecipe:
        """Redo undone steps."""
        return self._moved(steps, "redo")

    def at(self, position: int) -> EditRecipe:
        """Move to any step: 0 is the original picture."""
        return replace(self, position=position)

    def scaled(self, factor: float) -> EditRecipe:
        """Scale the edits for a copy of the picture in another size: what is given in pixels is scaled."""
        return replace(self, commands=tuple(_scaled(command, factor) for command in self.commands))

    def _moved(self, steps: int, verb: str) -> EditRecipe:
        target = self.position + steps
        if not 0 <= target <= len(self.commands):
            left = self.position if steps < 0 else len(self.commands) - self.position
            raise BadInputError(f"There are {left} steps to {verb}, not {abs(steps)}.", f"Use {verb} {left} at most.")
        return self.at(target)


def _scaled(command: Edit, factor: float) -> Edit:
    def pixels(value: int, least: int = 1) -> int:
        return max(least, round(value * factor))

    if isinstance(command, Crop) and command.box is not None:
        left, top, right, bottom = command.box
        left, top = pixels(left, 0), pixels(top, 0)
        return replace(command, box=(left, top, max(left + 1, pixels(right)), max(top + 1, pixels(bottom))))
    if isinstance(command, Border):
        return replace(command, width=min(1000, pixels(command.width)))
    if isinstance(command, Resize) and command.percent is None:
        width, height = (None if side is None else pixels(side) for side in (command.width, command.height))
        return replace(command, width=width, height=height)
    return command
