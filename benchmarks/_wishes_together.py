"""Several wishes about photos whose objects and captions are known, judged together; from vectors, without captions.

Pairs and triples of objects (labels tell where they are together), objects with properties ("a dog", "in a park"; three
captions or more tell it, and photos of which they do not are not counted), single properties, and two or three phrases
from the captions of one photo, which is the only one known to be meant. Half of the objects and properties on half of
the photos are for fitting, the others are measured.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from _judged_pictures import Side
from visavis.encoders.registry import load_encoder
from visavis.lab.evaluation.match_data import Photos, Places, halves, held_out_photos, number_of, phrases_of
from visavis.lab.evaluation.match_fit import _logistic
from visavis.lab.evaluation.match_properties import KnownProperty, Verdicts, known_properties
from visavis.lab.evaluation.match_vectors import ScoredGallery
from visavis.language.english import with_article
from visavis.search.exclusion import probe_texts
from visavis.search.match_set import _FURTHEST, MatchSet
from visavis.search.phrases import SecondStage
from visavis.search.plan import Plan, ScorePart
from visavis.search.probability import MATCH, Ordinary
from visavis.search.vectors import RegionScale, Scale, TextVectors
from visavis.types import FloatArray

#: Sizes of the collections; so many wishes of a kind are asked of each; so many photos must show what is asked for.
_SIZES, _ASKED, _FEWEST, _SINGLE = (2000, 400), 200, 2, 4
#: Fewer captions than this do not tell what a photo shows.
_CAPTIONS = 3
#: For each object: pairs of properties, and other objects with one, so that there are not too many.
_TWO, _OTHERS, _TRIPLES = 60, 12, 20_000
#: Of each text so many of the best pictures are fitted on, and so many others, which stand for all others.
_BEST, _REST = 80, 80
_PHRASES = ("2 phrases of a photo", "3 phrases of a photo")
_Kinds = Iterator[tuple[str, tuple[str, ...], Verdicts]]


class Together(NamedTuple):
    """Wishes, and of which photos of a collection they are true: 1, 0, or -1 where that is not known."""

    kind: str
    texts: tuple[str, ...]
    verdicts: Verdicts
    among: Places


def read_photos(vectors: Path, coco: Path) -> Photos:
    """The photos of a folder that ``visavis bench match`` reads, with what is known of them."""
    with np.load(vectors / "coco.npz") as kept:
        keys, whole, regions = kept["keys"].tolist(), kept["whole"].astype(np.float32), kept["regions"]
    held = held_out_photos(coco)
    order = [at for at, key in enumerate(keys) if key.startswith("coco:") and number_of(key) in held]
    order.sort(key=lambda at: number_of(keys[at]))
    gallery = ScoredGallery([keys[at] for at in order], whole[order], regions[order], whole[:, 0], Ordinary(0, 1))
    return Photos.read(gallery, coco)


def wishes_together(photos: Photos, *, fitting: bool) -> list[Together]:
    """The wishes of one half, as many as are asked."""
    draw, keys = random.Random(12), photos.gallery.keys
    mine = halves(len(keys))[0 if fitting else 1]
    told = np.array([len(photos.captions.get(number_of(key), ())) >= _CAPTIONS for key in keys])
    shows = {name: photos.showing(name) for name in photos.names(fitting=fitting)}
    properties = [one for one in known_properties(photos, fitting=fitting) if not one.colour]
    found: dict[tuple[str, bool, int], list[Together]] = defaultdict(list)
    for size in _SIZES:
        among = mine[:size]
        tell = among[told[among]]
        kinds = (
            *((kind, texts, verdicts, among) for kind, texts, verdicts in _objects(shows, among, draw)),
            *((kind, texts, verdicts, tell) for kind, texts, verdicts in _described(shows, properties, tell, draw)),
        )
        for kind, texts, verdicts, of in kinds:
            here = verdicts[of]
            number = int((here == 1).sum())
            if number >= _FEWEST or not (number or (here == -1).any()):
                found[kind, bool(number), size].append(Together(kind, texts, here, of))
        for place in among[told[among]].tolist():
            texts = [p for text in photos.captions[number_of(keys[place])] for p in phrases_of(text)[:2]]
            texts = draw.sample(sorted(set(texts)), min(3, len(set(texts))))
            own = np.where(among == place, 1, -1).astype(np.int8)
            for number, kind in zip((2, 3), _PHRASES, strict=True):
                if len(texts) >= number:
                    found[kind, True, size].append(Together(kind, tuple(texts[:number]), own, among))
    return [one for some in found.values() for one in draw.sample(some, min(_ASKED, len(some)))]


def _objects(shows: dict[str, NDArray[np.bool_]], among: Places, draw: random.Random) -> _Kinds:
    """Objects together."""
    names = [name for name, there in shows.items() if there[among].sum() >= _SINGLE]
    for name in names:
        yield "an object", (with_article(name),), shows[name].astype(np.int8)
    for several in itertools.permutations(names, 2):
        both = np.all([shows[name] for name in several], axis=0).astype(np.int8)
        yield "two objects", tuple(map(with_article, several)), both
    triples = list(itertools.permutations(names, 3))
    for several in draw.sample(triples, min(_TRIPLES, len(triples))):
        every = np.all([shows[name] for name in several], axis=0).astype(np.int8)
        yield "three objects", tuple(map(with_article, several)), every


def _described(
    shows: dict[str, NDArray[np.bool_]], properties: Sequence[KnownProperty], among: Places, draw: random.Random
) -> _Kinds:
    """Properties alone and with objects."""
    for one in properties:
        share = (one.verdicts[among] == 1).sum() / max(1, (one.verdicts[among] >= 0).sum())
        for text in one.texts:
            yield "a common property" if share >= 0.1 else "a property", (text,), one.verdicts
    pairs = list(itertools.combinations(properties, 2))
    for name, there in shows.items():
        if there[among].sum() < _SINGLE:
            continue
        for one in properties:
            texts = with_article(name), draw.choice(one.texts)
            yield "object and property", texts, np.where(there, one.verdicts, 0).astype(np.int8)
        for one, other in draw.sample(pairs, min(_TWO, len(pairs))):
            texts = with_article(name), draw.choice(one.texts), draw.choice(other.texts)
            yield "object, two properties", texts, np.where(there, _all(one, other), 0).astype(np.int8)
        for second in draw.sample(sorted(shows), min(_OTHERS, len(shows))):
            if second != name:
                one = draw.choice(properties)
                texts = with_article(name), with_article(second), draw.choice(one.texts)
                verdicts = np.where(there & shows[second], one.verdicts, 0)
                yield "two objects, property", texts, verdicts.astype(np.int8)


def _all(one: KnownProperty, other: KnownProperty) -> Verdicts:
    least, most = (part(one.verdicts, other.verdicts) for part in (np.minimum, np.maximum))
    return np.where((one.verdicts == 0) | (other.verdicts == 0), 0, np.where(least == 1, 1, -1 * (most != 0)))


class JudgedWishes(NamedTuple):
    """Wishes with the probability of each photo, and the log-odds of each wish."""

    wishes: Together
    chances: FloatArray
    logits: Sequence[FloatArray]


def judged(photos: Photos, asked: Sequence[Together]) -> Iterator[JudgedWishes]:
    """Judge wishes as a conversation does that says one a turn."""
    encoder, gallery = load_encoder("builtin"), photos.gallery
    texts, probes = TextVectors(encoder), encoder.encode_texts(probe_texts())
    named, scale, ordinary = SecondStage().named, Scale(0, 1), RegionScale(0, 1)
    for _, some in itertools.groupby(sorted(asked, key=_collection), key=_collection):
        each = list(some)
        among = each[0].among
        side = Side([gallery.keys[at] for at in among], gallery.whole[among], gallery.regions[among], probes, encoder)
        judge = side.judge(np.ones(len(among), bool))
        for one in each:
            vectors = texts([named(text) for text in one.texts])
            parts = [
                ScorePart(at, "want", text, vector, 0.0, scale, ordinary)
                for at, (text, vector) in enumerate(zip(one.texts, vectors, strict=True))
            ]
            plan = Plan(tuple(parts), vectors[:0], (), None, (), 1.0, None, (), None)
            found = MatchSet(judge, plan, judge._store)
            yield JudgedWishes(one, found._sampled(), found._sample_logits())


def _collection(one: Together) -> bytes:
    return one.among.tobytes()


def figures(photos: Photos) -> dict[str, dict[str, float]]:
    """Precision, recall, and how often it is wrong that nothing fits, by the kind of the wishes."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    counts: dict[str, list[float]] = defaultdict(list)
    for one in judged(photos, wishes_together(photos, fitting=False)):
        row, verdicts, matching = rows[one.wishes.kind], one.wishes.verdicts, one.chances >= MATCH
        right, wrong, there = ((matching & (verdicts == 1)).sum(), (matching & (verdicts == 0)).sum(), verdicts == 1)
        if not there.any():
            row.update(absent=1, shown=int(matching.any()))
            continue
        row.update(texts=1, denied=int(not matching.any()), right=right, wrong=wrong, there=there.sum())
        row["F"] += 2 * right / (right + wrong + there.sum())
        number = matching.sum() if one.wishes.kind in _PHRASES else abs(right + wrong - there.sum()) / there.sum()
        counts[one.wishes.kind].append(float(number))
    return {kind: _row(row, counts[kind], kind in _PHRASES) for kind, row in rows.items()}


