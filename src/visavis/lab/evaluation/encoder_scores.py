"""The scores of an encoder on a data set: retrieval where it has captions, classification where it has classes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import Encoder, FloatArray
from visavis.encoders.inputs import unit
from visavis.errors import BadInputError
from visavis.lab.datasets.base import CaptionedSet, LabelledSet
from visavis.lab.evaluation.metrics import median_rank, recalls, target_ranks
from visavis.lab.evaluation.vectors import Embedder

#: Prompt templates, averaged to reduce the variance of a single wording.
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
    """Return the prompts of a class, with the right article.

    >>> class_sentences("apple")[0]
    'a photo of an apple'
    """
    prompts = [p.replace("a {}", "an {}") for p in PROMPTS] if name.lower().startswith(_VOWELS) else PROMPTS
    return [prompt.format(name) for prompt in prompts]


def class_vectors(encoder: Encoder, classes: Sequence[str]) -> FloatArray:
    """Return one unit vector a class."""
    sentences = [sentence for name in classes for sentence in class_sentences(name)]
    vectors = encoder.encode_texts(sentences).reshape(len(classes), len(PROMPTS), encoder.dimension)
    return unit(vectors.mean(axis=1))


def accuracies(images: FloatArray, classes: FloatArray, labels: Sequence[int]) -> dict[str, float]:
    """Return top-1 and top-5 accuracy in per cent, and the mean per-class accuracy."""
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


#: Called with the number of pictures or texts that were done since.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class QueryCaptions:
    """Which captions are queries.

    Attributes:
        least: A picture with fewer captions is no target; it stays in the gallery.
        most: At most so many captions of a picture are queries.
    """

    least: int = 1
    most: int = 5


def score_encoder(
    encoder: Encoder,
    data: CaptionedSet | LabelledSet,
    *,
    cache: Path | None = None,
    questions: QueryCaptions | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure an encoder.

    Args:
        encoder: The encoder.
        data: Pictures with captions (text to image retrieval) or with classes (zero-shot classification).
        cache: A folder to cache vectors between runs.
        questions: Which captions are queries, for pictures with captions.
        on_progress: Called with "pictures" or "texts", how many are done, and how many there are.

    Returns:
        The scores in percent with the sizes they depend on; ``visavis bench encoder --json`` prints it.
    """
    started = time.perf_counter()
    report = on_progress or (lambda _kind, _done, _total: None)
    embedder = Embedder(encoder, cache)
    paths = [picture.path for picture in data.pictures]
    images = embedder.pictures(paths, _counter("pictures", len(paths), report))
    readable = np.asarray(~np.isnan(images).any(axis=1), np.bool_)
    if not readable.any():
        raise BadInputError(f"None of the {len(paths)} pictures of {data.name} can be read.")
    if isinstance(data, LabelledSet):
        scores = _zero_shot(encoder, data, images, readable)
    else:
        scores = _retrieval(data, images, readable, embedder, questions or QueryCaptions(), report)
    return {
        "encoder": encoder.name,
        "data": data.name,
        **scores,
        "unreadable": int((~readable).sum()),
        "seconds": round(time.perf_counter() - started, 2),
    }


def _retrieval(
    data: CaptionedSet,
    images: FloatArray,
    readable: NDArray[np.bool_],
    embedder: Embedder,
    questions: QueryCaptions,
    report: Progress,
) -> dict[str, Any]:
    gallery = [picture for picture, fine in zip(data.pictures, readable, strict=True) if fine]
    asked = [
        (place, caption)
        for place, picture in enumerate(gallery)
        if len(picture.captions) >= questions.least
        for caption in picture.captions[: questions.most]
    ]
    texts = [caption for _, caption in asked]
    queries = embedder.texts(texts, _counter("texts", len(texts), report))
    ranks = target_ranks(queries, images[readable], [place for place, _ in asked])
    return {
        "task": "text to image",
        "gallery": len(gallery),
        "queries": len(asked),
        **recalls(ranks),
        "median_rank": median_rank(ranks),
        "absent": data.absent,
    }


def _zero_shot(encoder: Encoder, data: LabelledSet, images: FloatArray, readable: NDArray[np.bool_]) -> dict[str, Any]:
    labels: Sequence[int] = [p.label for p, fine in zip(data.pictures, readable, strict=True) if fine]
    return {
        "task": "zero-shot",
        "gallery": len(labels),
        "classes": len(data.classes),
        "prompts": len(PROMPTS),
        **accuracies(images[readable], class_vectors(encoder, data.classes), labels),
    }


def _counter(kind: str, total: int, report: Progress) -> Callable[[int], None]:
    done = 0
    report(kind, 0, total)

    def count(more: int) -> None:
        nonlocal done
        done += more
        report(kind, done, total)

    return count
