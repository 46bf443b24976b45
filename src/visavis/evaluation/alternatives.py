"""Ways to remember that were tried and lost, kept so that the comparison can be printed again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from visavis.collections.searching.probes import probe_texts
from visavis.encoders.base import FloatArray
from visavis.evaluation.dialogs import Bench, Said, System, composed
from visavis.retrieval.joining import joined
from visavis.retrieval.multivector import SecondStage
from visavis.retrieval.products import product
from visavis.retrieval.recipe import DEFAULT
from visavis.retrieval.scales import Scales

_FEW, _MANY = 200, 1000
_FORGETFUL = replace(DEFAULT, before=0.0)


def _wanted(said: Sequence[Said]) -> list[str]:
    return [wish.text for one in said for wish in one.wishes if wish.kind == "want"] or [one.text for one in said]


def product_of_calibrated(bench: Bench) -> System:
    """The product of each wish's probability to fit: one that misses spoils all."""
    scales = Scales(bench.sample)

    def scores(said: Sequence[Said]) -> FloatArray:
        vectors = bench.texts(_wanted(said))
        scales.measure(vectors)
        total = np.zeros(len(bench.gallery), np.float32)
        for vector in vectors:
            above = scales.whole(vector, words=True).above(bench.scores(vector))
            total -= np.log1p(np.exp(-(1.5 * above - 3.0)))
        return total

    return scores


def sum_of_standardised(bench: Bench) -> System:
    """Each wish by how far it stands out, so that a telling one counts as much as a vague one."""
    scales = Scales(bench.sample)

    def scores(said: Sequence[Said]) -> FloatArray:
        vectors = bench.texts(_wanted(said))
        scales.measure(vectors)
        spreads = [scales.whole(vector, words=True).spread for vector in vectors]
        return bench.scores((vectors / np.array(spreads, np.float32)[:, None]).sum(axis=0))

    return scores


def centred(bench: Bench) -> System:
    """Pictures without what all pictures have in common."""
    middle = bench.gallery.whole.mean(axis=0)
    moved = bench.gallery.whole - middle
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    return lambda said: product(moved, bench.texts([joined(_wanted(said))])[0])


def max_sim_only(bench: Bench) -> System:
    """What ships, without the judgement of each phrase: MaxSim as Drill-down has it."""
    return composed(bench, _FORGETFUL, SecondStage(judged=0))


def newest_in_full(bench: Bench) -> System:
    """What ships, without the share that what was said before has by itself."""
    return composed(bench, _FORGETFUL)


def sentences_to_regions(bench: Bench) -> System:
    """Each wish as a whole against its best region, in the second stage."""

    def scores(said: Sequence[Said]) -> FloatArray:
        texts = _wanted(said)
        first = bench.scores(bench.texts([joined(texts)])[0])
        top = bench.best(first, _FEW)
        ranked = first - 100.0
        ranked[top] = 0.7 * first[top] + 0.3 * bench.max_sim(bench.texts(texts), top)
        return ranked

    return scores


def best_regions(bench: Bench) -> System:
    """Each wish by the best region, or the whole, of each picture; among the first thousand by the joined text."""

    def scores(said: Sequence[Said]) -> FloatArray:
        texts = _wanted(said)
        vectors = bench.texts(texts)
        first = bench.scores(bench.texts([joined(texts)])[0])
        top = bench.best(first, _MANY)
        local = (bench.regions(top) @ vectors.T).max(axis=1)
        ranked = first - 100.0
        ranked[top] = np.maximum(local, bench.gallery.whole[top] @ vectors.T).sum(axis=1)
        return ranked

    return scores


def directions(bench: Bench) -> System:
    """Attribute arithmetic: the first wish, moved by what tells each later wish from words in general."""
    general = bench.texts(probe_texts()).mean(axis=0)

    def scores(said: Sequence[Said]) -> FloatArray:
        vectors = bench.texts(_wanted(said))
        return bench.scores(vectors[0] + (vectors[1:] - general).sum(axis=0))

    return scores


def subspace(bench: Bench) -> System:
    """How much of a picture lies in the space that the wishes span."""
    middle = bench.sample.whole.mean(axis=0)

    def scores(said: Sequence[Said]) -> FloatArray:
        basis = np.linalg.qr(bench.texts(_wanted(said)).T)[0].T
        inside = product(bench.gallery.whole, np.ascontiguousarray(basis, np.float32)) - basis @ middle
        return np.asarray(np.sqrt(np.einsum("nv,nv->n", inside, inside)), np.float32)

    return scores


def joined_only(bench: Bench) -> System:
    """What ships, without its second stage."""
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