def _row(row: Counter[str], counts: list[float], alone: bool) -> dict[str, float]:
    texts, absent = max(row["texts"], 1), max(row["absent"], 1)
    shares = {
        "precision": float("nan") if alone else row["right"] / max(row["right"] + row["wrong"], 1),
        "recall": row["right"] / max(row["there"], 1),
        "mean F": float("nan") if alone else row["F"] / texts,
        "denied though there": row["denied"] / texts,
        "shown though absent": row["shown"] / absent if row["absent"] else float("nan"),
        "count error (phrases: shown)": float(np.median(counts)) if counts else float("nan"),
    }
    return {"texts": row["texts"], "absent": row["absent"], **{name: round(value, 3) for name, value in shares.items()}}


def fitted(photos: Photos) -> tuple[float, float]:
    """What ``match_set`` adds to a share of the sum of log probabilities, and that share, by the half for fitting."""
    draw = np.random.default_rng(1)
    known = [
        one
        for one in judged(photos, wishes_together(photos, fitting=True))
        if len(one.logits) > 1 and one.wishes.kind not in _PHRASES
    ]
    kinds = Counter((one.wishes.kind, bool((one.wishes.verdicts == 1).any())) for one in known)
    sums, truths, weights = [], [], []
    for one in known:
        verdicts, each = one.wishes.verdicts, np.clip(np.stack(one.logits), -_FURTHEST, _FURTHEST)
        told = np.flatnonzero(verdicts >= 0)
        told = told[np.argsort(-each.min(axis=0)[told])]
        rest = draw.permutation(told[_BEST:])[:_REST]
        weight = np.zeros(len(verdicts))
        weight[told[:_BEST]] = 1.0
        weight[rest] = max(1.0, (len(told) - _BEST) / max(1, len(rest)))
        weight[verdicts == 1] = 1.0
        used = weight > 0
        sums.append(-np.logaddexp(0, -each).sum(axis=0)[used])
        truths.append(verdicts[used] == 1)
        weights.append(weight[used] / max(100, kinds[one.wishes.kind, bool((verdicts == 1).any())]))
    weight = np.concatenate(weights)
    solved = _logistic(
        np.concatenate(sums)[:, None].astype(float), np.concatenate(truths).astype(float), weight * 300, 1.0
    )
    return float(solved[0]), float(solved[1])
