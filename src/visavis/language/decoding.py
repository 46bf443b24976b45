"""The grammar as an automaton over pieces: what is written under it is always a list of valid commands.

A state is a set of places in the grammar, one for each way in which the pieces so far can be read. A verb has one or
more forms, a form is a sequence of slots, and a slot says piece by piece what may stand in it. What the context
states limits the slots: attributes and their values, pictures that are shown, turns that were taken. What it does not
state is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from visavis.language.commands.edits import AttributeName, Axis
from visavis.language.commands.talk import ChatKind
from visavis.language.commands.wishes import RELEVANCE, TIMES
from visavis.language.context import Attribute, Context, NumberRange
from visavis.language.pieces import VERB_OF
from visavis.language.slots import Colour, Form, FreeText, Inner, Marks, Maybe, Number, OneOf, Slot, one_of
from visavis.language.vocabulary import MessageVocabulary
from visavis.pictures.looks import MEASURED

_MOST_COMMANDS = 8


@dataclass(frozen=True)
class Position:
    """Where in a form the pieces of a command have come to."""

    form: Form
    slot: int = 0
    inner: Inner = ()

    def step(self, piece: int) -> Iterable[Position]:
        """The places after one more piece."""
        if self.slot >= len(self.form):
            return
        if self.form[self.slot].step(self.inner, piece):
            yield Position(self.form, self.slot, (*self.inner, piece))
        at = self.slot
        inner = self.inner
        while at + 1 < len(self.form) and self.form[at].complete(inner):
            at, inner = at + 1, ()
            if self.form[at].step((), piece):
                yield Position(self.form, at, (piece,))

    @property
    def complete(self) -> bool:
        """Whether the command may end here."""
        if not self.form:
            return True
        return self.form[self.slot].complete(self.inner) and all(s.complete(()) for s in self.form[self.slot + 1 :])


@dataclass(frozen=True)
class State:
    """What was written so far, as the grammar sees it.

    Attributes:
        places: Where the command being written may have come to.
        current: Its pieces.
        before: The pieces of the command before it.
        count: How many commands there are.
    """

    places: tuple[Position, ...] = ()
    current: Inner = ()
    before: Inner = ()
    count: int = 0

    @property
    def complete(self) -> bool:
        """Whether the command being written may end here."""
        return self.count > 0 and self.current != self.before and any(place.complete for place in self.places)


#: Those that the weights learned to write; the others are set by sliders and commands.
_LEARNED: tuple[AttributeName, ...] = ("brightness", "contrast", "saturation", "warmth", "sharpness")
_ATTRIBUTES = OneOf(_LEARNED)
_AMOUNT = Number(0, 100, decimals=True, optional=True)
_STEPS = Number(2, 1000, optional=True)
_SIDE = Number(1, 30_000)
_ALONE = frozenset({"chat", "clarify"})
#: What people bound and order by though the collection may not tell it: the reply says so.
_PRICED = ("price", "rating")
#: ... and what they ask the values of in words of their own ("who makes these?").
_ASKED_OF = ("brand", *_PRICED)
_ORDERED_BY = (*TIMES, *_PRICED, *MEASURED, RELEVANCE)
_EQUAL, _ORDER = Marks("=", "!="), Marks("=", "!=", "<", "<=", ">", ">=")


def _edits(text: FreeText) -> dict[str, list[Form]]:
    """The forms of edits, without what they are about."""
    whole = Number(1, 1000)
    edge = Number(0, 999_999)
    comma = Marks("comma")
    return {
        "rotate": [(Maybe("clockwise"), Number(0, 360, decimals=True))],
        "adjust_attr": [(_ATTRIBUTES, Number(-100, 100, decimals=True))],
        "adjust_color": [(Colour(), Number(0, 100, decimals=True))],
        "crop": [(whole, Marks("colon"), whole)],
        "image_cutout": [()],
        "flip": [(OneOf(get_args(Axis)),)],
        "resize": [
            (_SIDE, Marks("x")),
            (Marks("x"), _SIDE),
            (_SIDE, Marks("x"), _SIDE),
            (Number(1, 1000, decimals=True), Marks("percent")),
        ],
        "straighten": [(Number(-45, 45, decimals=True, optional=True),)],
        "blur": [(_AMOUNT,)],
        "sepia": [(_AMOUNT,)],
        "vignette": [(_AMOUNT,)],
        "grayscale": [()],
        "invert": [()],
        "enhance": [()],
        "border": [(whole, Colour())],
        "caption": [(Marks("top", "center", "bottom"), text)],
        "replace_background": [(text,), (Marks("this"),)],
        "crop box": [(edge, comma, edge, comma, edge, comma, edge)],
    }


#: What refers to something before it.
_LATER = ("rollback", "undo", "redo", "select", "like", "unlike", "keep", "why", "compare", "repeat", "more", "fewer")


class Grammar:
    """The automaton for one context.

    Args:
        context: What limits the commands.
        message: What was said, so that texts keep to its words; without it they may have any words.
        asks: Whether a question back may be written instead of commands.
    """

    def __init__(self, context: Context, message: str | None = None, *, asks: bool = True) -> None:
        self._vocabulary = None if message is None else MessageVocabulary(message, context)
        # A wish is in the person's own words: values that the collection has but nobody said are never wished for.
        own = replace(context, attributes={}, question=None)
        self._wishes = None if message is None else MessageVocabulary(message, own)
        self._said = None if message is None else MessageVocabulary(message, Context())
        self._shown = context.shown or 1000
        self._turns = context.turns or 1000
        # Nobody goes back to where one is, but from a picture to its results.
        self._back = self._turns if context.picture else max(1, self._turns - 1)
        self._asked = context.question is not None
        self._attributes = context.attributes
        self._forms = self._all_forms()
        if not asks:
            del self._forms["clarify"]
        if context.begins:
            self._forms |= {verb: [] for verb in _LATER}

    def start(self) -> State:
        """Nothing is written."""
        return State()

    def step(self, state: State, piece: int) -> State | None:
        """The state after one more piece, or None where it may not follow."""
        if piece in VERB_OF:
            return self._verb(state, piece)
        places = tuple(after for place in state.places for after in place.step(piece))
        return State(places, (*state.current, piece), state.before, state.count) if places else None

    def ends(self, state: State) -> bool:
        """Whether everything may end here."""
        return state.complete

    def accepts(self, ids: Sequence[int]) -> bool:
        """Whether pieces, without the end, are a list of commands."""
        state: State | None = self.start()
        for piece in ids:
            state = self.step(state, piece) if state else None
        return state is not None and self.ends(state)

    def _verb(self, state: State, piece: int) -> State | None:
        verb = VERB_OF[piece]
        if state.count and (not state.complete or state.count >= _MOST_COMMANDS):
            return None
        if state.count and (verb in _ALONE or VERB_OF[state.current[0]] in _ALONE):
            return None
        forms = self._forms.get(verb, ())
        if not forms:
            return None
        return State(tuple(Position(form) for form in forms), (piece,), state.current, state.count + 1)

    def _all_forms(self) -> dict[str, list[Form]]:
        phrase = FreeText(self._vocabulary)
        maybe = FreeText(self._vocabulary, optional=True)
        target: Form = (Marks("on"), phrase)
        text: list[Form] = [(phrase,)]
        shown: Form = (Marks("#"), Number(1, self._shown))
        this: Form = (Marks("this"),)
        picture = [shown, this]
        forms: dict[str, list[Form]] = dict.fromkeys(("forget", "ask", "remove"), text)
        wish: list[Form] = [(FreeText(self._wishes),)]
        forms |= dict.fromkeys(("search", "refine", "avoid"), wish)
        forms |= dict.fromkeys(("like", "unlike", "select", "describe", "why"), picture)
        forms |= {verb: [(_STEPS,)] for verb in ("undo", "redo")}
        forms |= {verb: [(Number(1, 1000, optional=True),)] for verb in ("more", "fewer")}
        turn: Form = (Marks("@"), Number(1, self._turns))
        forms |= {
            "answer": text if self._asked else [],
            "keep": [(phrase, *source) for source in (turn, shown, this)],
            "rollback": [(Number(1, self._back),)],
            "random": [(Number(1, 1000, optional=True),)],
            "count": [(FreeText(self._wishes, optional=True),)],
            "compare": [(*first, *rest) for first in picture for rest in self._several(shown, 3)],
            "questions": [(OneOf(("on", "off")),)],
            "recolor": [(Colour(), *target)],
            "reset": [(Maybe("edits"),)],
            "repeat": [(Marks("next"), Number(1, 1000)), *self._several(shown, 12)],
            "export": [(maybe,)],
            "chat": [(OneOf(get_args(ChatKind)),)],
            "clarify": [()],
        }
        for verb, bare in _edits(phrase).items():
            forms.setdefault(verb.split()[0], [])
            forms[verb.split()[0]] += [*bare, *((*form, *target) for form in bare if verb != "crop box")]
        forms["crop"] = [*forms["crop"], target]
        forms["replace_background"] = [*forms["replace_background"], shown, (*shown, *target)]
        return forms | self._on_attributes(shown, this)

    @staticmethod
    def _several(one: Form, most: int) -> list[Form]:
        return [one * count for count in range(1, most + 1)]

    def _on_attributes(self, shown: Form, this: Form) -> dict[str, list[Form]]:
        """Filters, orders and questions about attributes: those of the collection, or any where none are known."""
        taken = OneOf(TIMES)
        filters: list[Form]
        times: list[Form] = [(taken, _EQUAL, FreeText(self._vocabulary))]
        if not self._attributes:
            number = Number(-1e9, 1e9, decimals=True)
            free = FreeText(self._vocabulary)
            filters = [(free, _EQUAL, *form) for form in _alternatives(free)]
            filters += [(free, _ORDER, number), (free, _ORDER, *shown), (free, _ORDER, *this)]
            filters += [(free, _EQUAL, *form) for form in _alternatives(number)] + times
            said = FreeText(self._said)  # and no word of the topic: nobody orders by a table
            order = Marks("asc", "desc")
            return {"filter": filters, "sort": [(OneOf(_ORDERED_BY), order), (said, order)], "values": [(free,)]}
        # What the collection does not tell may be asked for in the words that were said: the reply says so.
        untold: list[Form] = [(FreeText(self._vocabulary),)] if self._vocabulary else []
        names = OneOf(self._attributes)
        numeric = OneOf(name for name, values in self._attributes.items() if _is_numeric(values))
        number = Number(-1e9, 1e9, decimals=True)
        filters = [(numeric, _ORDER, number), (names, _ORDER, *shown), (names, _ORDER, *this)]
        filters += [(OneOf((name,)), _ORDER, number) for name in _PRICED if name not in self._attributes]
        filters += [(numeric, _EQUAL, *form) for form in _alternatives(number)]
        for name, values in self._attributes.items():
            if not isinstance(values, NumberRange):
                filters += [(OneOf((name,)), _EQUAL, *form) for form in _alternatives(one_of(values))]
        return {
            "filter": [*filters, *times],
            "sort": [(OneOf(dict.fromkeys((*self._attributes, *_ORDERED_BY))), Marks("asc", "desc"))],
            "values": [(OneOf((*self._attributes, *TIMES, *_ASKED_OF)),), *untold],
        }


def _alternatives(value: Slot, most: int = 6) -> list[Form]:
    return [(value, *((Marks("or"), value) * count)) for count in range(most)]


def _is_numeric(values: Attribute) -> bool:
    return isinstance(values, NumberRange) or all(v.replace(".", "", 1).isdecimal() for v in values)
