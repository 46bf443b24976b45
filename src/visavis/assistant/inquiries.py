"""Answers to questions about pictures and about the collection; nothing that is shown changes by them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from visavis.assistant import notes
from visavis.assistant.draft import CollectionView, TurnDraft
from visavis.assistant.picture_questions import MAKERS, PictureQuestions, maker_in
from visavis.assistant.replies import in_one_text
from visavis.assistant.retrieval import ConversationSearch
from visavis.assistant.seen import PictureView, Seen, seen_apart
from visavis.assistant.thing_colours import ThingColours
from visavis.conversation.brief import Brief, comparison
from visavis.conversation.fold import Situation
from visavis.conversation.turns import PictureComparison
from visavis.errors import BadInputError, NotFoundError
from visavis.language.commands import (
    Ask,
    Command,
    Compare,
    Count,
    Describe,
    Known,
    Questions,
    Values,
    Why,
    parse_command,
)
from visavis.language.commands import Filter as FilterCommand
from visavis.language.context import NumberRange, nouns_in
from visavis.language.english import is_general, listed, singular
from visavis.pictures.picture import Picture
from visavis.questions.attributes import is_worth_asking, value_in_words
from visavis.search.captions import stems
from visavis.search.taken import YEAR
from visavis.search.values import compounds
from visavis.stores.filters import All, AnyOf, Filter, HasId, matches
from visavis.types import NO_WISH, Concept, Reason, Wish, condition_in_words, name_in_words

if TYPE_CHECKING:
    from visavis.api import Collection

#: Values of an attribute that are told, most frequent first.
_MOST_VALUES = 20
#: So many titles are read for the makers that they begin with.
_TITLES = 2000
#: A year that is counted by.
_YEAR_SAID = re.compile(r"(?:(?:from|in|of|taken in|made in) )?((?:19|20)\d\d)", re.IGNORECASE)
#: A condition in its text form.
_COMPARES = re.compile(r'(?:"[^"]+"|[^\W\d]\w*) (?:<=|>=|!=|<|>|=) .+')
#: What stands between alternatives.
_OR = re.compile(r"\s*,\s*(?:or\s+)?|\s+or\s+")
#: A picture fits a description from the first probability on, and surely from the second on.
_FITS, _SURE = 0.5, 0.8
#: ... and may fit it from this one on; of those that may, so many are named where none fits rather than not.
_MAY_FIT, _NEAREST = 0.1, 3
#: Pictures whose probabilities of fitting a wish are nearer than this are alike in it.
_APART = 0.1
#: Attributes that name a picture and say nothing about it.
_NOT_COMPARED = frozenset(("title", "id", "file", "path", "url"))
#: What a camera tells, which says nothing about the goods of a shop; and what only shops have.
_OF_CAMERAS, _OF_SHOPS = frozenset(("taken", "camera", "latitude", "longitude")), ("price", *MAKERS)
#: So many things seen in a picture are looked at for their colours.
_COMPARED = 6


class Seer(Protocol):
    """Says what a picture shows."""

    def concepts(self, picture: str, message: str = "") -> tuple[Concept, ...]:
        """The things that the picture with this id shows; what the message names is looked for in any case."""


@dataclass(frozen=True)
class Inquiries:
    """Answers questions about one collection.

    Attributes:
        collection: The collection.
        view: Its attributes.
        ranking: Judges how well pictures fit words.
        seer: Says what a picture shows.
        colours: Says what colours a thing in it has; where it is missing, those that the seer tells.
    """

    collection: Collection
    view: CollectionView
    ranking: ConversationSearch
    seer: Seer
    colours: ThingColours | None = None

    def answer(self, draft: TurnDraft, command: Command, situation: Situation) -> None:
        """Answer one command by a note on the draft.

        Raises:
            BadInputError: It points at a picture that is not there.
        """
        match command:
            case Questions():
                draft.asks = command.state == "on"
                draft.notes.append(notes.QuestionsSwitched(draft.asks))
            case Count():
                count = self._count(draft, command.text)
                near = self._nearest(draft, count.text) if count.text and not count.number else ()
                _add_count(draft.notes, replace(count, asked=command.text or "", near=near))
            case Values():
                draft.notes.append(self._values(draft, command.field))
            case Describe():
                picture = self._picture(situation.picture(command.picture))
                draft.notes.append(notes.PictureDescribed(_name(situation, command), self._view_of(picture)))
            case Ask():
                asked = self._view_of(self._picture(situation.picture(situation_this(draft))), command.text)
                said = PictureQuestions(asked, partial(self.ranking.probabilities, asked.picture.id)).answer(
                    command.text
                )
                draft.notes.append(notes.QuestionAnswered(command.text, said))
            case Why():
                draft.notes.append(self._why(draft, _name(situation, command), situation.picture(command.picture)))
            case Compare():
                ids = [situation.picture(reference) for reference in command.pictures]
                named = [str(reference) for reference in command.pictures]
                draft.comparison = PictureComparison(tuple(ids), self._differences(ids, draft.brief))
                draft.notes.append(notes.PicturesCompared(tuple(named), draft.comparison.rows))

    # -- counts and values -----------------------------------------------------------------------------

    def _count(self, draft: TurnDraft, text: str | None) -> notes.PicturesCounted:
        """How many pictures fit: by an attribute exactly, where one has this value, else as far as can be seen."""
        among = _told(draft.brief)
        if draft.matches == 0 and draft.results:
            return self._count_shown(draft, text, among)
        if text is None:
            found, total = self.ranking.count(draft.brief), self.ranking.count(Brief()).number if among else None
            return notes.PicturesCounted(found.number, found.sure, among=among, everywhere=total, more=found.more)
        condition, attribute, words = self._counted_by(text)
        everywhere = self.ranking.count(Brief(), words, condition)
        if not among:
            return notes.PicturesCounted(everywhere.number, everywhere.sure, words, attribute, more=everywhere.more)
        here = self.ranking.count(draft.brief, words, condition)
        most = max(here.number, everywhere.number)  # among all pictures a word may be refused as absent
        sure = here.sure if words or draft.about else None  # a condition is no matter of looks
        return notes.PicturesCounted(here.number, sure, words, attribute, among, most, here.more)

    def _count_shown(self, draft: TurnDraft, text: str | None, among: str) -> notes.PicturesCounted:
        """The same of what is shown, where nothing matches the wishes: "these" are the nearest."""
        ids = [result.id for result in draft.results]
        if text is None:
            total = self.ranking.count(Brief()).number
            return notes.PicturesCounted(0, None, among=among, everywhere=total, shown=len(ids))
        condition, attribute, words = self._counted_by(text)
        everywhere = self.ranking.count(Brief(), words, condition).number
        if condition is not None:
            payloads = self.collection.store.payloads(ids)
            ids = [id for id in ids if matches(condition, payloads.get(id, {}), id)]
        if not words:
            return notes.PicturesCounted(len(ids), None, "", attribute, among, everywhere, shown=len(draft.results))
        chances = self.ranking.fits(ids, words).values() if ids else ()
        number, sure = sum(chance >= _FITS for chance in chances), sum(chance >= _SURE for chance in chances)
        return notes.PicturesCounted(
            number, sure, words, attribute, among, max(number, everywhere), shown=len(draft.results)
        )

    def _nearest(self, draft: TurnDraft, words: str) -> tuple[int, ...]:
        """The numbers of the pictures shown that may fit words though none does rather than not, the nearest first."""
        ids = [result.id for result in draft.results]
        chances = self.ranking.fits(ids, words) if ids else {}
        may = sorted((id for id in chances if chances[id] >= _MAY_FIT), key=lambda id: -chances[id])
        return tuple(ids.index(id) + 1 for id in may[:_NEAREST])

    def _counted_by(self, text: str) -> tuple[Filter | None, str, str]:
        """The condition in a text that is counted, the same in words, and the words that are left to look for."""
        words, *given = text.split("; ")
        conditions = [parse_command(f"filter {one}") for one in (*given, words) if _is_condition(one)]
        if conditions:
            told = [condition_in_words(str(one).removeprefix("filter ")) for one in conditions]
            every = tuple(one.condition() for one in conditions if isinstance(one, FilterCommand))
            return All(every), listed(told, "and"), "" if _is_condition(words) else words
        if (named := self._values_named(text)) is None:
            return None, "", text
        name, values, words = named
        return AnyOf(name, _typed(name, values)), f"{name_in_words(name)} {listed(values, 'or')}", words

    def _values_named(self, text: str) -> tuple[str, tuple[str, ...], str] | None:
        """The attribute and the values that a text is, whatever their case and number, and the words that follow them.

        "Brown or blue" are two values of one attribute; words may follow several values ("brown or blue bags"), but one
        value with words is a description ("blue bags").
        """
        if (year := _YEAR_SAID.fullmatch(text.strip())) and self.view.has(YEAR):
            return YEAR, (year[1],), ""
        *ways, last = _OR.split(compounds(text).lower().removeprefix("for "))
        for name, known in self.view.attributes(self.view.state()).items():
            if isinstance(known, NumberRange):
                continue
            own = {form: value for value in known for form in (singular(value.lower()), value.lower())}
            found = [own.get(way) or own.get(singular(way)) for way in ways]
            said = last.split()
            for end in range(len(said), 0 if ways else len(said) - 1, -1):
                head = " ".join(said[:end])
                if (value := own.get(head) or own.get(singular(head))) and all(found):
                    return name, tuple(dict.fromkeys(filter(None, (*found, value)))), " ".join(said[end:])
        return None

    def _values(self, draft: TurnDraft, field: str) -> notes.Note:
        """The values of an attribute among the pictures that match; where none does, among those shown."""
        brief = draft.brief
        known = self.view.attributes(self.view.state()).get(field)
        names = [name for name, _ in self.collection.catalogue.attribute_names()]
        if isinstance(known, NumberRange):
            return notes.NumbersListed(field, known.low, known.high)
        if field not in names:
            makers = self._makers(brief) if field.lower() in MAKERS else ()
            if makers:
                more = max(0, len(makers) - _MOST_VALUES)
                return notes.ValuesListed(field, makers[:_MOST_VALUES], more, _told(brief), titles=True)
            if is_general(field):
                from visavis.assistant.overview import overview

                return overview(self.collection, self.ranking, self.view.attributes(self.view.state()))
            return notes.AttributeUnknown(field, "values", tuple(name for name in names if is_worth_asking(name)))
        facets, told = self.collection.store.facets, _told(brief, field)
        if draft.matches == 0 and draft.results:
            shown = HasId(tuple(result.id for result in draft.results))
            values = tuple((str(value), count) for value, count in facets(field, shown, _MOST_VALUES))
            return notes.ValuesListed(field, values, 0, told, len(draft.results))
        among = self.collection.engine.retriever.matching(brief.wishes) if brief.of("want") else []
        narrowed = bool(among or brief.of("filter"))
        counted = facets(field, self.ranking.scope(brief, field, among), _MOST_VALUES + 1) if narrowed else []
        if not counted:
            counted, told = facets(field, self.ranking.visible(), _MOST_VALUES + 1), ""
        counted = [(value, count) for value, count in counted if not _is_avoided(field, str(value), brief)]
        more = int(len(counted) > _MOST_VALUES)
        if more and known and not told:
            more = len(known) - _MOST_VALUES
        values = tuple((str(value), count) for value, count in counted[:_MOST_VALUES])
        return notes.ValuesListed(field, values, more, told)

    def _makers(self, brief: Brief) -> tuple[tuple[str, int], ...]:
        """The makers that the titles of matching pictures begin with, most frequent first."""
        among = self.collection.engine.retriever.matching(brief.wishes) if brief.of("want") else []
        counted: Counter[str] = Counter()
        spelled: dict[str, str] = {}  # "BIBA" and "Biba" are one
        for title, number in self.collection.store.facets("title", self.ranking.scope(brief, among=among), _TITLES):
            if maker := maker_in(title, ()):
                counted[spelled.setdefault(maker.casefold(), maker)] += number
        return tuple(counted.most_common())

    # -- one picture -----------------------------------------------------------------------------------

    def _picture(self, id: str) -> Picture:
        found = self.collection.catalogue.picture(id)
        if found is None:
            raise NotFoundError(f"The picture {id[:8]} is not in the collection any more.", "Search for another one.")
        return found

    def _view_of(self, picture: Picture, question: str = "") -> PictureView:
        """What is known of a picture: what came with it, and what can be seen in it."""
        concepts = self.seer.concepts(picture.id, question)
        seen = [Seen.of(concept) for concept in concepts]
        if self.colours is not None:
            asked = frozenset(map(singular, nouns_in(question)))
            about = [at for at, one in enumerate(seen) if (one.noun in asked if question else one.clear)]
            for at in about[:_COMPARED] or range(min(1, len(seen))):
                seen[at] = Seen.of(concepts[at], *self.colours.of(picture.id, concepts[at]))
        return PictureView(picture, tuple(seen))

    def _why(self, draft: TurnDraft, name: str, id: str) -> notes.Note:
        shown = next((result for result in draft.results if result.id == id), None)
        hand = draft.hand
        if shown is None and hand is not None and hand.picture == id:  # the edited picture is here for its source
            shown = next((result for result in draft.results if result.id == hand.source), None)
        picture = self._picture(id)
        wishes = draft.brief.wishes
        because = self.ranking.stands(id, draft.brief) if shown is None else shown.because
        told = [(_label(reason, wishes), reason.fit) for reason in because]
        told += [pair for wish in draft.brief.of("filter") if (pair := _condition_told(wish, picture)) is not None]
        told += [(wish.label, 1.0) for wish in draft.brief.of("avoid") if shown and not _is_told(wish, wishes, because)]
        return notes.ReasonsGiven(name, tuple(told), shown is not None, bool(draft.brief.active))

    # -- several pictures ------------------------------------------------------------------------------

    def _differences(self, ids: Sequence[str], brief: Brief) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What differs between pictures: words, attributes, what is seen in only some, and how each fits the wishes."""
        views = [self._view_of(self._picture(id)) for id in ids]
        rows: list[tuple[str, tuple[str, ...]]] = []
        captions = tuple(view.picture.caption or view.picture.title for view in views)
        if len(set(captions)) > 1:
            rows.append(("caption", captions))
        attributes = [view.picture.attributes for view in views]
        left_out = _NOT_COMPARED
        if any(name.lower() in _OF_SHOPS for one in attributes for name in one):
            left_out |= _OF_CAMERAS
        for name in dict.fromkeys(name for one in attributes for name in one if name not in left_out):
            values = tuple(_value_told(one.get(name)) for one in attributes)
            if len(set(values)) > 1:
                rows.append((name_in_words(name), values))
        sizes = tuple(f"{view.picture.width} × {view.picture.height}" for view in views)
        if len(set(sizes)) > 1:
            rows.append(("size", sizes))
        rows += seen_apart(views)
        rows += self._fit_apart(ids, brief)
        return tuple(rows)

    def _fit_apart(self, ids: Sequence[str], brief: Brief) -> list[tuple[str, tuple[str, ...]]]:
        stands = [{reason.wish: reason.fit for reason in self.ranking.stands(id, brief)} for id in ids]
        rows = []
        for place, wish in enumerate(brief.wishes):
            fits = [one.get(place) for one in stands]
            known = [fit for fit in fits if fit is not None]
            if len(known) == len(ids) and max(known) - min(known) >= _APART:
                rows.append((f"fits “{wish.label}”", tuple(f"{fit:.0%}" for fit in known)))
        return rows


