"""Classification without training: each class becomes the mean of sentences that name it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import Encoder, FloatArray
from visavis.encoders.regions import unit

#: Sentences that a picture's caption might be; averaging them makes up for the chance of a single wording.
PROMPTS = (
    "a photo of a {}",
    "a picture of a {}",
    "a close-up photo of a {}",
    "a photo of the {}",
    "there is a {} in the picture",
    "{}",
)
_VOWELS = tuple("aeiou")


def class_sentences(name: str) -> list[str]:
    """The sentences of a class, with the right article.

    >>> class_sentences("apple")[0]
    'a photo of an apple'
    """
    prompts = [p.replace("a {}", "an {}") for p in PROMPTS] if name.lower().startswith(_VOWELS) else PROMPTS
    return [prompt.format(name) for prompt in prompts]


def class_vectors(encoder: Encoder, classes: Sequence[str]) -> FloatArray:
    """One unit vector a class."""
    sentences = [sentence for name in classes for sentence in class_sentences(name)]
    vectors = encoder.encode_texts(sentences).reshape(len(classes), len(PROMPTS), encoder.dimension)
    return unit(vectors.mean(axis=1))


def accuracies(images: FloatArray, classes: FloatArray, labels: Sequence[int]) -> dict[str, float]:
    """Per cent of pictures whose class comes first or among the first five, and the mean of the classes' own rates."""
    truth = np.asarray(labels, np.int64)
    if not len(truth):
        return {"accuracy": 0.0, "top5": 0.0, "mean_class_accuracy": 0.0}
    order = np.argsort(-(images @ classes.T), axis=1, kind="stable")[:, :5]
    hits = order == truth[:, None]
    return {
        "accuracy": _percent(hits[:, 0]),
        "top5": _percent(hits.any(axis=1)),
        "mean_class_accuracy": round(float(np.mean([100 * hits[truth == c, 0].mean() for c in np.unique(truth)])), 2),
    }


def _percent(hits: NDArray[np.bool_]) -> float:
    return round(100 * float(hits.mean()), 2)
