"""Measures how far the match probability can be trusted, on things and pictures that it was not fitted on."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import Encoder
from visavis.lab.evaluation.match_data import (
    AVOIDED,
    AVOIDED_OBJECTS,
    KnownClaim,
    Photos,
    halves,
    held_out_photos,
    number_of,
)
from visavis.lab.evaluation.match_fit import NumberedClaim, claims_of, decided, fit_both, numbered
from visavis.lab.evaluation.match_vectors import MatchVectors, read_match_vectors
from visavis.lab.evaluation.metrics import expected_error, reliability
from visavis.search import presence, reference
from visavis.search.captions import things_of
from visavis.search.probability import MATCH, SHOWS, MatchModel, default_model

Floats = NDArray[np.float64]
#: Sizes of collections that are told apart.
_SIZES = (100, 400, 1000, 2000)
#: Fewer captions than this do not tell what a photo shows.
_CAPTIONS = 5


def bench_match(
    encoder: Encoder,
    data: Path,
    folder: Path,
    packs: Path | None,
    elsewhere: Sequence[str],
    *,
    fitting: bool,
    out: Path | None,
    part: str = "with reference",
) -> dict[str, Any]:
    """Measure the regression, after fitting it if that is wanted.

    Args:
        encoder: Makes the vectors.
        data: The folder with ``coco`` and ``products``.
        folder: The vectors of pictures.
        packs: The packed pictures that they are made of where they are not there.
        elsewhere: Texts about things that no picture shows.
        fitting: Whether to fit.
        out: The folder where regression and reference are written; the package when not given.
        part: Which regression is measured.
    """
    vectors = read_match_vectors(folder, encoder, held_out_photos(data / "coco"), packs)
    if fitting:
        models = fit_both(vectors, data, elsewhere)
        place = out or Path(str(files("visavis.search")))
        vectors.reference.save(place / reference.PACKAGE)
        referenced = models["with reference"].referenced
        if referenced is not None:
            referenced.save(place / presence.PACKAGE)
        told = {"encoder": encoder.fingerprint} | {name: model.as_json() for name, model in models.items()}
        (place / "match.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        model = models[part]
    else:
        model = default_model(part)
    figures = measure(model, claims_of(vectors, data, elsewhere, fitting=False))
    return figures | {"exclusion": exclusions(model, vectors, data / "coco", SHOWS)}


def measure(model: MatchModel, claims: Sequence[NumberedClaim]) -> dict[str, Any]:
    """How good the probabilities are, for each kind of claim."""
    figures: dict[str, Any] = {}
    for kind in dict.fromkeys(one.claim.kind for one in claims):
        mine = [one for one in claims if one.claim.kind == kind]
        chances, truths = [decided(model, one) for one in mine], [one.truth for one in mine]
        present = [(p, t) for p, t in zip(chances, truths, strict=True) if t.any()]
        row: dict[str, Any] = {"texts": len(chances), "shown": _share([p.max() >= MATCH for p in chances])}
        row["shown by size"] = {
            str(size): _share([p.max() >= MATCH for p in chances if _size(p) == size])
            for size in sorted({_size(p) for p in chances})
        }
        if present:
            all_chances, all_truths = np.concatenate(chances), np.concatenate(truths)
            largest = [(p, t) for p, t in present if _size(p) == max(_size(p) for p, _ in present)]
            row |= {
                "mean AP": _mean([average_precision(p, t) for p, t in present]),
                "ECE": round(expected_error(all_chances, all_truths), 4),
                "ECE above 0.05": round(expected_error(*_likely(all_chances, all_truths)), 4),
                "count error": _count_error([((p >= MATCH).sum(), t.sum()) for p, t in largest]),
                "expected count error": _count_error([(p.sum(), t.sum()) for p, t in largest]),
                "precision": round(float(all_truths[all_chances >= MATCH].mean()), 3),
                "recall": round(float((all_chances >= MATCH)[all_truths].mean()), 3),
                "reliability": reliability(all_chances, all_truths),
            }
        figures[kind] = row
    return figures


def _likely(chances: Floats, truths: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    return chances[chances >= 0.05], truths[chances >= 0.05]


def _size(chances: Floats) -> int:
    """The size of a collection, of those that are asked."""
    return min(_SIZES, key=lambda size: abs(size - len(chances)))


def exclusions(
    model: MatchModel, vectors: MatchVectors, coco: Path, line: float
) -> dict[str, tuple[float, float, float]]:
    """What share of the photos that show an avoided thing is left out, and of those that do not.

    A photo shows it where three captions speak of it, and does not where none does and no such object is labelled. The
    last share is of those where no caption does, labelled or not.
    """
    photos = Photos.read(vectors.photos, coco)
    told = {place: photos.captions.get(number_of(key), ()) for place, key in enumerate(vectors.photos.keys)}
    among = np.array([place for place in halves(len(told))[1].tolist() if len(told[place]) >= _CAPTIONS], np.int64)
    if not len(among):
        return {}
    objects = [photos.objects.get(number_of(vectors.photos.keys[place]), set()) for place in among]
    none = np.zeros(len(told), bool)
    figures = {}
    for thing, pattern in AVOIDED.items():
        votes = np.array([sum(bool(re.search(pattern, text.lower())) for text in told[place]) for place in among])
        claims = [KnownClaim("object", vectors.photos, text, none, among) for text in things_of(thing)]
        out = np.max([decided(model, one, avoided=True) for one in numbered(vectors, claims)], axis=0) >= line
        labelled = np.array([bool(seen & AVOIDED_OBJECTS[thing]) for seen in objects])
        silent = votes == 0
        figures[thing] = (_share(out[votes >= 3]), _share(out[silent & ~labelled]), _share(out[silent]))
    return figures


def _count_error(pairs: Sequence[tuple[float, float]]) -> float:
    return round(float(np.median([abs(said - true) / true for said, true in pairs])), 3)


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 3)


def _share(values: Sequence[bool] | NDArray[np.bool_]) -> float:
    return round(float(np.mean(values)), 3)


def average_precision(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """The mean precision at each true picture, best first."""
    ordered = truth[np.argsort(-chances, kind="stable")]
    return float((np.cumsum(ordered) / np.arange(1, len(ordered) + 1))[ordered].mean())
