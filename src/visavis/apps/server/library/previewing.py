"""Edits at screen size, fast enough to follow a slider."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from PIL import Image

from visavis.apps.server.library.opened import Opened
from visavis.editing.editor import Editor, EditResult
from visavis.editing.preview import reduced
from visavis.editing.recipe import EditRecipe
from visavis.errors import BadInputError

#: Reduced pictures that are kept: the ones that people have sliders under.
_KEPT = 24


class Previews:
    """Previews of edits; the reduced pictures are kept, because a slider asks many times for the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, int], tuple[Image.Image, float]] = OrderedDict()
        self._lock = Lock()

    def make(
        self, opened: Opened, id: str, commands: Sequence[str], size: int, shown: Sequence[str], *, confirmed: bool
    ) -> EditResult:
        """What edits would make of a picture; nothing is stored.

        Args:
            opened: The collection.
            id: The picture.
            commands: The edits in their text forms; pixels in them are those of the full picture.
            size: The longest side.
            shown: The pictures that ``#1``, ``#2`` ... mean.
            confirmed: Whether to go on where a thing was not surely found.
        """
        recipe = EditRecipe.of(commands)
        small, scale = self._reduced(opened, id, size)

        def resolve(name: str) -> Image.Image:
            number = name.removeprefix("#")
            if name.startswith("#") and number.isdigit() and 1 <= int(number) <= len(shown):
                return self._reduced(opened, shown[int(number) - 1], size)[0]
            raise BadInputError(f"There is no picture {name} here.", "Point at one that is shown, such as #3.")

        editor = Editor(opened.collection.encoder, resolve=resolve)
        return editor.edit(small, recipe.scaled(scale).active, confirmed=confirmed)

    def _reduced(self, opened: Opened, id: str, size: int) -> tuple[Image.Image, float]:
        key = (opened.name, id, size)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        image = opened.bare.open_image(id, keep_alpha=True)
        small = reduced(image, size)
        made = (small, small.width / image.width)
        with self._lock:
            self._kept[key] = made
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made