def _add_count(told: list[notes.Note], count: notes.PicturesCounted) -> None:
    """Tell a count; beside those of the same message, where there are any."""
    before = told[-1] if told else None
    if isinstance(before, notes.CountsCompared):
        told[-1] = notes.CountsCompared((*before.counts, count))
    elif isinstance(before, notes.PicturesCounted):
        told[-1] = notes.CountsCompared((before, count))
    else:
        told.append(count)


def _typed(name: str, values: tuple[str, ...]) -> tuple[str | int, ...]:
    """Values as the collection has them: years are numbers."""
    return tuple(int(value) for value in values) if name == YEAR else values


def _is_condition(text: str) -> bool:
    """Whether a text is a condition in its text form: ``price < 25``."""
    return _COMPARES.fullmatch(text) is not None


def _is_avoided(field: str, value: str, brief: Brief) -> bool:
    """Whether a wish is against a value of an attribute: an exclusion of "blue" leaves out navy blue as well."""
    words = stems(value)
    if any((denied := stems(wish.text)) and denied <= words for wish in brief.of("avoid")):
        return True
    filters = (comparison(wish) for wish in brief.of("filter"))
    return any(
        one and (one.field, one.comparison) == (field, "!=") and value in map(str, one.values) for one in filters
    )


def situation_this(draft: TurnDraft) -> Known:
    """The picture that a question is about."""
    if draft.this is None:
        raise BadInputError("There is no picture yet that could be meant.", "Search first, or point at one.")
    return Known(draft.this)


