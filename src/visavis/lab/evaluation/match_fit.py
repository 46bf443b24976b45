"""Fits the match probability and measures how far it can be trusted."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import Encoder
from visavis.lab.evaluation.match_data import (
    KnownClaim,
    caption_pairs,
    foreign_claims,
    photo_claims,
    product_claims,
    read_gallery,
)
from visavis.lab.evaluation.reliability import expected_error, reliability
from visavis.search.probability import (
    MATCH,
    MatchModel,
    default_model,
    numbers_of,
    presence_numbers,
    probability,
    words_in,
)
from visavis.types import FloatArray

Floats = NDArray[np.float64]
#: How much each kind of claim counts in the fit.
_MIX = {"object": 1.0, "caption": 0.5, "attribute": 0.6, "pair": 0.4, "title": 0.2, "absent": 0.5}
#: Of each claim, so many of the highest are looked at and so many others, which stand for all others.
_HIGHEST, _OTHERS = 80, 120
#: Of a caption, so many of the highest pictures may be true as well.
_UNSURE = 10


def numbers_for(claim: KnownClaim) -> FloatArray:
    """The numbers of every picture of a claim's collection."""
    whole, parts = claim.gallery.scores[claim.text]
    at = claim.among
    return numbers_of(
        whole[at],
        parts[at],
        claim.gallery.fit[at],
        claim.distribution(),
        claim.gallery.ordinary,
        words_in(claim.text),
    )


def fit(claims: Sequence[KnownClaim], encoder: str) -> MatchModel:
    """Fit the regression."""
    chance = np.random.default_rng(4)
    sizes: dict[str, int] = defaultdict(int)
    for claim in claims:
        sizes[claim.kind] += 1
    rows, truths, weights = [], [], []
    for claim in claims:
        numbers, truth = numbers_for(claim), claim.truth[claim.among]
        weight = np.zeros(len(truth))
        order = np.argsort(-numbers[:, 2])
        others = chance.permutation(order[_HIGHEST:])[:_OTHERS]
        weight[others] = max(1.0, (len(truth) - _HIGHEST) / max(1, len(others)))
        weight[order[:_HIGHEST]] = 1.0
        if claim.unsure:
            weight[order[:_UNSURE]] = 0.0
        weight[truth] = 1.0
        chosen = weight > 0
        rows.append(numbers[chosen])
        truths.append(truth[chosen])
        weights.append(weight[chosen] * _MIX[claim.kind] / sizes[claim.kind])
    weight = np.concatenate(weights)
    solved = _logistic(
        np.concatenate(rows).astype(float), np.concatenate(truths).astype(float), weight * len(weight) / weight.sum()
    )
    model = MatchModel(float(solved[0]), tuple(map(float, solved[1:])), encoder=encoder)
    return _fit_presence(model, claims)


def _fit_presence(model: MatchModel, claims: Sequence[KnownClaim]) -> MatchModel:
    """Fit whether anything fits: each kind of text counts the same, and so do what is there and what is not."""
    rows, truths, kinds = [], [], []
    for claim in claims:
        numbers = numbers_for(claim)
        rows.append(presence_numbers(model.logits(numbers), numbers, len(numbers)))
        truths.append(bool(claim.truth[claim.among].any()))
        kinds.append((claim.kind, truths[-1]))
    truth = np.array(truths, float)
    weight = np.array([1 / kinds.count(kind) for kind in kinds])
    weight /= np.where(truth > 0, weight[truth > 0].sum(), weight[truth == 0].sum())
    solved = _logistic(np.stack(rows).astype(float), truth, weight * len(weight) / 2)
    return replace(model, presence_bias=float(solved[0]), presence=tuple(map(float, solved[1:])))


def decided(model: MatchModel, claim: KnownClaim) -> Floats:
    """The probabilities of a claim as a search tells them."""
    numbers = numbers_for(claim)
    logits = model.logits(numbers)
    shift = model.shift(float(logits.max()), model.present(numbers, len(numbers)))
    return probability(logits + shift).astype(float)


def _logistic(rows: Floats, truth: Floats, weight: Floats, ridge: float = 3.0) -> Floats:
    """Newton's method on standardised numbers."""
    mean = np.average(rows, axis=0, weights=weight)
    deviation = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weight)) + 1e-9
    design = np.hstack([np.ones((len(rows), 1)), (rows - mean) / deviation])
    penalty = ridge * np.eye(design.shape[1])
    penalty[0, 0] = 0.0
    solved = np.zeros(design.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(design @ solved, -30, 30)))
        slope = design.T @ (weight * (truth - chance)) - penalty @ solved
        curve = (design * (weight * chance * (1 - chance))[:, None]).T @ design + penalty
        step = np.linalg.solve(curve, slope)
        solved = solved + step
        if np.abs(step).max() < 1e-6:
            break
    scaled = solved[1:] / deviation
    return np.asarray(np.r_[solved[0] - (mean * scaled).sum(), scaled])


