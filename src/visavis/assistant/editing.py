"""Edits in a conversation: the picture in hand changes, the collection gains a picture, nothing is lost."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from visavis.conversation.turns import Hand
from visavis.errors import BadInputError
from visavis.language.commands import Edit, parse_command
from visavis.pictures.picture import Details, Origin, Picture

if TYPE_CHECKING:
    from visavis.collections.collection import Collection
    from visavis.editing.editor import Editor, EditResult


@dataclass(frozen=True)
class Edited:
    """What came of edits.

    Attributes:
        hand: The picture in hand then.
        applied: What was carried out.
        pending: What waits for an answer.
        question: What to ask.
    """

    hand: Hand
    applied: tuple[Edit, ...]
    pending: tuple[Edit, ...] = ()
    question: str | None = None


class Workshop:
    """Edits pictures of one collection and takes the results in."""

    def __init__(self, collection: Collection, editor: Editor | None = None) -> None:
        self._collection = collection
        self._editor = editor

    def editor(self, shown: Sequence[str] = ()) -> Editor:
        """The editor that was handed over, or one that knows the pictures on the table by their places."""
        if self._editor is not None:
            return self._editor
        from visavis.editing.editor import Editor

        return Editor(self._collection.encoder, resolve=lambda name: self._resolve(name, shown))

    def hold(self, id: str) -> Hand:
        """A picture taken in hand; one that was made by editing remembers how."""
        picture = self._collection.picture(id)
        if picture.origin is None:
            return Hand(picture.id, picture.id)
        return Hand(picture.id, picture.origin.source_id, picture.origin.commands)

    def edit(self, hand: Hand, edits: Sequence[Edit], shown: Sequence[str] = (), *, confirmed: bool = False) -> Edited:
        """Carry out edits on the picture in hand.

        The result is a new picture of the collection, which knows the picture it came from and all edits since.
        """
        image = self._collection.open_image(hand.picture, keep_alpha=True)
        result = self.editor(shown).edit(image, edits, confirmed=confirmed)
        if not result.applied:
            return Edited(hand, (), result.pending, result.question)
        lines = (*hand.edits, *(str(command) for command in result.applied))
        picture = self._take_in(result, hand.source, lines)
        return Edited(Hand(picture.id, hand.source, lines), result.applied, result.pending, result.question)

    def export(self, hand: Hand, folder: Path, name: str | None) -> Path:
        """Write the picture in hand at full size into a folder, never over a file that is there."""
        from visavis.editing.files import format_of, save_file

        image = self._collection.open_image(hand.picture, keep_alpha=True)
        wanted = Path(name or f"{hand.picture[:8]}.png").name  # a name, not a way out of the folder
        path = folder / (wanted if Path(wanted).suffix else f"{wanted}.png")
        format_of(path)
        number = 1
        free = path
        while free.exists():
            number += 1
            free = path.with_stem(f"{path.stem}-{number}")
        save_file(image, free)
        return free

    def _take_in(self, result: EditResult, source: str, lines: tuple[str, ...]) -> Picture:
        """PNG keeps every pixel and the transparency, so that a further edit starts from what was seen."""
        file = io.BytesIO()
        result.image.save(file, "PNG", compress_level=1)
        original = self._collection.catalogue.picture(source)
        details = Details(original.captions, original.attributes) if original else Details()
        return self._collection.add(file.getvalue(), origin=Origin(source, lines), details=details)

    def _resolve(self, name: str, shown: Sequence[str]) -> Image.Image:
        """The picture that a command points at: ``#3``."""
        number = name.removeprefix("#")
        if name.startswith("#") and number.isdigit() and 1 <= int(number) <= len(shown):
            return self._collection.open_image(shown[int(number) - 1], keep_alpha=True)
        raise BadInputError(f"There is no picture {name} here.", "Point at one that is shown, such as #3.")


def read_edits(lines: Sequence[str]) -> tuple[Edit, ...]:
    """Edits from their text forms."""
    return tuple(command for command in map(parse_command, lines) if isinstance(command, Edit))
