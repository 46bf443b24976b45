"""Ways to remember that were tried and lost, kept so that the comparison can be printed again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.evaluation.dialogs import Bench, Said, System, composed
from visavis.retrieval.joining import joined
from visavis.retrieval.multivector import SecondStage
from visavis.retrieval.scales import whole_scale

_FEW = 200


def _wanted(said: Sequence[Said]) -> list[str]:
    return [wish.text for one in said for wish in one.wishes if wish.kind == "want"] or [one.text for one in said]


def product_of_calibrated(bench: Bench) -> System:
    """The product of each wish's probability to fit: one that misses spoils all."""

    def scores(said: Sequence[Said]) -> FloatArray:
        total = np.zeros(len(bench.gallery), np.float32)
        for vector in bench.texts(_wanted(said)):
            above = whole_scale(vector, bench.sample, words=True).above(bench.gallery.whole @ vector)
            total -= np.log1p(np.exp(-(1.5 * above - 3.0)))
        return total

    return scores


def sum_of_standardised(bench: Bench) -> System:
    """Each wish by how far it stands out, so that a telling one counts as much as a vague one."""

    def scores(said: Sequence[Said]) -> FloatArray:
        vectors = bench.texts(_wanted(said))
        spreads = [whole_scale(vector, bench.sample, words=True).spread for vector in vectors]
        return np.asarray(bench.gallery.whole @ (vectors / np.array(spreads, np.float32)[:, None]).sum(axis=0))

    return scores


def centred(bench: Bench) -> System:
    """Pictures without what all pictures have in common."""
    middle = bench.gallery.whole.mean(axis=0)
    moved = bench.gallery.whole - middle
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    return lambda said: np.asarray(moved @ bench.texts([joined(_wanted(said))])[0])


def sentences_to_regions(bench: Bench) -> System:
    """Each wish as a whole against its best region, in the second stage."""

    def scores(said: Sequence[Said]) -> FloatArray:
        texts = _wanted(said)
        first = np.asarray(bench.gallery.whole @ bench.texts([joined(texts)])[0], np.float32)
        top = bench.best(first, _FEW)
        ranked = first - 100.0
        ranked[top] = 0.7 * first[top] + 0.3 * bench.max_sim(bench.texts(texts), top)
        return ranked

    return scores


def joined_only(bench: Bench) -> System:
    """What ships, without its second stage."""
    return composed(bench, second=SecondStage(weight=0.0))


ALTERNATIVES: Mapping[str, Callable[[Bench], System]] = {
    "joined text, no second stage": joined_only,
    "sum of standardised scores": sum_of_standardised,
    "product of calibrated scores": product_of_calibrated,
    "joined text, centred vectors": centred,
    "joined text, sentences to regions": sentences_to_regions,
}
