"""A user who looks: answers from the encoder's view of the target itself.

It must not win by sharing numbers with a questioner that uses the same encoder. So it sees another cut of the picture
than the one in the index, puts every question in words of its own, and judges by a sample of the world, not by the
gallery's candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PIL import Image, ImageOps

from visavis.encoders.base import Encoder, FloatArray
from visavis.errors import NotFoundError
from visavis.simulation.base import DONT_KNOW, NO, NOTHING_ELSE, YES, Asked, SimulatedUser, Strength
from visavis.simulation.form import read_question

#: Words of its own; the questioner says "a photo of ..." to the encoder.
_PROMPTS = ("this image contains {x}", "a snapshot in which one sees {x}")
_COLOURS = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown")
_NUMBERS = ("one", "two", "three", "many")
#: Spreads above the world's mean at which a person begins to say yes, and how wide "I cannot tell" is around it.
_YES_FROM, _UNSURE = 1.8, 0.15


def other_view(image: Image.Image) -> Image.Image:
    """The picture as the user sees it: mirrored, and without its outer twentieth on each side."""
    width, height = image.size
    inner = (width // 20, height // 20, width - width // 20, height - height // 20)
    return ImageOps.mirror(image.convert("RGB").crop(inner))


class ModelUser(SimulatedUser):
    """Answers yes/no, choice, colour and number questions about what it sees; tells nothing of its own accord."""

    name = "model"

    def __init__(
        self,
        encoder: Encoder,
        views: Mapping[str, FloatArray],
        world: FloatArray,
        describe: Callable[[str], str],
        strength: Strength | None = None,
    ) -> None:
        """Make one.

        Args:
            encoder: Gives words their vectors.
            views: The vector of :func:`other_view` of each target.
            world: ``[n, d]``: vectors of other views of pictures that are no targets: what is ordinary.
            describe: The opening description of a target.
            strength: How good it is.
        """
        super().__init__(strength)
        self._encoder = encoder
        self._views = views
        self._world = world
        self._describe = describe
        self._known: dict[str, FloatArray] = {}

    def describe(self, target: str) -> str:
        """What it was given to say."""
        return self._describe(target)

    def compare(self, shown: Sequence[str], target: str) -> str:  # noqa: ARG002
        """It cannot put differences into words: it describes what it wants."""
        return self._describe(target)

    def _reply(self, question: Asked, target: str, said: Sequence[str]) -> str:  # noqa: ARG002
        reading = read_question(question.text, question.options, bool(question.pictures))
        match reading.form:
            case "exists" | "is":
                above = self._above(reading.about, target) - _YES_FROM
                return DONT_KNOW if abs(above) < _UNSURE else YES if above > 0 else NO
            case "choice":
                return self._best(question.options, question.options, target)
            case "colour":
                return self._best(_COLOURS, [f"{colour} {reading.about}" for colour in _COLOURS], target)
            case "count":
                return self._best(_NUMBERS, [f"{number} {reading.about}" for number in _NUMBERS], target)
            case "open":
                return NOTHING_ELSE
            case _:
                return DONT_KNOW

    def _best(self, answers: Sequence[str], phrases: Sequence[str], target: str) -> str:
        return answers[int(np.argmax([self._above(phrase, target) for phrase in phrases]))]

    def _above(self, phrase: str, target: str) -> float:
        """How far the target matches a phrase above the ordinary, in spreads of the world."""
        if target not in self._views:
            raise NotFoundError(f"The user has not seen the picture {target}.", "Give its view.")
        vector = self._vector(phrase)
        ordinary = self._world @ vector
        return float((self._views[target] @ vector - ordinary.mean()) / max(float(ordinary.std()), 1e-6))

    def _vector(self, phrase: str) -> FloatArray:
        if phrase not in self._known:
            vectors = self._encoder.encode_texts([prompt.format(x=phrase) for prompt in _PROMPTS])
            mean = vectors.mean(axis=0)
            self._known[phrase] = np.asarray(mean / np.linalg.norm(mean), np.float32)
        return self._known[phrase]
