"""Alternative rankings that scored worse, kept so that the comparison can be repeated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.lab.evaluation.dialogs import Bench, Message, System, composed
from visavis.search.exclusion import probe_texts
from visavis.search.phrases import SecondStage, joined
from visavis.search.plan import DEFAULT_WEIGHTS
from visavis.search.vectors import Scales, product

_FEW, _MANY = 200, 1000
_FORGETFUL = replace(DEFAULT_WEIGHTS, before=0.0)


def _wish_texts(messages: Sequence[Message]) -> list[str]:
    wishes = [wish.text for message in messages for wish in message.wishes if wish.kind == "want"]
    return wishes or [message.text for message in messages]


def product_of_calibrated(bench: Bench) -> System:
    """Multiply each wish's probability of a match: one miss rules a picture out."""
    scales = Scales(bench.sample)

    def scores(messages: Sequence[Message]) -> FloatArray:
        vectors = bench.texts(_wish_texts(messages))
        scales.measure(vectors)
        total = np.zeros(len(bench.gallery), np.float32)
        for vector in vectors:
            above = scales.whole(vector, words=True).above(bench.scores(vector))
            total -= np.log1p(np.exp(-(1.5 * above - 3.0)))
        return total

    return scores


def sum_of_standardised(bench: Bench) -> System:
    """Sum the standardised scores of the wishes, so that specific and vague ones count the same."""
    scales = Scales(bench.sample)

    def scores(messages: Sequence[Message]) -> FloatArray:
        vectors = bench.texts(_wish_texts(messages))
        scales.measure(vectors)
        spreads = [scales.whole(vector, words=True).spread for vector in vectors]
        return bench.scores((vectors / np.array(spreads, np.float32)[:, None]).sum(axis=0))

    return scores


def centred(bench: Bench) -> System:
    """Subtract the mean vector of all pictures."""
    middle = bench.gallery.whole.mean(axis=0)
    moved = bench.gallery.whole - middle
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    return lambda messages: product(moved, bench.texts([joined(_wish_texts(messages))])[0])


def max_sim_only(bench: Bench) -> System:
    """Use the shipped ranking without phrase weights: MaxSim as in Drill-down."""
    return composed(bench, _FORGETFUL, SecondStage(judged=0))


def newest_in_full(bench: Bench) -> System:
    """Use the shipped ranking without the separate weight of earlier messages."""
    return composed(bench, _FORGETFUL)


def sentences_to_regions(bench: Bench) -> System:
    """Compare each wish as a whole with its best region, in the second stage."""

    def scores(messages: Sequence[Message]) -> FloatArray:
        texts = _wish_texts(messages)
        first = bench.scores(bench.texts([joined(texts)])[0])
        top = bench.best(first, _FEW)
        ranked = first - 100.0
        ranked[top] = 0.7 * first[top] + 0.3 * bench.max_sim(bench.texts(texts), top)
        return ranked

    return scores


def best_regions(bench: Bench) -> System:
    """Score each wish by the best region, or the whole, of each of the first thousand by the joined text."""

    def scores(messages: Sequence[Message]) -> FloatArray:
        texts = _wish_texts(messages)
        vectors = bench.texts(texts)
        first = bench.scores(bench.texts([joined(texts)])[0])
        top = bench.best(first, _MANY)
        local = (bench.regions(top) @ vectors.T).max(axis=1)
        ranked = first - 100.0
        ranked[top] = np.maximum(local, bench.gallery.whole[top] @ vectors.T).sum(axis=1)
        return ranked

    return scores


def directions(bench: Bench) -> System:
    """Attribute arithmetic: the first wish, moved by the difference of each later wish from the mean of words."""
    general = bench.texts(probe_texts()).mean(axis=0)

    def scores(messages: Sequence[Message]) -> FloatArray:
        vectors = bench.texts(_wish_texts(messages))
        return bench.scores(vectors[0] + (vectors[1:] - general).sum(axis=0))

    return scores


def subspace(bench: Bench) -> System:
    """Score a picture by its projection on the space that the wishes span."""
    middle = bench.sample.whole.mean(axis=0)

    def scores(messages: Sequence[Message]) -> FloatArray:
        basis = np.linalg.qr(bench.texts(_wish_texts(messages)).T)[0].T
        inside = product(bench.gallery.whole, np.ascontiguousarray(basis, np.float32)) - basis @ middle
        return np.asarray(np.sqrt(np.einsum("nv,nv->n", inside, inside)), np.float32)

    return scores


def joined_only(bench: Bench) -> System:
    """Use the shipped ranking without its second stage."""
    return composed(bench, _FORGETFUL, SecondStage(weight=0.0))


ALTERNATIVES: Mapping[str, Callable[[Bench], System]] = {
    "joined text, no second stage": joined_only,
    "sum of standardised scores": sum_of_standardised,
    "product of calibrated scores": product_of_calibrated,
    "joined text, centred vectors": centred,
    "first wish, later ones as directions": directions,
    "subspace of the wishes": subspace,
    "each wish by its best region": best_regions,
    "joined text, sentences to regions": sentences_to_regions,
    "joined text, phrases to regions": max_sim_only,
    "composed, newest message in full": newest_in_full,
}
