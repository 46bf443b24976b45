"""A simulated user that answers from the encoder's view of the target.

It must not win by sharing vectors with a questioner that uses the same encoder. So it uses another crop of the picture
than the one in the index, prompts of its own, and thresholds from a sample of other pictures, not of the
gallery's candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PIL import Image, ImageOps

from visavis.encoders.base import Encoder, FloatArray
from visavis.errors import NotFoundError
from visavis.lab.simulation.base import DONT_KNOW, NO, NOTHING_ELSE, YES, Asked, SimulatedUser, Strength, read_question
from visavis.questions.contents import COLOURS

#: Its own prompt; the questioner's is "a photo of ...".
_PROMPTS = ("this image contains {x}", "a snapshot in which one sees {x}")
_NUMBERS = ("one", "two", "three", "many")
#: Standard deviations above the mean at which the answer is yes, and the width of "I cannot tell" around it.
_YES_FROM, _UNSURE = 1.8, 0.15


def other_view(image: Image.Image) -> Image.Image:
    """Return the user's view: mirrored, and cropped by a twentieth on each side."""
    width, height = image.size
    inner = (width // 20, height // 20, width - width // 20, height - height // 20)
    return ImageOps.mirror(image.convert("RGB").crop(inner))


class ModelUser(SimulatedUser):
    """Answers yes/no, choice, colour and number questions from the view; volunteers nothing."""

    name = "model"

    def __init__(
        self,
        encoder: Encoder,
        views: Mapping[str, FloatArray],
        world: FloatArray,
        describe: Callable[[str], str],
        strength: Strength | None = None,
    ) -> None:
        """Set up the user.

        Args:
            encoder: Encodes the questions.
            views: The vector of :func:`other_view` of each target.
            world: ``[n, d]``: vectors of other views of pictures that are not targets, as a reference.
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
        """Return the given opening."""
        return self._describe(target)

    def compare(self, shown: Sequence[str], target: str) -> str:  # noqa: ARG002
        """Return the opening again: it cannot describe differences."""
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
                return self._best(COLOURS, [f"{colour} {reading.about}" for colour in COLOURS], target)
            case "count":
                return self._best(_NUMBERS, [f"{number} {reading.about}" for number in _NUMBERS], target)
            case "open":
                return NOTHING_ELSE
            case _:
                return DONT_KNOW

    def _best(self, answers: Sequence[str], phrases: Sequence[str], target: str) -> str:
        return answers[int(np.argmax([self._above(phrase, target) for phrase in phrases]))]

    def _above(self, phrase: str, target: str) -> float:
        """Return the target's match with a phrase above the mean, in standard deviations."""
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
