"""Folds commands into the brief: a pure function of the wishes, a command and the situation in which it was said."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from visavis.conversation.aspects import aspect_of, described, plain
from visavis.conversation.brief import NOTHING, Brief, comparison
from visavis.conversation.contradictions import settle, topic_of, without_values
from visavis.errors import BadInputError
from visavis.language.commands import (
    Answer,
    AtTurn,
    Avoid,
    Command,
    Filter,
    Forget,
    Keep,
    Known,
    Like,
    Refine,
    Reset,
    Search,
    Shown,
    Sort,
    This,
    Unlike,
)
from visavis.language.english import content_words
from visavis.pictures.picture import AttributeValue
from visavis.types import Question, Wish, WishKind


def _no_picture(_turn: int) -> str | None:
    return None


def _no_value(_picture: str, _attribute: str) -> AttributeValue | None:
    return None


@dataclass(frozen=True)
class Situation:
    """The moment in which a command was said.

    Attributes:
        turn: The turn that is being made.
        shown: The ids of the pictures on the table, in order.
        shown_at: The turn that put them there; 0 where they are none of its results.
        this: The id of the picture that "this" means: the one in hand, or the first shown.
        question: The question that was waiting.
        picture_of: Gives the picture that a turn ended with.
        value_of: Gives the value of a picture's attribute.
    """

    turn: int
    shown: tuple[str, ...] = ()
    shown_at: int = 0
    this: str | None = None
    question: Question | None = None
    picture_of: Callable[[int], str | None] = _no_picture
    value_of: Callable[[str, str], AttributeValue | None] = _no_value

    def picture(self, reference: Shown | This | AtTurn | Known) -> str:
        """The id of the picture that a command points at.

        Raises:
            BadInputError: It points at nothing.
        """
        match reference:
            case Shown(number):
                if number > len(self.shown):
                    there = f"There are {len(self.shown)}: #1 to #{len(self.shown)}." if self.shown else "Search first."
                    raise BadInputError(f"There is no picture #{number} here.", there)
                return self.shown[number - 1]
            case AtTurn(turn):
                if not 1 <= turn < self.turn:
                    raise BadInputError(f"There is no turn {turn}.", f"This is turn {self.turn}.")
                if (id := self.picture_of(turn)) is None:
                    raise BadInputError(f"Turn {turn} showed no picture.", "Name another turn.")
                return id
            case Known(id):
                return id
            case _:
                if self.this is None:
                    raise BadInputError("There is no picture yet that could be meant.", "Search first.")
                return self.this

    def told(self, reference: Shown | This | AtTurn | Known) -> str:
        """The picture in words that still hold when something else is on the table."""
        match reference:
            case _ if self.shown_at == 0:
                return f"picture {self.picture(reference)[:8]}"
            case Shown(number):
                return f"#{number} of turn {self.shown_at}"
            case AtTurn(turn):
                return f"turn {turn}"
            case Known(id):
                return (
                    f"#{self.shown.index(id) + 1} of turn {self.shown_at}" if id in self.shown else f"picture {id[:8]}"
                )
            case _:
                place = self.shown.index(self.this) + 1 if self.this in self.shown else 0
                return f"#{place} of turn {self.shown_at}" if place else f"the picture of turn {self.turn - 1}"

    def turn_of(self, reference: Shown | This | AtTurn | Known) -> int:
        """The turn that showed the picture."""
        return reference.turn if isinstance(reference, AtTurn) else self.shown_at


#: More wishes than this are not listed: first those that do not count go, oldest first, then those that do.
MOST_WISHES = 64


def fold(brief: Brief, command: Command, situation: Situation) -> Brief:
    """The brief after a command. Commands that are no wishes (edits, steps back, small talk) leave it as it is.

    Args:
        brief: What was wanted before.
        command: What was said.
        situation: The moment in which it was said: what "#3", "this" and "turn 2" mean.

    Raises:
        BadInputError: The command points at a picture that is not there.
    """
    match command:
        case Search():
            kept = Brief(tuple(w for w in brief.wishes if w.pinned or w.turn == situation.turn))
            return _with_text(kept, "want", command.text, situation)
        case Refine():
            return _refined(brief, command, situation)
        case Avoid():
            return _with_text(brief, "avoid", command.text, situation)
        case Answer():
            for wanted, text in wishes_of(command.text, situation.question):
                brief = _with_text(brief, "want" if wanted else "avoid", text, situation)
            return brief
        case Like() | Unlike():
            kind: WishKind = "like" if isinstance(command, Like) else "unlike"
            return _with(brief, _pointing(kind, command.picture, situation), situation)
        case Keep():
            kept_wish = replace(_pointing("keep", command.source, situation), attribute=command.attribute)
            return _with(brief, kept_wish, situation)
        case Filter():
            resolved = _resolved(command, situation)
            text = str(resolved).removeprefix("filter ")
            return _with(brief, Wish("", "filter", text, situation.turn, attribute=command.field), situation)
        case Sort(field="relevance"):
            return _unsorted(brief, situation.turn)
        case Sort():
            order = "descending" if command.order == "desc" else "ascending"
            return _with(brief, Wish("", "sort", order, situation.turn, attribute=command.field), situation)
        case Forget():
            return _forgotten(brief, command.text, situation)
        case Reset(what="all"):
            return NOTHING
        case _:
            return brief


def _unsorted(brief: Brief, turn: int) -> Brief:
    """The brief without an order: what fits best comes first again."""
    gone = {wish.id for wish in brief.of("sort") if not wish.pinned}
    ended = (replace(wish, active=False, end="forgotten", ended=turn) if wish.id in gone else wish for wish in brief)
    return Brief(tuple(ended))


def _with_text(brief: Brief, kind: WishKind, text: str, situation: Situation) -> Brief:
    return _with(brief, Wish("", kind, text, situation.turn), situation)


def _refined(brief: Brief, command: Refine, situation: Situation) -> Brief:
    if not command.relative:
        return _with_text(brief, "want", command.text, situation)
    wish = Wish("", "relative", command.text, situation.turn, reference=situation.this)
    if situation.this is not None:
        wish = replace(wish, reference_turn=situation.shown_at)
    return _with(brief, wish, situation)


def _pointing(kind: WishKind, reference: Shown | This | AtTurn | Known, situation: Situation) -> Wish:
    picture = situation.picture(reference)
    told, turn = situation.told(reference), situation.turn_of(reference)
    return Wish("", kind, told, situation.turn, picture=picture, reference_turn=turn)


def _with(brief: Brief, wish: Wish, situation: Situation) -> Brief:
    return Brief(_bounded(settle(brief.wishes, replace(wish, id=_next_id(brief, situation.turn)))))


def _next_id(brief: Brief, turn: int) -> str:
    places = [int(wish.id.partition(".")[2].rstrip("r")) for wish in brief if wish.id.startswith(f"{turn}.")]
    return f"{turn}.{max(places, default=0) + 1}"


def _bounded(wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
    surplus = len(wishes) - MOST_WISHES
    if surplus <= 0:
        return wishes
    order = sorted(range(len(wishes)), key=lambda at: (wishes[at].pinned, wishes[at].active, at))
    gone = set(order[:surplus])
    return tuple(wish for at, wish in enumerate(wishes) if at not in gone)


def _resolved(command: Filter, situation: Situation) -> Filter:
    """A filter with the values of pictures in their place: "cheaper than #4" becomes "price < 35"."""
    values = []
    for value in command.values:
        if isinstance(value, Shown | This):
            found = situation.value_of(situation.picture(value), command.field)
            if found is None or isinstance(found, bool | list):
                raise BadInputError(f"The picture {value} has no {command.field} to compare with.", "Give a value.")
            values.append(found if isinstance(found, str) else float(found))
        else:
            values.append(value)
    return replace(command, values=tuple(values))


def _forgotten(brief: Brief, what: str, situation: Situation) -> Brief:
    """The wishes about something do not count any more; a description loses only its words about it."""
    topic = topic_of(brief.wishes)
    wishes: list[Wish] = []
    for wish in brief:
        fewer = without_values(wish, _values_in(what)) if wish.kind == "filter" else None
        shorter = fewer.text if fewer is not None else _without_aspect(wish, what)
        if not wish.active or wish.pinned or not (shorter or _is_about(wish, what, topic)):
            wishes.append(wish)
            continue
        wishes.append(replace(wish, active=False, end="forgotten", ended=situation.turn))
        others = [other.text for other in brief.of("want") if other is not wish]
        placed = bool(others and shorter and _ONLY_WHERE.match(shorter) and not _ONLY_WHERE.match(wish.text))
        if shorter and not placed and not any(_names_no_more(shorter, other) for other in others):
            id = _next_id(Brief((*brief.wishes, *wishes)), situation.turn)
            wishes.append(replace(wish, id=id, text=shorter))
    return Brief(_bounded(tuple(wishes)))


def _is_about(wish: Wish, what: str, topic: str) -> bool:
    named = _aspect_name(what)
    if wish.kind == "filter" and named in ("filter", "filters"):
        return True
    if _aspect_name(wish.attribute) == named or (wish.kind == "filter" and _names_values(what, wish)):
        return True
    if wish.kind not in ("want", "avoid", "relative"):
        return False
    said = aspect_of(wish.text, topic)
    return plain(wish.text) == named or (said is not None and named in (said.name, said.part))


def _names_values(what: str, wish: Wish) -> bool:
    """Whether words are the values that a filter asks for, or leaves out."""
    filter = comparison(wish)
    if filter is None or filter.comparison not in ("=", "!="):
        return False
    return {plain(str(value)) for value in filter.values} <= _values_in(what)


def _values_in(what: str) -> frozenset[str]:
    return frozenset(map(_aspect_name, what.split(" or ")))


def _without_aspect(wish: Wish, what: str) -> str | None:
    """The description without its words about an aspect ("forget the colour" of "red dress"), or None."""
    if wish.kind != "want":
        return None
    for found in described(wish.text):
        if _aspect_name(what) in (found.aspect.name, found.aspect.value):
            return _joined_anew(f"{wish.text[: found.start]}{wish.text[found.end :]}")
    return _without_thing(wish.text, what)


#: What is said beside a part of a description, and means nothing without it: "ideally at night".
_BESIDE = frozenset(
    "ideally preferably maybe perhaps possibly rather best also and or with in at on by if possible".split()
)


def _joined_anew(text: str) -> str:
    """A description of which a part was taken out, without an "or" or a comma that joins nothing any more."""
    plain_text = re.sub(r"(?:^|,)\s*(?:and|or)\s+", lambda found: ", " if found[0][0] == "," else "", text.strip())
    parts = (" ".join(re.sub(r"\s+(?:and|or)\s*$", "", part).split()) for part in plain_text.split(","))
    return ", ".join(part for part in parts if not set(part.lower().split()) <= _BESIDE)


def _without_thing(text: str, what: str) -> str | None:
    """The description without one of the things it names ("forget the beach" of "dog on a beach"), or None."""
    thing = re.escape(plain(what))
    joint = r"(?:(?:(?:,|and|or|with|in|on|at|of|near|by|next to|behind|under) +)+)?"
    of = r"(?:(?:an? )?\w+ of )?"  # a glass of wine is no glass where no wine is wanted
    named = rf"(?:^|(?<=\W)){joint}{of}(?:(?:an?|the|some) )?\b{thing}(?:e?s)?\b"
    shorter = re.sub(named, "", text, flags=re.IGNORECASE)
    shorter = _joined_anew(re.sub(r"^(?:and|or|,)\s+", "", shorter.strip())) if shorter != text else ""
    return shorter if shorter and thing else None


#: How a description begins that only says where something is: what was there is not wanted any more.
_ONLY_WHERE = re.compile(r"^(?:in|on|at|near|by|next to|behind|under|beside)\b", re.IGNORECASE)
#: What says where something is, beside a thing that is wanted.
_BESIDE_IT = re.compile(r"^(?:with|in|on|at|of|near|by|next to|behind|under|beside) +(?:(?:an?|the) )?")


def _names_no_more(text: str, other: str) -> bool:
    """Whether a description only says beside what something was that another one names: "next to pizza", of pizza."""
    rest = _BESIDE_IT.sub("", text)
    return rest != text and content_words(rest) <= content_words(other)


def _aspect_name(attribute: str) -> str:
    word = plain(attribute)
    return {"color": "colour", "basecolour": "colour", "fabric": "material", "print": "pattern"}.get(word, word)


_ASKS = re.compile(
    r"^(?:so,? )?(?:is|are|was|were|does|do|did|should|must|can|could|would|has|have|will)\s+"
    r"(?:(?:there|it|they|he|she|you|we|i|the (?:picture|image|photo|person|one|ones)|this|that|any of them)\b\s*)?"
    r"(?:(?:have|show|be|contain|include|want|like|prefer|see|look|looking|to|for|any)\b\s*)*",
    re.IGNORECASE,
)


def statement(question: str) -> str:
    """What a question that is answered by yes or no is about.

    >>> statement("Is there a dog in the picture?")
    'a dog in the picture'
    >>> statement("Should it have long sleeves?")
    'long sleeves'
    """
    return _ASKS.sub("", question.strip()).strip(" ?.!")


def wishes_of(answer: str, question: Question | None) -> tuple[tuple[bool, str], ...]:
    """What an answer asks for: pairs of whether it is wanted (or to be avoided) and the words for it."""
    said = answer.lower().strip(" .!")
    if said in ("no preference", "skip"):
        return ()
    if question is None:
        return ((True, answer),) if said not in ("yes", "no", "none") else ()
    if said == "none":
        return tuple((False, label) for label, command in question.options if command is None)
    if said in ("yes", "no"):
        about = statement(question.text)
        return ((said == "yes", about),) if about and about != question.text.strip(" ?.!") else ()
    return ((True, answer),)


def as_evidence(brief: Brief, turn: int, answered: Question | None) -> Brief:
    """The brief with what was affirmed or denied in a turn marked as an answer to a closed question.

    "No people" is a condition. A "no" to "is there a basket in it?" is weaker: the person may not have noticed it,
    or call it a bowl. To exclude all that resembles a basket would often exclude the target.
    """
    if answered is None or answered.form not in ("yes/no", "choice"):
        return brief
    return Brief(
        tuple(
            replace(wish, answer=True) if wish.turn == turn and wish.kind in ("want", "avoid") else wish
            for wish in brief
        )
    )
