"""What a message starts from: the collection as a conversation sees it, and the draft of the turn that it becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from visavis.assistant.notes import Note
from visavis.collections.catalogue import MOST_FIELDS
from visavis.collections.database import AttributeRow, EditRow, MetaRow
from visavis.collections.words import WordIndex, index_words
from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.conversation.fold import Situation
from visavis.conversation.history import Said
from visavis.conversation.turns import COMPOSED, Hand, PictureComparison, Turn, Window
from visavis.language.commands import Command, Filter, Sort
from visavis.language.commands.wishes import TIMES
from visavis.language.context import Attribute, NumberRange
from visavis.language.dates import TimeRange, days_text
from visavis.language.whereabouts import PLACES
from visavis.pictures.looks import MEASURED
from visavis.pictures.picture import AttributeValue, Picture
from visavis.search.taken import YEAR, days_meant, years_between
from visavis.search.words import asked_words
from visavis.stores.base import Hit
from visavis.types import Question, Result

if TYPE_CHECKING:
    from visavis.api import Collection


@dataclass
class TurnDraft:
    """What the next turn will be.

    Attributes:
        conversation: The conversation that it belongs to.
        number: The number of the turn in the making.
        before: The state that it starts from.
        brief: The wishes.
        window: Which part of the ranking to show.
        hand: The picture in hand.
        results: What is shown, when it was not ranked anew.
        ranks: Whether the ranking has to be made: the brief or the window changed.
        state: What the collection was when the results were found.
        restores: The turn that a rollback points at.
        stepped: The state that undo or redo went to.
        since: The state that the ranking is made after, where it is not the one before.
        chance: What a random choice depends on; drawn anew where it is empty.
        notes: What the reply has to tell, in order.
        question: What to ask back.
        pending: Edits that wait for the answer.
        ranked: The ranking as deep as a questioner wants it, where it was made.
        matches: How many pictures match; None where nothing was ranked.
        about: Whether that is an estimate.
        retriever: The name of the retriever.
        said: What was said, for retrievers that read the dialogue.
        shown: What the person has before them, where it is something else than the results: an album, everything.
        asks: Whether the assistant may ask questions of its own.
        comparison: Pictures that are put side by side.
        may_edit: Whether the person may edit pictures.
        meant: What "this" was before a wish of the same message freed the hand: "like this but in this colour".
    """

    conversation: Conversation
    number: int
    before: Turn
    brief: Brief
    window: Window
    hand: Hand | None
    results: tuple[Result, ...]
    state: str = ""
    ranks: bool = False
    restores: int | None = None
    stepped: Turn | None = None
    since: Turn | None = None
    chance: str = ""
    notes: list[Note] = field(default_factory=list)
    question: Question | None = None
    pending: tuple[str, ...] = ()
    ranked: Sequence[Hit] = ()
    asks: bool = True
    comparison: PictureComparison | None = None
    may_edit: bool = True
    meant: str | None = None
    matches: int | None = None
    about: bool = False
    retriever: str = COMPOSED
    said: Said | None = None
    shown: tuple[str, ...] = ()

    @classmethod
    def after(cls, conversation: Conversation) -> TurnDraft:
        """A draft that starts from the present state."""
        last = conversation.last
        state = last.brief, last.window, last.hand, last.results, last.state
        made = cls(conversation, last.number + 1, last, *state, matches=last.matches, about=last.about)
        made.asks, made.retriever = last.asks, last.retriever
        return made

    @property
    def ranked_since(self) -> Turn:
        """The state that a new ranking is made after: what was shown on the way there has been seen."""
        if self.since is not None:
            return self.since
        return self.before if self.restores is None else self.conversation.turn(self.restores)

    @property
    def this(self) -> str | None:
        """The picture that "this" means."""
        if self.hand is not None:
            return self.hand.picture
        return next(iter(self.seen), None)

    @property
    def seen(self) -> tuple[str, ...]:
        """The ids of the pictures that "#1", "#2" ... mean."""
        return self.shown or tuple(result.id for result in self.results)

    def situation(self, value_of: Callable[[str, str], AttributeValue | None]) -> Situation:
        """The moment, as folding sees it."""
        return Situation(
            turn=self.number,
            shown=self.seen,
            shown_at=0 if self.shown else self.restores or self.before.stands_at,
            this=self.meant or self.this,
            question=self.before.question,
            picture_of=self.conversation.picture_of,
            value_of=value_of,
        )

    def take(self, turn: Turn) -> None:
        """Take over the state of another turn."""
        self.brief, self.window, self.hand, self.results = turn.brief, turn.window, turn.hand, turn.results
        self.shown = ()
        self.meant, self.matches, self.about = None, turn.matches, turn.about
        self.asks, self.retriever = turn.asks, turn.retriever

    def changed(self) -> bool:
        """Whether anything differs from the state before."""
        before = self.before
        return (
            self.ranks
            or self.restores is not None
            or (self.brief, self.window, self.hand, self.asks, self.retriever)
            != (before.brief, before.window, before.hand, before.asks, before.retriever)
            or self.results != before.results
        )

    def _stands_still(self, step: Turn) -> bool:
        """Whether nothing was done after a step back or forth; "less blur" steps back and goes on to something new."""
        unedited = step.hand is None and self.hand is not None and not self.hand.edits and self.hand != self.before.hand
        same_hand = self.hand in (step.hand, None) or unedited  # the picture may have been forgotten since
        return same_hand and self.brief == step.brief and not self.pending and not self.ranks

    def finish(self, message: str, commands: tuple[Command, ...], reply: str) -> Turn:
        """The turn."""
        last = self.before
        turn = Turn(
            number=self.number,
            message=message,
            commands=commands,
            reply=reply,
            brief=self.brief,
            results=self.results,
            window=self.window,
            hand=self.hand,
            question=self.question,
            pending=self.pending,
            asks=self.asks,
            comparison=self.comparison,
            chance=self.chance,
            state=self.state,
            matches=self.matches,
            about=self.about,
            retriever=self.retriever,
        )
        if self.stepped is not None and self._stands_still(self.stepped):
            step = self.stepped
            return replace(turn, grew_from=step.grew_from, stands_at=step.stands_at, undone=step.undone)
        if not self.changed():
            return replace(turn, grew_from=last.grew_from, stands_at=last.stands_at, undone=last.undone)
        return replace(turn, grew_from=last.stands_at, stands_at=self.number, restores=self.restores)


#: So many attributes, most frequent first, can be named in messages.
_MOST_ATTRIBUTES = 40
#: An attribute with more values than this is a text (a title, a web address), not a property.
_MOST_VALUES = 300
#: Places are names, which no other word means.
_MOST_PLACES = 20_000
#: So many pictures tell of what kind an attribute is, and between which numbers it lies; ids are hashes, so the first
#: ones in order are a fair sample.
_SAMPLE = 1000


#: So many titles tell whether they begin with a maker's name.
_TITLES = 50
#: The share of pictures with a year that must tell their day as well.
_NEARLY_ALL = 0.9
#: Attributes that name pictures to machines, and by which people do not filter or sort.
_KEYS = frozenset(("id", "sku", "ean", "gtin", "isbn", "asin", "uuid", "guid", "hash", "url", "file", "path"))


def collection_attributes(collection: Collection) -> Mapping[str, Attribute]:
    """Every attribute that messages may name: its values, or the range of its numbers."""
    found: dict[str, Attribute] = {}
    for name, _count in collection.catalogue.attribute_names()[:_MOST_ATTRIBUTES]:
        if name == "currency" or name.lower() in _KEYS:  # part of a price, and the same for all; told to machines
            continue
        if name in TIMES:  # said in words, so that its values, nearly as many as pictures, are not listened for
            found[name] = ()
            continue
        sample = _sample(collection, name)
        if any(isinstance(value, bool) for value in sample):
            continue
        numbers = [float(value) for value in sample if isinstance(value, int | float)]
        if numbers and len(numbers) == len(sample):
            found[name] = NumberRange(min(numbers), max(numbers))
        elif values := _values(collection, name, _MOST_PLACES if name in PLACES else _MOST_VALUES):
            found[name] = values
    return found


def _sample(collection: Collection, name: str) -> list[Any]:
    with collection.catalogue.transaction() as session:
        query = select(AttributeRow.value).where(AttributeRow.name == name).limit(_SAMPLE)
        return list(session.scalars(query))


def _values(collection: Collection, name: str, most: int) -> tuple[str, ...]:
    values = collection.store.facets(name, limit=most + 1)
    return tuple(str(value) for value, _count in values) if len(values) <= most else ()


#: The number of the last indexing run and of edited pictures; asked in every turn.
_STATE = select(
    select(MetaRow.value).where(MetaRow.key == "run").scalar_subquery(),
    select(func.count()).select_from(EditRow).scalar_subquery(),
)


class CollectionView:
    """The collection as far as a conversation about it depends on it."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._attributes: tuple[str, Mapping[str, Attribute]] | None = None

    def state(self) -> str:
        """A text that changes when the collection does, so that an old ranking may not hold any more.

        Edited pictures do not count: they are made in the middle of conversations and searches leave them out.
        """
        with self._collection.catalogue.reading() as connection:
            run, edited = connection.execute(_STATE).one()
        return f"{run or 0}:{self._collection.store.count() - edited}"

    def attributes(self, state: str) -> Mapping[str, Attribute]:
        """The attributes that messages may name."""
        if self._attributes is None or self._attributes[0] != state:
            self._attributes = (state, collection_attributes(self._collection))
        return self._attributes[1]

    def has(self, attribute: str) -> bool:
        """Whether any picture has this attribute; only beyond the indexed ones does it take a look at the pictures."""
        indexed = self._collection.catalogue.meta("fields", {})
        if attribute in indexed or len(indexed) < MOST_FIELDS:
            return attribute in indexed
        with self._collection.catalogue.transaction() as session:
            return session.scalar(select(AttributeRow.name).where(AttributeRow.name == attribute).limit(1)) is not None

    def orders(self) -> tuple[str, ...]:
        """The fields that pictures can be sorted by: numeric and time attributes, and the measured properties."""
        known = self.attributes(self.state())
        return (*(name for name, kind in known.items() if isinstance(kind, NumberRange) or name in TIMES), *MEASURED)

    def tells(self, time: str) -> bool:
        """Whether pictures have a time attribute; False where many more have only a year, as in catalogues."""
        if not self.has(time) or not self.has(YEAR):
            return self.has(time)
        number = dict(self._collection.catalogue.attribute_names())
        return number.get(time, 0) >= _NEARLY_ALL * number.get(YEAR, 0)

    def is_maker(self, name: str) -> bool:
        """Whether titles that have a name begin with it, so that it is the maker's."""
        words, index = asked_words(name), WordIndex(self._collection.catalogue)
        frequencies = index.frequencies(words)
        if not words or len(frequencies) < len(words):
            return False
        rarest = min(words, key=lambda word: frequencies[word])
        held = self._collection.catalogue.pictures(index.holding(rarest, _TITLES)).values()
        begun = [index_words(picture.title)[: len(words)] == words for picture in held]
        return sum(begun) > len(begun) / 2

    def is_written(self, phrase: str) -> bool:
        """Whether any title or caption has these words beside each other."""
        words, index = asked_words(phrase), WordIndex(self._collection.catalogue)
        if not words or len(index.frequencies(words)) < len(words):
            return False
        held = self._collection.catalogue.pictures(index.holding(max(words, key=len), _TITLES)).values()
        texts = (text.lower() for picture in held for text in (picture.title, *picture.captions))
        return any(f" {phrase.lower()}" in f" {text}" for text in texts)

    def value_of(self, picture: str, attribute: str) -> AttributeValue | None:
        """The value of a picture's attribute."""
        found = self.known(picture)
        return found.attributes.get(attribute) if found else None

    def known(self, picture: str) -> Picture | None:
        """What is known of a picture; None where it is gone."""
        return self._collection.catalogue.picture(picture)


