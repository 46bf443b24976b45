"""The pictures of a collection that match what is wanted: which, how likely, and how many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.search.judge import Judge, JudgedText, ReadPictures
from visavis.search.phrases import alternatives, one_thing
from visavis.search.plan import Plan, ScorePart
from visavis.search.probability import MATCH, probability
from visavis.search.results import one_a_wish, picture_logits
from visavis.search.words import MOST_NAMED, WordMatches
from visavis.stores.base import Hit, Store
from visavis.stores.filters import All, Filter, HasId
from visavis.types import FloatArray

#: From ids to whether each is left out.
Excluded = Callable[[Sequence[str]], NDArray[np.bool_]]
#: Where so many of the last pictures that were judged hold no match, all matches are among those before.
_TAIL = 0.25

#: Where so large a share of so many matches shows what is avoided, it belongs to the topic.
_NEARLY_ALL, _SEVERAL = 0.95, 4
#: Log-odds of a picture that has a name and of one that has not, and the least of one about which all is written.
_NAMED, _NAMELESS, _TOLD = 4.0, -6.0, 1.5
#: So many of the sampled pictures that match are looked at in any case.
_MOST_LIKELY = 200
#: The log-odds that a picture fits several wishes: this, and so much of the sum of their probabilities' logarithms.
#: ``benchmarks/wordings.py --vectors`` fits it, and the lines below, on half of the photos and things.
_TOGETHER, _SHARE = -0.31, 0.83
#: Something fits two wishes together from this mean probability of the best few pictures on; half as much is asked for
#: each wish more, and among pictures of one kind, like a shop's, which are all somewhat alike, more.
_THERE, _FEW, _OF_ONE_KIND = 0.1, 5, 1.4
#: Then those match that are so likely, or have so large a share of the probability of the best.
_LIKELY, _OF_THE_BEST = 0.25, 0.6
#: Log-odds further from one half than this say no more.
_FURTHEST = 8.0
#: Text and vector of the rest of a wish that has names in it.
Rest = Callable[[str], FloatArray]


@dataclass(frozen=True)
class _Way:
    """An alternative of a wish in words, or all of it, as pictures are judged by it.

    Attributes:
        judged: Judges what can be seen of it, once; None where it is but a name.
        named: The pictures that have the names in it; None where it has none.
        told: The pictures about which all of it is written.
    """

    judged: Callable[[], JudgedText] | None
    named: frozenset[str] | None = None
    told: frozenset[str] = frozenset()

    @property
    def present(self) -> float:
        """How likely anything fits."""
        if self.named is not None and not self.named:
            return 0.0
        return 1.0 if self.told or self.judged is None else self.judged().present

    def by_name(self, seen: FloatArray | None, ids: Sequence[str]) -> FloatArray:
        """The log-odds of what is seen, where the names agree."""
        logits = np.full(len(ids), _NAMED, np.float32) if seen is None else seen
        if self.told:
            logits = np.where([id in self.told for id in ids], np.maximum(logits, np.float32(_TOLD)), logits)
        if self.named is None:
            return logits
        return np.where([id in self.named for id in ids], logits, np.float32(_NAMELESS)).astype(np.float32)


@dataclass(frozen=True)
class _Claim:
    """A wish in words by its alternatives: the likeliest of them counts."""

    ways: tuple[_Way, ...]

    @property
    def named(self) -> bool:
        """Whether names decide."""
        return all(way.named is not None for way in self.ways)

    @property
    def present(self) -> float:
        """How likely anything fits."""
        return max(way.present for way in self.ways)

    def logits(self, seen: Callable[[JudgedText], FloatArray], ids: Sequence[str]) -> FloatArray:
        """The log-odds that pictures match; ``seen`` gives those of a text."""
        each = [way.by_name(None if way.judged is None else seen(way.judged()), ids) for way in self.ways]
        return each[0] if len(each) == 1 else np.max(each, axis=0)


class MatchSet:
    """What matches a plan.

    Words decide; without any, the pictures to resemble do; without those, everything matches.
    """

    def __init__(
        self,
        judge: Judge,
        plan: Plan,
        store: Store,
        words: Mapping[int, WordMatches] | None = None,
        encode: Rest | None = None,
    ) -> None:
        """Begin to judge the texts of a plan.

        Args:
            judge: Judges pictures by texts.
            plan: What is wanted.
            store: The pictures.
            words: By the place of a wish: what its words find among those written about pictures.
            encode: Encodes what is left of a wish without its names, and its alternatives.
        """
        self._judge = judge
        self._plan = plan
        self._store = store
        self._encode = encode
        self._topic = -np.inf  # the highest log-odds of the first wish
        self._few = self._most = 0.0  # how likely the best few pictures fit all wishes, and the very best
        self._kindly = judge.varied  # whether wishes that fit a picture nearly match it together
        self._chances: FloatArray | None = None
        self._claims: dict[int, _Claim] = {}
        for part in plan.parts:
            if part.region_scale is None or part.wish in self._claims:
                continue
            self._claims[part.wish] = _Claim(self._ways(part, (words or {}).get(part.wish)))
        self._wanted = [self._claims[part.wish] for part in one_a_wish(plan.parts) if _is_wanted(part)]
        self._alike = [part for part in plan.parts if part.kind == "like"] if not self._wanted else []
        self._likeliest: tuple[str, ...] | None = None
        self._known: dict[str, float] = {}
        self._last: ReadPictures | None = None
        self.lowers = False

    def _ways(self, part: ScorePart, found: WordMatches | None) -> tuple[_Way, ...]:
        encode, texts = self._encode, alternatives(part.label)
        if encode is None or len(texts) < 2:
            return (self._way(part.label, part.vector, found, part),)
        held = found.ways if found is not None else {}
        return tuple(self._way(text, encode(one_thing(text)), held.get(text), part) for text in texts)

    def _way(self, text: str, vector: FloatArray, found: WordMatches | None, part: ScorePart) -> _Way:
        if found is None or found.named is None or self._encode is None:
            told = found.told if found is not None and _is_wanted(part) else frozenset[str]()
            return _Way(self._judge.begin(text, vector), told=told)
        rest = self._judge.begin(found.rest, self._encode(found.rest)) if found.rest else None
        return _Way(rest, found.named)

    @property
    def decides(self) -> bool:
        """Whether there is anything to match."""
        return bool(self._wanted or self._alike)

    @property
    def present(self) -> Mapping[int, float]:
        """By the place of a wish in words: how likely anything fits it alone."""
        return {place: claim.present for place, claim in self._claims.items() if claim in self._wanted}

    @property
    def confidence(self) -> float | None:
        """How likely anything fits what is wanted in words; None without words."""
        return min((claim.present for claim in self._wanted), default=None)

    @property
    def named(self) -> bool:
        """Whether a name decides, so that nothing matches but what was looked up."""
        return any(claim.named for claim in self._wanted)

    def probabilities(self, ids: Sequence[str]) -> FloatArray:
        """How likely all that is wanted is true of each picture, ``[n]``."""
        new = [id for id in dict.fromkeys(ids) if id not in self._known]
        if new:
            self._known.update(zip(new, self._judged(new).tolist(), strict=True))
        return np.array([self._known[id] for id in ids], np.float32)

    def _judged(self, ids: Sequence[str]) -> FloatArray:
        if self._alike:
            found = self._store.vectors(ids)
            nothing = np.zeros(self._judge.sample.whole.shape[1], np.float32)
            return self._resembling(np.stack([found.get(id, nothing) for id in ids]))
        read = self._last = self._judge.read(ids)
        logits = [self._logits(claim, read, added=at > 0) for at, claim in enumerate(self._wanted)]
        if not self._known:
            self._survey(self._sample_logits(), logits)
        return self._together(logits, len(ids))

    def _logits(self, claim: _Claim, read: ReadPictures, *, added: bool) -> FloatArray:
        return claim.logits(lambda text: self._judge.logits(text, read) + added * text.added, read.ids)

    def _survey(self, *parts: Sequence[FloatArray]) -> None:
        """See whether the topic of the first wish is there, and how likely the best pictures fit all wishes.

        Args:
            parts: The log-odds of each wish, for the sample, for the pictures that were looked up, or for both.
        """
        for part in parts:
            if not part or not part[0].size:
                continue
            best = np.sort(probability(_odds_together(part)))[-_FEW:]
            self._few, self._most = max(self._few, float(best.mean())), max(self._most, float(best[-1]))
            self._topic = max(self._topic, float(part[0].max()))
        if not self._judge.varied and not self.named:
            self._kindly = not any(part and (np.min(part, axis=0) >= 0).any() for part in parts)
        self._chances = None

    def _together(self, logits: Sequence[FloatArray], number: int) -> FloatArray:
        each = np.stack([probability(one) for one in logits], axis=1) if logits else np.ones((number, 0), np.float32)
        joint = self._judge.model.joint(each)
        if len(logits) < 2 or not self._kindly or self.named or self._topic < 0:
            return joint
        least = _THERE * 0.5 ** (len(logits) - 2) * (1.0 if self._judge.varied else _OF_ONE_KIND)
        if self._few < least:
            return joint
        line = min(_LIKELY, _OF_THE_BEST * self._most)
        together = probability(_odds_together(logits) - np.float32(np.log(line / (1 - line))))
        return np.asarray(np.maximum(joint, together), np.float32)

    @property
    def likeliest(self) -> tuple[str, ...]:
        """Sampled pictures that match what is wanted in words, the likeliest first."""
        if self._likeliest is None:  # no cached_property: it lets the turns of all people wait for each other
            self._likeliest = self._find_likeliest()
        return self._likeliest

    def _find_likeliest(self) -> tuple[str, ...]:
        if not self._wanted:
            return ()
        chances = self._sampled()
        order = np.argsort(-chances, kind="stable")[:_MOST_LIKELY]
        return tuple(self._judge.sample.ids[at] for at in order if chances[at] >= MATCH)

    def _sampled(self) -> FloatArray:
        """How likely all that is wanted is true of each sampled picture."""
        if self._chances is None:
            logits = self._sample_logits()
            if not self._most:
                self._survey(logits)
            self._chances = self._together(logits, len(self._judge.sample.ids))
        return self._chances

    def _sample_logits(self) -> Sequence[FloatArray]:
        ids = self._judge.sample.ids
        first = [claim.logits(lambda text: text.sample, ids) for claim in self._wanted[:1]]
        return [*first, *(claim.logits(lambda text: text.sample + text.added, ids) for claim in self._wanted[1:])]

    def _resembling(self, whole: FloatArray) -> FloatArray:
        each = [probability(picture_logits(part, whole)) for part in self._alike]
        return self._judge.model.joint(np.stack(each, axis=1))

    def holds(self, id: str) -> bool:
        """Whether a picture matches."""
        if id not in self._known:
            self.probabilities([id])
        return self._known[id] >= MATCH

    def shares(self, ids: Sequence[str], shown: NDArray[np.bool_]) -> bool:
        """Whether nearly all pictures that match show what is avoided, so that it is lowered and not left out.

        Args:
            ids: The best pictures.
            shown: Which of them show it.
        """
        if self._wanted:
            matching = self.probabilities(ids) >= MATCH
            self.lowers = bool(matching.sum() >= _SEVERAL and shown[matching].mean() >= _NEARLY_ALL)
        return self.lowers

    def logits(self, parts: Sequence[ScorePart], ids: Sequence[str]) -> Mapping[int, FloatArray]:
        """By the place of a wish in words: the log-odds that it is true of each picture."""
        last = self._last
        read = self._judge.read(ids) if last is None or not set(ids) <= set(last.ids) else last.of(ids)
        later = self._wanted[1:]
        claims = {part.wish: self._claims[part.wish] for part in parts if part.wish in self._claims}
        found = {wish: self._logits(claim, read, added=claim in later) for wish, claim in claims.items()}
        if len(self._wanted) < 2 or not self._kindly:
            return found
        # What matches all wishes fits each of them, though it may not do so alone.
        chances = np.clip(self.probabilities(ids), 1e-6, 1 - 1e-6)
        odds = np.where(chances >= MATCH, np.log(chances / (1 - chances)), -np.inf).astype(np.float32)
        wanted = {part.wish for part in self._plan.parts if _is_wanted(part)}
        return {wish: np.maximum(logits, odds) if wish in wanted else logits for wish, logits in found.items()}

    def first(self, hits: list[Hit], number: int) -> list[Hit]:
        """The hits with those that match before those that do not, as far as they are judged."""
        if not self.decides:
            return hits
        known = set(self.likeliest)
        judged = [hit for at, hit in enumerate(hits) if at < number or hit.id in known]
        rest = [hit for hit in hits[number:] if hit.id not in known]
        self.probabilities([hit.id for hit in judged])
        matching = [hit for hit in judged if self.holds(hit.id)]
        others = [hit for hit in judged if not self.holds(hit.id)]
        return [*matching, *others, *rest]

    def by_topic(self, hits: list[Hit]) -> list[list[Hit]]:
        """The hits that fit the first wish, which says what is looked for, and the others.

        Who looks for "a watch", then "elegant", is not told that the cheapest is a cream because no watch is elegant.
        """
        if len(self._wanted) < 2 or not hits:
            return [hits]
        fits = self._logits(self._wanted[0], self._judge.read([hit.id for hit in hits]), added=False) >= 0
        return [[hit for hit, fit in zip(hits, fits, strict=True) if fit == there] for there in (True, False)]

    def only(self, hits: list[Hit], number: int, fewest: int) -> list[Hit]:
        """The hits that match; where none does, so many of the nearest."""
        if not self.decides:
            return hits
        first = hits[:number]
        self.probabilities([hit.id for hit in first])
        return [hit for hit in first if self.holds(hit.id)] or first[:fewest]

    def count(self, judged: Sequence[str], excluded: Excluded | None = None) -> tuple[int, bool]:
        """How many pictures match, and whether that is an estimate.

        A collection that the sample holds whole is counted. In a larger one the best pictures are counted, unless even
        the last of them match: then the sample tells what share of the collection does. Where a name decides, the
        pictures that were looked up are counted.

        Args:
            judged: The best pictures, best first, without those that are left out.
            excluded: Tells which pictures are left out besides.
        """
        if not self.decides and excluded is None:
            return self._store.count(self._plan.filter), False
        matching = [id for id, chance in zip(judged, self.probabilities(judged), strict=True) if chance >= MATCH]
        size, sample = self._store.count(), self._judge.sample
        whole = len(sample.ids) >= 0.8 * size
        if self.named:
            return len(matching), len(judged) >= MOST_NAMED
        ends = not matching or matching[-1] not in judged[-max(1, int(_TAIL * len(judged))) :]
        if not whole and ends:
            return len(matching), False
        chances = self._resembling(sample.whole) if self._alike else self._sampled()
        there = [id for id, chance in zip(sample.ids, chances, strict=True) if chance >= MATCH]
        if excluded is not None and there:
            there = [id for id, out in zip(there, excluded(there), strict=True) if not out]
        held = self._store.count(_both(self._plan.filter, there)) if there else 0
        if whole:
            return held + sum(id not in self._judge.places for id in matching), False
        return max(len(matching), round(held * size / max(len(sample), 1))), True


def _odds_together(logits: Sequence[FloatArray]) -> FloatArray:
    """The log-odds that all of several wishes are true of each picture, ``[n]``."""
    each = np.sum([np.logaddexp(0, -np.clip(one, -_FURTHEST, _FURTHEST)) for one in logits], axis=0)
    return np.asarray(_TOGETHER - _SHARE * each, np.float32)


def _both(condition: Filter | None, ids: Sequence[str]) -> Filter:
    among = HasId(tuple(ids))
    return among if condition is None else All((condition, among))


def _is_wanted(part: ScorePart) -> bool:
    return part.region_scale is not None and part.kind != "avoid"
