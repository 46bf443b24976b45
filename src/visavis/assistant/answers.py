"""Answers to a person's questions, in words."""

from __future__ import annotations

from visavis.assistant import notes
from visavis.assistant.notes import quoted
from visavis.assistant.picture_questions import UNKNOWN, PictureAnswer
from visavis.assistant.seen import PictureView
from visavis.language.english import indefinite, listed, plural, sentence
from visavis.questions.attributes import is_worth_asking, valued
from visavis.types import name_in_words

#: Things and attributes told of one picture, and rows of a comparison that are told in words.
_ATTRIBUTES, _ROWS = 8, 8
#: Attributes that can be seen in the picture, or that are not for people.
#: Where so large a share is sure, it is said how many are; fewer would only alarm.
_MOSTLY = 0.5
_DULL = frozenset("title currency file path url id latitude longitude camera lens software orientation".split())


def inquiry_in_words(note: notes.Note) -> str:  # a table of sentences, one for each kind
    """One answer as a sentence or two."""
    match note:
        case notes.QuestionsSwitched(on):
            return "I may ask you things again." if on else "I will not ask you anything until you say so."
        case notes.PicturesCounted():
            return _counted(note)
        case notes.CountsCompared(counts):
            return _counts_compared(counts)
        case notes.ValuesListed(field, values, more, among, shown, titles):
            told = listed([f"{value} ({count:,})" for value, count in values], "and") or "none is known"
            fits = f" of those that fit {quoted(among)}" if among else ""
            if shown is not None:
                fits = f" of the {_pictures(shown)} shown"
            named = f"Brands{fits}, by their titles" if titles else f"{name_in_words(field)}{fits}"
            return sentence(f"{named}: {told}{f', and {more:,} more' if more else ''}.")
        case notes.NumbersListed(field, low, high):
            return sentence(f"{name_in_words(field)}: from {low:g} to {high:g}.")
        case notes.AttributeUnknown(name, _, known):
            there = (
                f" They tell their {listed([*map(name_in_words, known[:12])], 'and')}."
                if known
                else " They carry no attributes at all."
            )
            return f"The pictures here do not tell their {name_in_words(name)}.{there}"
        case notes.CollectionDescribed():
            return _held(note)
        case notes.PictureDescribed(name, view):
            return f"{name}: {_described(view)}"
        case notes.QuestionAnswered(question, said):
            return _answered(said, question)
        case notes.ReasonsGiven():
            return _reasons(note)
        case notes.PicturesCompared(names, rows):
            return _compared(names, rows)
        case _:
            raise AssertionError(f"{note!r} has no words")


def sureness(chance: float) -> str:
    """How sure an answer is, in words and in figures."""
    words = "quite sure" if chance >= 0.85 else "fairly sure" if chance >= 0.65 else "not very sure"
    return f"{words}, {chance:.0%}"


def _pictures(number: int) -> str:
    return f"{number:,} picture{'' if number == 1 else 's'}"


def _counted_shown(note: notes.PicturesCounted, shown: int) -> str:
    """How many of the nearest pictures fit, where nothing matches the wishes."""
    what = f" with {note.attribute}" if note.attribute else ""
    what += f" showing {quoted(note.text)}" if note.text else ""
    if not what:
        nearest = f"the {_pictures(shown)} shown come{'s' if shown == 1 else ''} closest"
        return f"None that I am sure of fits {quoted(note.among)}; {nearest}.{_counted_elsewhere(note)}"
    if not note.number and note.near:
        return _unsure(what, note)
    about = "about " if note.sure is not None and note.number else ""
    here = f"Of the {_pictures(shown)} shown: {about}{note.number or 'none'}{what}.{_how_many_surely(note)}"
    return f"{here}{_counted_elsewhere(note)}"


def _counted(note: notes.PicturesCounted) -> str:
    if note.shown is not None:
        return _counted_shown(note, note.shown)
    what = f" of {quoted(note.text)}" if note.text else ""
    what += f" with {note.attribute}" if note.attribute else ""
    among = f" among those that fit {quoted(note.among)}" if note.among and what else ""
    fits = f" that fit{'s' if note.number == 1 else ''} {quoted(note.among)}" if note.among and not what else ""
    place = "" if among or fits else " in the collection"
    if not note.number and note.near and not note.everywhere:
        return _unsure(f"{what}{among}{fits}", note)
    if not note.number:
        doubt = "" if note.sure is None else ", as far as I can see"
        doubt += f"; {_come_closest(note)}" if note.near else ""
        if note.everywhere:  # the larger number first: most who ask mean the whole collection
            many = f"{'about ' if note.text else ''}{_pictures(note.everywhere)}{what}"
            return sentence(f"{many} in the whole collection, none{among}{fits}{doubt}.")
        return f"No picture{what}{among}{fits}{place}{doubt}.{_counted_elsewhere(note)}"
    about = "At least " if note.more else "" if note.sure is None else "About "
    many = f"{about}{_pictures(note.number)}"
    return f"{many}{what}{among}{fits}{place}.{_how_many_surely(note)}{_counted_elsewhere(note)}"


def _unsure(what: str, note: notes.PicturesCounted) -> str:
    """That some pictures may fit though none surely does: a count of none would be no fact."""
    return f"I am sure of no picture{what}; {_come_closest(note)}.{_counted_elsewhere(note)}"


def _come_closest(note: notes.PicturesCounted) -> str:
    nearest = listed([f"#{number}" for number in note.near], "and")
    return f"{nearest} {'comes' if len(note.near) == 1 else 'come'} closest"