#: Years that stand for a time where pictures tell no more than their year: so many at most are listed.
_MOST_YEARS = 40
#: The bound of years that each comparison sets.
_BOUNDS = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least"}


def in_days(commands: Sequence[Command], view: CollectionView, today: date) -> tuple[Command, ...]:
    """Commands in which times are days: "last summer" means something else next year, its days do not.

    Where pictures tell only the year they are from, the time becomes years.

    Raises:
        BadInputError: Words mean no time.
    """
    return tuple(_in_days(command, view, today) for command in commands)


def _in_days(command: Command, view: CollectionView, today: date) -> Command:
    if isinstance(command, Sort) and command.field in TIMES and not view.tells(command.field) and view.has(YEAR):
        return replace(command, field=YEAR)
    if not isinstance(command, Filter) or command.field not in TIMES:
        return command
    value = command.values[0]
    if isinstance(value, str):
        found = days_meant(value, today)
    elif isinstance(value, float):
        found = _years(command, value)
    else:
        return command
    if not view.tells(command.field) and view.has(YEAR):
        return _in_years(command, found)
    return Filter(command.field, "!=" if command.comparison == "!=" else "=", (days_text(found),))


def _years(command: Filter, year: float) -> TimeRange:
    if command.comparison in _BOUNDS:
        return years_between(**{_BOUNDS[command.comparison]: year})
    years = [value for value in command.values if isinstance(value, float)]
    return years_between(at_least=min(years), at_most=max(years))


def _in_years(command: Filter, found: TimeRange) -> Filter:
    first = found.first.year if found.first else None
    last = found.last.year if found.last else None
    if first is None or last is None or last - first >= _MOST_YEARS:
        bound, comparison = (last, "<=") if first is None else (first, ">=")
        return Filter(YEAR, comparison, (float(bound or 0),))  # type: ignore[arg-type]  # one of the comparisons
    years = tuple(float(year) for year in range(first, last + 1))
    return Filter(YEAR, "!=" if command.comparison == "!=" else "=", years)
