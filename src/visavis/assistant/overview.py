"""What a collection holds, for "what kind of pictures do you have?": its size, what they mostly show, what is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from visavis.assistant import notes
from visavis.assistant.retrieval import ConversationSearch
from visavis.conversation.brief import Brief
from visavis.language.context import Attribute, NumberRange
from visavis.language.english import plural, with_article
from visavis.questions.attributes import interest, is_worth_asking
from visavis.search.bank import default_bank
from visavis.search.taken import YEAR
from visavis.search.vectors import VectorSample
from visavis.types import Kind

if TYPE_CHECKING:
    from visavis.api import Collection

#: Things are counted that so many pictures show more than all others; so many of them are told, and values of a kind.
_TRIED, _TOLD = 16, 8
#: Things that people mention less often are no kinds of pictures.
_COMMON = 0.0005
#: Attributes that are told beside the kinds of things, and examples of what to say.
_ATTRIBUTES, _EXAMPLES = 3, 3


def overview(
    collection: Collection, ranking: ConversationSearch, attributes: Mapping[str, Attribute]
) -> notes.CollectionDescribed:
    """What a collection holds.

    Args:
        collection: The collection.
        ranking: Counts the pictures that show a thing.
        attributes: The attributes that messages may name.
    """
    total = ranking.count(Brief()).number
    told = {name: known for name, known in attributes.items() if is_worth_asking(name)}
    kinds = next((name for name, known in told.items() if interest(name) == 0 and known), None)
    if kinds is None:
        things = _things(collection, ranking)
        examples = tuple(with_article(thing) for thing, _ in things[:_EXAMPLES])
    else:
        values = collection.store.facets(kinds, ranking.visible(), _TOLD)
        things = tuple((str(value), count) for value, count in values)
        examples = tuple(value.lower() for value, _ in things[:_EXAMPLES])
    span = attributes.get(YEAR)
    years = (int(span.low), int(span.high)) if isinstance(span, NumberRange) else None
    others = sorted((name for name in told if name not in (kinds, YEAR)), key=interest)[:_ATTRIBUTES]
    return notes.CollectionDescribed(total, things, kinds is None, years, tuple(others), examples)


def _things(collection: Collection, ranking: ConversationSearch) -> tuple[tuple[str, int], ...]:
    """The things that most pictures show, with about how many do."""
    bank = default_bank(collection.encoder, collection.place.folder.parents[1])
    places = [at for at, term in enumerate(bank.concepts) if term.kind is Kind.THING and term.common >= _COMMON]
    sample = VectorSample.take(collection.store, collection.encoder.dimension)
    if not places or not len(sample):
        return ()
    scores = sample.whole_scores(bank.vectors[places])
    likeliest = (scores - scores.mean(axis=0)).argmax(axis=1)  # beyond what it scores on any picture
    tried = Counter(bank.concepts[places[at]].phrase for at in likeliest.tolist()).most_common(_TRIED)
    counted = ((thing, ranking.count(Brief(), plural(thing)).number) for thing, _ in tried)
    return tuple(sorted((one for one in counted if one[1]), key=lambda one: -one[1])[:_TOLD])
