"""Ranks a collection for a conversation: the brief, what was passed over, what earlier pages showed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from visavis.assistant.draft import CollectionView
from visavis.collections.database import EditRow, PictureRow
from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.conversation.history import Said, dialogue_of, pages_before, passed_over
from visavis.conversation.turns import COMPOSED, Turn, Window
from visavis.language.lexicon import colours
from visavis.questions.attributes import interest
from visavis.search.request import RankedResults, Retriever, SearchRequest
from visavis.search.taken import TakenDays
from visavis.search.vectors import SAMPLE_SIZE
from visavis.stores.base import Query
from visavis.stores.filters import All, Filter, HasId, Not
from visavis.types import NO_WISH, Reason, Result, Wish

if TYPE_CHECKING:
    from visavis.api import Collection


#: So many of the best pictures are judged when they are counted.
_COUNTED = 2000
#: A picture that fits with this probability surely fits.
_SURE = 0.8


def _ways(text: str) -> list[str]:
    """The descriptions between "or".

    >>> _ways("cats or dogs"), _ways("black or white dogs")
    (['cats', 'dogs'], ['black dogs', 'white dogs'])
    """
    *first, last = re.split(r"\s+or\s+", text)
    colour, _, thing = last.partition(" ")
    if thing and all(word in colours() for word in (colour, *first)):
        first = [f"{other} {thing}" for other in first]
    return [*first, last]


class TakenDates(TakenDays):
    """The days of a collection's pictures, for the wishes of a brief."""

    def __init__(self, collection: Collection, view: CollectionView) -> None:
        super().__init__(collection, view.state)

    def conditions(self, brief: Brief, without: str = "") -> tuple[Filter, ...]:
        """The conditions of the brief's wishes about days; none where it has no such wish, which costs nothing."""
        made = [(self.condition(span), inside) for span, inside in brief.days(without)]
        return tuple(one if inside else Not(one) for one, inside in made)


@dataclass(frozen=True)
class MatchCount:
    """How many pictures fit.

    Attributes:
        number: Those that fit rather than not.
        sure: Those that surely fit; None where the number is exact.
        more: Whether there may be more, because not all were looked at.
    """

    number: int
    sure: int | None = None
    more: bool = False