def _told(brief: Brief, without: str = "") -> str:
    """The wishes that limit what is shown, in words; filters on the attribute ``without`` left out."""
    limits = [wish for wish in brief.active if wish.kind != "sort"]
    return in_one_text([wish for wish in limits if wish.kind != "filter" or wish.attribute != without])


def _name(situation: Situation, command: Describe | Why) -> str:
    """How the reply calls a picture."""
    if isinstance(command.picture, Known):
        return situation.told(command.picture)
    return "This picture" if str(command.picture) == "this" else str(command.picture)


def _label(reason: Reason, wishes: Sequence[Wish]) -> str:
    return reason.text if reason.wish == NO_WISH else wishes[reason.wish].label


def _is_told(wish: Wish, wishes: Sequence[Wish], because: Sequence[Reason]) -> bool:
    return any(0 <= reason.wish < len(wishes) and wishes[reason.wish] is wish for reason in because)


def _condition_told(wish: Wish, picture: Picture) -> tuple[str, float] | None:
    """A condition with the picture's own value: it passed, or it would not be among the results."""
    command = comparison(wish)
    if command is None:
        return None
    value = picture.attributes.get(command.field)
    return (f"{wish.label} (it has {_value_told(value)})" if value is not None else wish.label), 1.0


def _value_told(value: object) -> str:
    return "–" if value is None else value_in_words(value)