def _counts_compared(counts: tuple[notes.PicturesCounted, ...]) -> str:
    """Which of several things there are most pictures of; in the whole collection, where none is among the results."""
    among = counts[0].among
    here = [count.number for count in counts]
    everywhere = [count.number if count.everywhere is None else count.everywhere for count in counts]
    whole = not among or not any(here)
    numbers = everywhere if whole else here
    names = [count.asked or "in all" for count in counts]
    told = ", ".join(f"{number or 'no'} {name}" for name, number in zip(names, numbers, strict=True))
    most = max(numbers)
    first = [name for name, number in zip(names, numbers, strict=True) if number == most]
    result = f"more {first[0]}" if len(first) == 1 else "as many of each" if len(first) == len(names) else "a tie"
    looks = any(count.sure is not None for count in counts)
    place = "in the whole collection" if whole else f"among those that fit {quoted(among)}"
    rest = "" if whole or everywhere == here else f" In the whole collection: {_listed_counts(names, everywhere)}."
    return sentence(f"{'about ' if looks else ''}{told} {place}: {result}.{rest}")


def _listed_counts(names: list[str], numbers: list[int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in zip(names, numbers, strict=True))


def _counted_elsewhere(note: notes.PicturesCounted) -> str:
    if not note.everywhere:  # by looks, none is no number that could be told
        return ""
    return f" In the whole collection: {'about ' if note.text else ''}{note.everywhere:,}."


def _how_many_surely(note: notes.PicturesCounted) -> str:
    if note.sure is None or not note.number:
        return ""
    if note.sure >= note.number:
        return " I go by the looks, and am quite sure."
    if note.sure < _MOSTLY * note.number:
        return " I go by the looks, so that is a rough number."
    return f" I go by the looks, and am sure of {note.sure:,}."


def _held(note: notes.CollectionDescribed) -> str:
    """What a collection holds, and what could be asked for."""
    parts = [f"{_pictures(note.total)} in all."]
    if note.things:
        about = "about " if note.seen else ""
        told = [f"{plural(thing) if note.seen else thing} ({about}{count:,})" for thing, count in note.things]
        parts.append(f"{'Most often they show' if note.seen else 'Most of them are'} {listed(told, 'and')}.")
    if note.years is not None:
        first, last = note.years
        parts.append(f"They are from {first} to {last}." if first < last else f"They are from {first}.")
    if note.attributes:
        parts.append(f"They also tell their {listed([*map(name_in_words, note.attributes)], 'and')}.")
    if note.examples:
        parts.append(f"Say, for example, {listed([*map(quoted, note.examples)])}.")
    return " ".join(parts)


def _described(view: PictureView) -> str:
    picture = view.picture
    parts = []
    caption = picture.caption or picture.title
    if caption:
        parts.append(f"{quoted(caption.rstrip('.'))}, by its {'caption' if picture.caption else 'title'}.")
    if view.told:
        parts.append(f"I see {listed([indefinite(one.told) for one in view.told], 'and')}.")
    attributes = picture.attributes
    sold = "price" in attributes  # when goods were photographed, and with what, says nothing about them
    dull = _DULL | {"year"} if "taken" in attributes else _DULL  # the day tells the year
    worth = [name for name in attributes if name not in dull and (not sold or is_worth_asking(name))]
    told = [f"{name_in_words(name)} {valued(name, attributes)}" for name in worth]
    if told:
        parts.append(sentence(f"{'; '.join(told[:_ATTRIBUTES])}."))
    if not parts:
        parts.append("I cannot make out what it shows.")
    if picture.origin is not None:
        parts.append(f"It was edited: {'; '.join(picture.origin.commands)}.")
    return " ".join(parts)


def _answered(said: PictureAnswer, question: str) -> str:
    if said is not UNKNOWN:
        text = f"{said.text[0].upper()}{said.text[1:]}"
        return f"{text}." if said.chance >= 1 else f"{text} ({said.source}; {sureness(said.chance)})."
    if "who" in question.lower().split():
        return "Who that is, I do not know: nothing that came with the picture says it."
    return "I cannot tell that from the picture."


def _reasons(note: notes.ReasonsGiven) -> str:
    if not note.wished and not note.fits:
        return f"{note.name} is here without a reason: there are no wishes."
    fits = [f"{quoted(label)} ({fit:.0%})" for label, fit in note.fits if fit >= 0.5]
    misses = [f"{quoted(label)} ({fit:.0%})" for label, fit in note.fits if fit < 0.5]
    if not fits and not misses:
        return f"I cannot say why {note.name} is here."
    start = f"{note.name} is here because it" if note.shown else f"{note.name} is not among the results. It"
    if not fits:
        rest = " It is here because nothing fits better." if note.shown else ""
        return f"{note.name} fits none of the wishes: it misses {listed(misses, 'and')}.{rest}"
    missing = f"; it does not fit {listed(misses, 'and')}" if misses else ""
    return f"{start} fits {listed(fits, 'and')}{missing}."


def _compared(names: tuple[str, ...], rows: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    called = listed(names, "and")
    if not rows:
        return f"{called} side by side. I know nothing that tells them apart."
    told = [
        f"{what}: {', '.join(f'{name} {text}' for name, text in zip(names, texts, strict=True))}"
        for what, texts in rows[:_ROWS]
    ]
    more = f"; and {len(rows) - _ROWS} more" if len(rows) > _ROWS else ""
    return f"{called} side by side. What differs: {'; '.join(told)}{more}."
