"""What lists show of collections: summaries, facets, suggestions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from statistics import median

from sqlalchemy import func, select

from visavis.collections.database import EditRow, PictureRow
from visavis.conversation.brief import NOTHING, Brief
from visavis.database import as_utc
from visavis.errors import VisavisError
from visavis.language.context import Attribute, NumberRange
from visavis.questions.attributes import interest, is_worth_asking
from visavis.server.models.collections import CollectionModel, Facet, FacetValue
from visavis.server.services.collections import CollectionRegistry, OpenCollection
from visavis.server.services.wall import is_shop, visible_ids
from visavis.stores.base import Store
from visavis.stores.filters import All, Equals, Filter
from visavis.types import name_in_words

#: The setting of a collection that says what a person calls it: names of collections have no spaces.
TITLE = "title"
_COVER = 4
_MOST_FACETS = 16
_MOST_VALUES = 40
#: Different numbers of a field that are looked through for its span.
_MOST_NUMBERS = 10_000
#: Who made the photo of a product says nothing of the product.
_CAMERA = "camera"
#: A field with this share of different values names pictures rather than sorting them.
_NAMES_SHARE = 0.5
#: Collections that are opened at the start.
_WARMED = 2
_WANTED = 6
#: Fewer of a shop's kinds are filled up with what its pictures are called.
_FEW = 3
#: How many are tried at most: each costs a search.
_TRIED = 24
_LONGEST_WORDS = 9
_SAMPLE = 200
#: What photos often show, for collections without descriptions; each is offered where several pictures match.
_EVERYDAY = (
    "people at a table", "a dog", "snow on the ground", "food on a plate", "a train", "the sea", "a street in a city",
    "a cat", "a child", "a boat on the water", "flowers", "a bicycle", "a bus", "mountains", "a bird", "a living room",
    "a horse", "a sunset",
)  # fmt: skip
_LEAST_EVERYDAY = 3
#: Attributes that make good messages, when they are there.
_TELLING = ("category", "kind", "type", "articletype", "subject", "class", "label")


def collection_summary(opened: OpenCollection, job: str | None = None) -> CollectionModel:
    """The summary of a collection, from its catalogue alone."""
    catalogue = opened.catalogue
    with catalogue.transaction() as session:
        count, cover = visible_ids(session, 0, _COVER)
        updated = session.scalar(select(func.max(PictureRow.added_at)))
        edits = session.scalar(select(EditRow.picture_id).limit(1)) is not None
    made_with, fields = catalogue.meta("encoder"), catalogue.meta("fields", {})
    return CollectionModel(
        name=opened.name,
        title=catalogue.meta(TITLE, ""),
        pictures=count,
        encoder=made_with["name"] if made_with else None,
        has_edits=edits,
        has_places="latitude" in fields,
        is_shop=is_shop(fields),
        updated_at=as_utc(updated) if updated else None,
        cover=cover,
        job=job,
    )


def collection_summaries(collections: CollectionRegistry) -> list[CollectionModel]:
    """The summaries of all collections; one that cannot be opened has the error."""
    found = []
    for name in collections.names():
        try:
            found.append(collection_summary(collections.open(name)))
        except VisavisError as error:
            found.append(CollectionModel(name=name, pictures=0, error=str(error)))
    return found


def facets(opened: OpenCollection, fields: Sequence[str] = (), brief: Brief = NOTHING) -> list[Facet]:
    """The facets of a collection.

    Args:
        opened: The collection.
        fields: Only these, when there are any.
        brief: The wishes of a conversation; each facet is counted over the pictures that match its words and
            pictures, under the filters on other fields.
    """
    state = opened.view.state()
    conditions = tuple((wish.kind, wish.text, wish.picture) for wish in brief.active if wish.kind != "sort")
    key = (state, tuple(fields), conditions)
    with opened.facets_lock:
        found = opened.facets.get(key)
    if found is None:
        found = _count_facets(opened, state, fields, brief)
        with opened.facets_lock:
            opened.facets[key] = found
    return found


def _count_facets(opened: OpenCollection, state: str, fields: Sequence[str], brief: Brief) -> list[Facet]:
    """Count the values of each attribute; their order is that of the whole collection, whatever is filtered."""
    attributes = opened.view.attributes(state)
    known = {facet.field: facet for facet in facets(opened, fields)} if brief.wishes else {}
    among = opened.collection.engine.retriever.matching(brief.wishes) if brief.of("want", "like") else []
    if among and not opened.collection.store.count(opened.ranking.scope(brief, among=among)):
        among = []  # where nothing matches the nearest are shown, and counts of nothing would not help
    total, shop = max(1, len(opened.collection)), is_shop(attributes)
    found = []
    for name, kind in sorted(attributes.items(), key=lambda attribute: interest(attribute[0])):
        if (fields and name not in fields) or name in ("title", "text") or (shop and name == _CAMERA):
            continue
        if isinstance(kind, NumberRange):
            if not is_worth_asking(name):  # a range of ids or of latitudes
                continue
            narrowed = brief.active and _span(opened, name, opened.ranking.scope(brief, name, among))
            span = narrowed or kind
            found.append(Facet(field=name, label=name_in_words(name), kind="number", min=span.low, max=span.high))
        elif len(kind) > 1 and (total < 50 or len(kind) < total * _NAMES_SHARE):
            counted = opened.collection.store.facets(name, opened.ranking.scope(brief, name, among), _MOST_VALUES)
            counts = {str(value): count for value, count in counted}
            order = [one.value for one in known[name].values] if name in known else counts
            values = [FacetValue(value=value, count=counts.get(value, 0)) for value in dict.fromkeys((*order, *counts))]
            found.append(Facet(field=name, label=name_in_words(name), kind="choice", values=values))
        if len(found) >= _MOST_FACETS:
            break
    return found


def _span(opened: OpenCollection, field: str, scope: Filter | None) -> NumberRange | None:
    """The smallest and the largest number of a field in some pictures; None where none has it."""
    numbers = [float(value) for value, _ in opened.collection.store.facets(field, scope, _MOST_NUMBERS)]
    return NumberRange(min(numbers), max(numbers)) if numbers else None


def suggestions(opened: OpenCollection) -> list[str]:
    """A few messages that have results; made once for each state of the collection."""
    state = opened.view.state()
    kept = opened.suggestions
    if kept is None or kept[0] != state:
        opened.suggestions = kept = (state, _make_suggestions(opened))
    return kept[1]


def cached_suggestions(opened: OpenCollection) -> list[str]:
    """The cached suggestions; empty where there are none."""
    kept = opened.suggestions
    return kept[1] if kept is not None and kept[0] == opened.view.state() else []


def _make_suggestions(opened: OpenCollection) -> list[str]:
    attributes = opened.view.attributes(opened.view.state())
    found = list(islice(_shop_ideas(opened.collection.store, attributes), _WANTED)) if is_shop(attributes) else []
    return found if len(found) >= _FEW else [*found, *_general_suggestions(opened)][:_WANTED]


def _shop_ideas(store: Store, attributes: Mapping[str, Attribute]) -> Iterator[str]:
    """What people ask a shop for: its kinds, each with a colour, a price or for whom it is, where there is such a one.

    Titles of products are no such words: nobody begins with the name of one thing.
    """
    kinds = next(((n, v) for n, v in attributes.items() if n.lower() in _TELLING and isinstance(v, tuple)), None)
    colours = next(((n, v) for n, v in attributes.items() if n.lower().endswith(("colour", "color"))), ("", ()))
    people, price = attributes.get("gender"), next((n for n in attributes if n.lower() == "price"), "")
    if kinds is None:
        return
    for place, kind in enumerate(map(str, kinds[1])):
        is_kind, way = Equals(kinds[0], kind), place % 3
        if way == 1 and price:
            paid = [float(value) for value, _ in store.facets(price, is_kind, _MOST_NUMBERS)]
            if len(paid) > 1:
                yield f"{kind} under {_round(median(paid))}".lower()
            continue
        field, values = ("gender", people) if way == 2 and people else colours
        if not isinstance(values, tuple) or not values:
            yield kind.lower()
            continue
        first = place // 3 % len(values)  # another one each time
        there = (one for one in values[first:] + values[:first] if store.count(All((is_kind, Equals(field, one)))))
        if value := next(there, ""):
            yield (f"{kind} for {value}" if field == "gender" else f"{value} {kind}").lower()


def _round(number: float) -> int:
    """A number as somebody says it who does not care for the last digits.

    >>> _round(27.3), _round(4.1), _round(180.0)
    (30, 5, 200)
    """
    size = 10.0 ** math.floor(math.log10(max(number, 1)))
    return math.ceil(number / size) * int(size)


def _general_suggestions(opened: OpenCollection) -> list[str]:
    found: list[str] = []
    tried = 0
    seen: set[str] = set()
    for message in _ideas(opened):
        words = frozenset(message.lower().split())
        if message.lower() in seen or any(len(words & frozenset(one.lower().split())) > 2 for one in found):
            continue  # several that say nearly the same are no help
        seen.add(message.lower())
        tried += 1
        if _matches(opened, message) >= (_LEAST_EVERYDAY if message in _EVERYDAY else 1):
            found.append(message)
        if len(found) >= _WANTED or tried >= _TRIED:
            break
    return found


def _ideas(opened: OpenCollection) -> Iterator[str]:
    """Captions and values of attributes in turn, then what photos often show."""
    captions, values = _caption_ideas(opened), _attribute_ideas(opened)
    while True:
        caption, value = next(captions, None), next(values, None)
        if caption is None and value is None:
            break
        yield from (idea for idea in (value, caption) if idea)
    yield from _EVERYDAY


def _caption_ideas(opened: OpenCollection) -> Iterator[str]:
    pictures = next(opened.catalogue.scroll(_SAMPLE, missing=False), [])
    for picture in pictures:
        text = (picture.caption or picture.title).strip().rstrip(".")
        if picture.origin is not None or not 2 <= len(text.split()) <= _LONGEST_WORDS:
            continue
        if text == picture.title:
            yield text  # a name, as it is written
        else:
            yield text[0].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _attribute_ideas(opened: OpenCollection) -> Iterator[str]:
    attributes = opened.view.attributes(opened.view.state())
    colours = next((v for n, v in attributes.items() if n.lower().endswith(("colour", "color"))), ())
    named = next((v for n, v in attributes.items() if n.lower() in _TELLING), ())
    if not isinstance(named, tuple):
        return
    for place, value in enumerate(named[:_WANTED]):
        colour = colours[place % len(colours)] if isinstance(colours, tuple) and colours else ""
        yield f"{colour} {value}".strip().lower() if value.islower() else f"{colour} {value}".strip()


def _matches(opened: OpenCollection, message: str) -> int:
    """How many pictures match; the nearest of a collection that shows nothing of the kind would mislead."""
    try:
        return opened.collection.search(message, k=1).matches
    except VisavisError:
        return 0


def warm_up(collections: CollectionRegistry) -> None:
    """Load what the first message needs: the collection, the encoder, the assistant."""
    for name in collections.names()[:_WARMED]:
        with suppress(VisavisError):  # the first request for this one gets the error
            opened = collections.open(name)
            if len(opened.bare):
                _ = opened.assistant
                suggestions(opened)  # which searches, and so loads the encoder too