class ConversationSearch:
    """Ranks one collection for conversations about it."""

    def __init__(self, collection: Collection, retriever: Retriever | None = None) -> None:
        self._collection = collection
        self._given = retriever
        self._taken = TakenDates(collection, CollectionView(collection))

    @cached_property
    def _retriever(self) -> Retriever:
        """Made when it is first needed: it loads the encoder, and a list of conversations needs none."""
        return self._given or default_retriever(self._collection)

    def check(self, name: str) -> str:
        """The name of a retriever, if it can rank this collection.

        Raises:
            BadInputError: There is no such retriever.
            NotFoundError: What it needs is not there.
        """
        self._named(name)
        return name

    def _named(self, name: str) -> Retriever:
        return self._retriever if name == COMPOSED else self._collection.engine.retriever_named(name)

    def rank(
        self,
        conversation: Conversation,
        since: Turn,
        brief: Brief,
        window: Window,
        *,
        retriever: str = COMPOSED,
        close: int | None = None,
    ) -> tuple[Result, ...]:
        """The part of the ranking that a window shows; see :meth:`ranked`."""
        return tuple(self.ranked(conversation, since, brief, window, retriever=retriever, close=close).results)

    def ranked(
        self,
        conversation: Conversation,
        since: Turn,
        brief: Brief,
        window: Window,
        depth: int = 0,
        *,
        retriever: str = COMPOSED,
        said: Said | None = None,
        close: int | None = None,
    ) -> RankedResults:
        """The part of the ranking that a window shows, and the ranking without reasons as deep as is wanted.

        Args:
            conversation: The conversation.
            since: The turn whose state the new one starts from: what was shown on the way there has been seen.
            brief: The wishes.
            window: Which part to show.
            depth: How deep the ranking without reasons should be.
            retriever: The name of the retriever.
            said: The turn in the making, which the conversation does not have yet.
            close: How many of the results are looked at closely; None for all.
        """
        without: frozenset[str] = frozenset()
        if window.start:
            without = pages_before(conversation, since, brief, window.start)
        models = [w.picture for w in brief.wishes if w.active and w.picture and w.kind in ("like", "keep")]
        if models:  # others like a crop do not include the picture that it was cropped from
            without |= self._collection.catalogue.kin(models)
        ranker, seen = self._named(retriever), passed_over(conversation, since, brief)
        request = SearchRequest(
            wishes=brief.wishes,
            k=window.size,
            close=close,
            passed_over={id: count for id, count in seen.items() if id not in without},
            without=without,
            conditions=self.visible(_all_of((*self._taken.conditions(brief), *_these(since, brief, window)))),
            depth=depth,
            dialogue=dialogue_of(conversation, brief.wishes, said) if ranker.reads_dialogue else (),
        )
        return ranker.retrieve(request)

    def exact_matches(self, brief: Brief) -> int | None:
        """How many pictures match a brief; None where the collection is too large to judge every picture."""
        if self._collection.store.count() > SAMPLE_SIZE:
            return None
        models = [w.picture for w in brief.wishes if w.active and w.picture and w.kind in ("like", "keep")]
        without = self._collection.catalogue.kin(models) if models else frozenset()
        passing = self.visible(_all_of(self._taken.conditions(brief)))
        return self._retriever.count(SearchRequest(brief.wishes, without=without, conditions=passing))

    def emptying(self, brief: Brief) -> tuple[tuple[Wish, ...], int | None]:
        """The conditions of a brief because of which no picture is left, as few as possible, and how many others match.

        One that leaves some when it is dropped, the newest of several, rather one without which pictures match; the
        type of a thing is kept before its price and looks. Where no single one is to blame, all but the condition on
        the type. The number of pictures that match the rest is None where it is not known.
        """
        hard = brief.of("filter") or brief.of("avoid")
        others = tuple(wish for wish in hard if interest(wish.attribute or "") != 0)
        types = tuple(wish for wish in hard if wish not in others)
        single: list[tuple[Wish, ...]] = [
            (wish,) for wish in (*reversed(others), *reversed(types)) if self._left(brief.without(wish.id))
        ]
        ways = [(way, self._without(brief, way)) for way in single or [others or types]]
        return next((way for way in ways if way[1]), ways[0])

    def _without(self, brief: Brief, dropped: Sequence[Wish]) -> int | None:
        """How many pictures match a brief without some of its wishes; None where that is not known."""
        ids = {wish.id for wish in dropped}
        rest = Brief(tuple(wish for wish in brief.wishes if wish.id not in ids))
        return self.exact_matches(rest) if rest.searches else self._collection.store.count(self.visible())

    def _left(self, brief: Brief) -> bool:
        """Whether a picture passes the conditions and is left by the exclusions of a brief."""
        if not brief.searches:
            return self._collection.store.count(self.visible()) > 0
        passing = self.visible(_all_of(self._taken.conditions(brief)))
        return bool(self._retriever.retrieve(SearchRequest(brief.wishes, k=1, conditions=passing)).results)

    # -- judging without showing -----------------------------------------------------------------------

    def conditions(self, brief: Brief, without: str = "") -> tuple[Filter, ...]:
        """The conditions of a brief's filters, days included; those on the attribute ``without`` left out."""
        return (*brief.conditions(without), *self._taken.conditions(brief, without))

    def scope(self, brief: Brief, without: str = "", among: Sequence[str] = ()) -> Filter | None:
        """The pictures that pass the filters of a brief, but for those on one attribute.

        Args:
            brief: The wishes.
            without: The attribute.
            among: Only these pictures, where there are any.
        """
        conditions = self.conditions(brief, without)
        return self.visible(_all_of((*conditions, HasId(tuple(among))) if among else conditions))

    def count(self, brief: Brief, text: str = "", condition: Filter | None = None) -> MatchCount:
        """How many pictures fit all wishes of a brief, a text and a condition besides.

        Conditions alone are counted exactly; words are judged picture by picture, the best ones first.
        """
        given = () if condition is None else (condition,)
        wishes = [wish for wish in brief.wishes if wish.active and wish.kind != "sort"]
        worded = [wish for wish in wishes if wish.kind != "filter"]
        passing = self.visible(_all_of((*given, *self._taken.conditions(brief))))
        if not worded and not text:
            return MatchCount(self._collection.store.count(self.visible(_all_of((*given, *self.conditions(brief))))))
        total = self._collection.store.count(passing)
        counted = [self._counted(wishes, way, condition, passing, total) for way in _ways(text)]
        together = {id: max(part.get(id, 0.0) for part, _, _ in counted) for part, _, _ in counted for id in part}
        twice = sum(len(part) for part, _, _ in counted) - len(together)  # what fits both of two descriptions
        number = sum(number for _, number, _ in counted) - twice
        sure = sum(chance >= _SURE for chance in together.values())
        return MatchCount(number, min(number, sure), any(more for _, _, more in counted))

    def _counted(
        self, wishes: Sequence[Wish], text: str, condition: Filter | None, passing: Filter | None, total: int
    ) -> tuple[dict[str, float], int, bool]:
        """The pictures that fit wishes and a text, with their chances; how many fit, and whether there may be more."""
        if text:
            if not wishes and not self._collection.search(text, k=1, filter=condition).results:
                return {}, 0, False
            wishes = [*wishes, Wish("0.1", "want", text, 0)]
        request = SearchRequest(tuple(wishes), k=max(1, min(total, _COUNTED)), conditions=passing)
        found = self._retriever.retrieve(request)
        chances = {one.id: _chance(one) for one in found.results}
        fits = [id for id, chance in chances.items() if chance >= 0.5]
        number = len(fits) if found.matches is None else found.matches
        more = found.matches is None and len(chances) == _COUNTED < total and min(chances.values()) >= 0.5
        return {id: chances[id] for id in list(chances)[:number]}, number, more

    def stands(self, picture: str, brief: Brief) -> tuple[Reason, ...]:
        """How any picture stands to the wishes of a brief, whether it is shown or not."""
        asked = tuple(_judged(wish) for wish in brief.wishes)
        if not any(wish.active for wish in asked):
            return ()
        found = self._found(SearchRequest(asked, k=1, conditions=HasId((picture,))))
        return tuple(
            replace(reason, fit=1 - reason.fit) if brief.wishes[reason.wish].kind == "avoid" else reason
            for one in found
            for reason in one.because
        )

    def probabilities(self, picture: str, texts: Sequence[str]) -> list[float]:
        """How likely each of some descriptions is true of a picture."""
        made = []
        for text in texts:  # one by one: several at once would be weighed against each other
            request = SearchRequest((Wish("0.1", "want", text, 0),), k=1, conditions=HasId((picture,)))
            made.append(next((reason.fit for one in self._found(request) for reason in one.because), 0.0))
        return made

    def fits(self, pictures: Sequence[str], text: str) -> dict[str, float]:
        """How likely a description is true of each of some pictures."""
        among = HasId(tuple(dict.fromkeys(pictures)))
        found = self._found(SearchRequest((Wish("0.1", "want", text, 0),), k=len(among.ids), conditions=among))
        return {one.id: max((reason.fit for reason in one.because), default=0.0) for one in found}

    def _found(self, request: SearchRequest) -> Sequence[Result]:
        return self._retriever.retrieve(request).results

    def random(self, brief: Brief, size: int, seed: str) -> tuple[Result, ...]:
        """Any pictures that the filters let through; the same seed gives the same ones."""
        digest = blake2b(seed.encode(), digest_size=16)
        filters = self.conditions(brief)
        if filters:
            random = np.random.default_rng(int.from_bytes(digest.digest()[:8], "big"))
            vector = random.normal(size=(1, self._collection.encoder.dimension)).astype(np.float32)
            vector /= np.linalg.norm(vector)
            hits = self._collection.store.query(Query(vector, filter=self.visible(All(filters)), limit=size))
            ids = [hit.id for hit in hits]
        else:
            ids = self._ids_after(digest.hexdigest(), size)
        because = (Reason(NO_WISH, "picked at random", 1.0),)
        return tuple(Result(id, 0.0, because) for id in ids)

    def _ids_after(self, place: str, size: int) -> list[str]:
        """Pictures from a place in the order of ids on, and from the beginning again: ids are hashes, so any are."""
        edited = select(EditRow.picture_id)
        there = (PictureRow.missing_since.is_(None), PictureRow.id.not_in(edited))
        with self._collection.catalogue.transaction() as session:
            query = select(PictureRow.id).where(*there).order_by(PictureRow.id)
            ids = list(session.scalars(query.where(PictureRow.id > place).limit(size)))
            if len(ids) < size:
                ids += session.scalars(query.where(PictureRow.id <= place).limit(size - len(ids)))
            return ids

    def visible(self, filter: Filter | None = None) -> Filter | None:
        """Pictures that are there and not made by editing."""
        return self._collection.catalogue.visible(filter)


def _chance(result: Result) -> float:
    """How likely a picture fits all wishes: by each of them, or by what is written about it, which may be surer."""
    by_wishes = min((reason.fit for reason in result.because), default=1.0)
    return max(by_wishes, result.probability or 0.0)


def _these(since: Turn, brief: Brief, window: Window) -> tuple[Filter, ...]:
    """The pictures that were shown, where nothing matched and only their order is asked for; else no condition."""
    if since.matches != 0 or window.start or not since.results or not brief.of("sort"):
        return ()
    wanted, shown = ([wish for wish in one.active if wish.kind != "sort"] for one in (brief, since.brief))
    return (HasId(tuple(result.id for result in since.results)),) if wanted == shown else ()


def _all_of(conditions: Sequence[Filter]) -> Filter | None:
    return All(tuple(conditions)) if conditions else None


def _judged(wish: Wish) -> Wish:
    """A wish as a picture is judged by it: nothing is left out, and nothing decides beforehand."""
    if wish.kind in ("filter", "sort"):
        return replace(wish, active=False)
    return replace(wish, kind="want") if wish.kind == "avoid" else wish


def default_retriever(collection: Collection) -> Retriever:
    """The retriever that ranks best without training."""
    return collection.engine.retriever
