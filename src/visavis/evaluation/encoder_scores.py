"""The scores of an encoder on a data set: retrieval where it has captions, classification where it has classes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.datasets.base import CaptionedSet, LabelledSet
from visavis.encoders.base import Encoder, FloatArray
from visavis.errors import BadInputError
from visavis.evaluation.embedding import Embedder
from visavis.evaluation.retrieval import median_rank, recalls, target_ranks
from visavis.evaluation.zero_shot import PROMPTS, accuracies, class_vectors

#: Told how many pictures or texts (the first argument) have been done more.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Questions:
    """Which captions ask.

    Attributes:
        least: A picture with fewer captions does not ask; it stays in the gallery.
        most: Only so many captions of a picture ask.
    """

    least: int = 1
    most: int = 5


def score_encoder(
    encoder: Encoder,
    data: CaptionedSet | LabelledSet,
    *,
    cache: Path | None = None,
    questions: Questions | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure an encoder.

    Args:
        encoder: The encoder.
        data: Pictures with captions (text to image retrieval) or with classes (zero-shot classification).
        cache: A folder where vectors are kept between runs.
        questions: Which captions ask, for pictures with captions.
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
        scores = _retrieval(data, images, readable, embedder, questions or Questions(), report)
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
    questions: Questions,
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