def _fit_together(model: MatchModel, claims: Sequence[KnownClaim]) -> MatchModel:
    """Choose how far several texts about one picture are independent, by pairs of captions of one picture."""
    known = []
    for one, other in zip(claims[::2], claims[1::2], strict=False):
        if (one.truth != other.truth).any():
            continue
        each = np.stack([decided(model, claim) for claim in (one, other)], axis=1).astype(np.float32)
        order = np.argsort(-each.sum(axis=1))[:50]
        known.append((each[order], one.truth[one.among][order]))

    def loss(together: float) -> float:
        trial = replace(model, together=together)
        made = [(np.clip(trial.joint(each), 1e-4, 1 - 1e-4), truth) for each, truth in known]
        return float(np.mean([-np.where(truth, np.log(p), np.log(1 - p)).mean() for p, truth in made]))

    return replace(model, together=float(min(np.arange(0.0, 1.01, 0.05), key=loss)))


def bench_match(
    encoder: Encoder, data: Path, packs: Path, cache: Path, elsewhere: Sequence[str], *, fitting: bool, out: Path | None
) -> dict[str, Any]:
    """Measure the regression, after fitting it if that is wanted.

    Args:
        encoder: Makes the vectors.
        data: The folder with ``coco`` and ``products``.
        packs: The folder with the packed pictures.
        cache: Where vectors are kept.
        elsewhere: Texts about things that no picture shows.
        fitting: Whether to fit.
        out: Where the fitted regression is written; into the package when not given.
    """
    photos = read_gallery(sorted(packs.glob("cocoval-*.jsonl")), "val", encoder, cache)
    products = read_gallery(sorted(packs.glob("products-*.jsonl")), "val", encoder, cache)

    def claims(half: bool) -> list[KnownClaim]:
        made = photo_claims(photos, data / "coco", fitting=half)
        made += product_claims(products, data / "products/styles.csv", fitting=half)
        made += foreign_claims(photos, products, data, elsewhere, fitting=half)
        for gallery in (photos, products):
            gallery.score([claim.text for claim in made if claim.gallery is gallery], encoder.encode_texts)
        return made

    model = default_model()
    if fitting:
        model = fit(claims(half=True), encoder.fingerprint)
        pairs = caption_pairs(photos, data / "coco")
        photos.score([claim.text for claim in pairs], encoder.encode_texts)
        model = _fit_together(model, pairs)
        file = out or Path(str(files("visavis.search") / "match.json"))
        file.write_text(json.dumps(model.as_json(), indent=1) + "\n", encoding="utf-8")
    return measure(model, claims(half=False))


def measure(model: MatchModel, claims: Sequence[KnownClaim]) -> dict[str, Any]:
    """How good the probabilities are, for each kind of claim."""
    figures: dict[str, Any] = {}
    for kind in dict.fromkeys(claim.kind for claim in claims):
        chances, truths = [], []
        for claim in (claim for claim in claims if claim.kind == kind):
            chances.append(decided(model, claim))
            truths.append(claim.truth[claim.among])
        present = [(p, t) for p, t in zip(chances, truths, strict=True) if t.any()]
        row: dict[str, Any] = {"texts": len(chances), "shown": _share([p.max() >= MATCH for p in chances])}
        if present:
            all_chances, all_truths = np.concatenate(chances), np.concatenate(truths)
            row |= {
                "mean AP": _mean([average_precision(p, t) for p, t in present]),
                "ECE": round(expected_error(all_chances, all_truths), 4),
                "ECE above 0.05": round(expected_error(*_likely(all_chances, all_truths)), 4),
                "count error": round(
                    float(np.median([abs((p >= MATCH).sum() - t.sum()) / t.sum() for p, t in present])), 3
                ),
                "expected count error": round(
                    float(np.median([abs(p.sum() - t.sum()) / t.sum() for p, t in present])), 3
                ),
                "precision": round(float(all_truths[all_chances >= MATCH].mean()), 3),
                "recall": round(float((all_chances >= MATCH)[all_truths].mean()), 3),
                "reliability": reliability(all_chances, all_truths),
            }
        figures[kind] = row
    return figures


def _likely(chances: Floats, truths: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    return chances[chances >= 0.05], truths[chances >= 0.05]


def _count_error(pairs: Sequence[tuple[float, float]]) -> float:
    return round(float(np.median([abs(said - true) / true for said, true in pairs])), 3)


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 3)


def _share(values: Sequence[bool]) -> float:
    return round(float(np.mean(values)), 3)


def average_precision(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """The mean precision at each true picture, best first."""
    ordered = truth[np.argsort(-chances, kind="stable")]
    return float((np.cumsum(ordered) / np.arange(1, len(ordered) + 1))[ordered].mean())
