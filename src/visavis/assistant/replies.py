"""What the assistant says, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from visavis.assistant import notes
from visavis.assistant.answers import inquiry_in_words
from visavis.assistant.notes import quoted
from visavis.conversation.brief import Brief
from visavis.language.base import reply_to
from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    Answer,
    Border,
    Caption,
    Command,
    Crop,
    Edit,
    Enhance,
    Flip,
    Forget,
    Grayscale,
    ImageCutout,
    Invert,
    Recolor,
    Remove,
    ReplaceBackground,
    Resize,
    Rotate,
    Sort,
    Straighten,
    commands_text,
)
from visavis.language.commands.wishes import TIMES
from visavis.language.english import listed
from visavis.types import Question, Wish, first_in_words, name_in_words

_MORE_OR_LESS = {
    "brightness": ("brighter", "darker"),
    "contrast": ("more contrast", "less contrast"),
    "highlights": ("brighter highlights", "darker highlights"),
    "shadows": ("brighter shadows", "darker shadows"),
    "saturation": ("stronger colours", "paler colours"),
    "warmth": ("warmer", "cooler"),
    "sharpness": ("sharper", "softer"),
}
_PLAIN = {Grayscale: "black and white", Invert: "inverted", Enhance: "tones and colours put right"}


def edit_in_words(edit: Edit) -> str:
    """A phrase for an edit that was made, without a full stop; the text form of a command that has no phrase."""
    done = _done(edit)
    if done is None:
        return str(edit)
    names_its_thing = isinstance(edit, Crop | ImageCutout | Recolor | Remove | ReplaceBackground)
    return done if edit.target is None or names_its_thing else f"{done} ({edit.target})"


def _done(edit: Edit) -> str | None:  # a table of sentences, one for each kind
    match edit:
        case AdjustAttr():
            more, less = _MORE_OR_LESS[edit.name]
            return f"{more if edit.amount >= 0 else less} by {abs(edit.amount):g} %"
        case AdjustColor():
            return f"{edit.name} mixed in, {edit.strength:.0%}"
        case Rotate():
            return _turned(edit.degrees % 360)
        case Straighten():
            return "levelled" if edit.degrees is None else f"straightened by {edit.degrees:g}°"
        case Flip():
            return "mirrored" if edit.axis == "horizontal" else "turned over, top to bottom"
        case Crop():
            return f"cropped to {edit.target}" if edit.target else "cropped"
        case ImageCutout():
            return f"{edit.target or 'the main thing'} cut out"
        case ReplaceBackground():
            return f"a new background: {edit.background}"
        case Resize():
            return f"resized to {str(edit).removeprefix('resize ')}"
        case Recolor():
            return f"{edit.target} made {edit.name}"
        case Remove():
            return f"{edit.target} taken out, filled from what is around it"
        case Border():
            return f"a {edit.colour} border of {edit.width} pixels"
        case Caption():
            return f"“{edit.text}” written on it"
        case _:
            return _PLAIN.get(type(edit))


def _turned(left: float) -> str:
    if left == 180:
        return "turned upside down"
    return f"turned {left:g}° to the left" if left < 180 else f"turned {360 - left:g}° to the right"


_EVENTS = {
    notes.Event.ALL_FORGOTTEN: "All wishes are forgotten. What are you looking for?",
    notes.Event.EDITS_RESET: "This is the picture as it came.",
    notes.Event.EDITS_DROPPED: "All right, I leave it as it is. Say more exactly what you mean.",
    notes.Event.EDITS_WAITING: "Shall I go on with what is marked? Say yes or no, or anything else that you want.",
    notes.Event.PICKED_AT_RANDOM: "Anything, for inspiration.",
    notes.Event.NO_WISHES_LEFT: "There are no wishes left. What are you looking for?",
    notes.Event.END_REACHED: "That was all.",
    notes.Event.READY_TO_DOWNLOAD: "Here it is, to be downloaded in full size.",
    notes.Event.RANKED_AGAIN: "The collection has changed since, so I looked again.",
}


def reply_of(note_list: Iterable[notes.Note]) -> str:
    """The reply: every note in words, none twice."""
    return " ".join(dict.fromkeys(filter(None, map(note_in_words, note_list))))


def note_in_words(note: notes.Note) -> str:  # a table of sentences, one for each kind
    """One note as a sentence or two."""
    match note:
        case notes.Event():
            return _EVENTS[note]
        case notes.WishesReplaced(new, earlier):
            return f"{quoted(new)} takes the place of {listed([*map(quoted, earlier)], 'and')}."
        case notes.WishesForgotten(labels, left) if left:
            changed = [f"{quoted(old)} is {quoted(new)} now" for old, new in zip(labels, left, strict=True)]
            return f"{listed(changed, 'and')}."
        case notes.WishesForgotten(labels):
            return f"{listed([*map(quoted, labels)], 'and')} no longer {'counts' if len(labels) == 1 else 'count'}."
        case notes.WishUnchanged(command):
            return _unchanged(command)
        case notes.AttributeUnknown(name, "condition"):
            return f"The pictures here do not tell {_untold(name)}, so I left that aside."
        case notes.AttributeUnknown(name, "order", known):
            there = listed([_ORDERS.get(one, name_in_words(one)) for one in known])
            return (
                f"The pictures here do not tell {_untold(name)}, so I left the order as it is. I can sort by {there}."
            )
        case notes.WishSummary(brief, edits):
            told = f" The picture in hand was edited: {'; '.join(edits)}." if edits else ""
            return f"{_summary(brief)}{told}"
        case notes.SmallTalk(kind):
            return reply_to(kind)
        case notes.TakenInHand(picture):
            return f"You have {picture} in hand."
        case notes.Stepped(brief=Brief() as brief):
            return f"Back at {quoted(_wishes_told(brief) or 'the pictures before')}."
        case notes.Stepped("back to", turn):
            return f"Back to turn {turn}."
        case notes.Stepped(how, turn):
            return f"{how.capitalize()}: this is {f'turn {turn}' if turn else 'the beginning'} again."
        case notes.EditsDone(edits, first_of_many):
            which = " on the first picture" if first_of_many else ""
            return f"Done{which}: {'; '.join(map(edit_in_words, edits))}."
        case notes.EditsWaiting(edits):
            return f"Not done yet: {'; '.join(map(edit_in_words, edits))}."
        case notes.EditsRepeated(pictures, edits):
            return f"Done on {pictures} more: {'; '.join(map(edit_in_words, edits))}."
        case notes.EditUnsure(number, things):
            return f"In #{number} I was not sure of {listed([*map(quoted, things)], 'and')}."
        case notes.EditFailed(reason):
            return reason
        case notes.PictureSaved(file):
            return f"Saved as {file}."
        case notes.PicturesWaiting(number):
            what = "picture waits" if number == 1 else "pictures wait"
            return f"{number:,} more {what} for the upgrade of the collection."
        case notes.PicturesFound():
            return _found(note)
        case notes.FirstInOrder(field, descending, title, value):
            told = ", ".join(["#1", *([quoted(title)] if title else []), *([value] if value else [])])
            return f"The {first_in_words(field, descending=descending)} is {told}."
        case notes.PicturesAgain(brief, matches, about, told):
            return _again(brief, matches, about, told=told)
        case notes.NothingLeft(brief, conditions, left):
            return _nothing_left(brief, conditions, left)
        case _:
            return inquiry_in_words(note)


#: What pictures can be sorted by, where its name says too little.
_ORDERS = {"taken": "when they were taken", "saturation": "how colourful they are"}


def _untold(name: str) -> str:
    return "when they were taken" if name in TIMES else f"their {name_in_words(name)}"


def _nothing_left(brief: Brief, conditions: Sequence[Wish], left: int | None) -> str:
    """What is in conflict where no picture is left: what matches the rest does not fit some conditions."""
    if not conditions:
        return f"There is nothing for {quoted(brief.topic)}."
    rest = in_one_text([wish for wish in brief.active if wish.kind != "sort" and wish not in conditions])
    told = listed([quoted(wish.label) for wish in conditions], "and")
    if not rest:
        return f"No picture here fits {told}."
    number = {None: "No picture", 0: "No picture", 1: "The one picture"}.get(left, f"None of the {left} pictures")
    return f"{number} for {quoted(rest)} {'does not fit' if left == 1 else 'fits'} {told}."


def drop_question(wishes: Sequence[Wish], left: int | None = None) -> Question | None:
    """The question whether to drop conditions because of which no picture is left; None where there are none.

    Args:
        wishes: The conditions.
        left: How many pictures match without them; None where that is not known.
    """
    if not wishes:
        return None
    dropped = [Forget(wish.attribute or wish.text if wish.kind == "filter" else wish.text) for wish in wishes]
    told = listed([quoted(wish.label) for wish in wishes], "and")
    leaves = f" That leaves {left:,} picture{'' if left == 1 else 's'}." if left else ""
    return Question(f"Shall I drop {told}?{leaves}", (("yes", commands_text(dropped)), ("no", None)))


def _summary(brief: Brief) -> str:
    """What the person has asked for and still counts."""
    if not brief.active:
        return "You have not asked for anything yet. What are you looking for?"
    wishes = [f"{quoted(wish.label)} (turn {wish.turn})" for wish in brief.active]
    return f"You are looking for {listed(wishes, 'and')}."


#: From so likely on that something fits, it is not said that nothing does.
_DOUBTFUL = 0.1
#: ... and from here on it is there, if not with everything else that was asked for.
_THERE = 0.5


def _found(note: notes.PicturesFound) -> str:
    """How many pictures match which wishes; that nothing does, where nothing does."""
    results, brief, window = note.results, note.brief, note.window
    if window.start:
        return f"Numbers {window.start + 1} to {window.start + len(results)}."
    number = len(results) if note.matches is None else note.matches
    if not number:
        missing = _nothing_fits(note)
        conditions = brief.of("filter", "avoid", "like", "unlike", "keep")
        there = note.confidence is not None and note.confidence >= _THERE and conditions
        if missing and not there:
            words = ", ".join(quoted(wish.label) for wish in missing)
            doubtful = note.confidence is not None and note.confidence >= _DOUBTFUL
            nothing = "I am not sure that anything here fits" if doubtful else "Nothing here really fits"
            return f"{nothing} {words}; these come closest."
        return f"No picture surely fits all of {quoted(_wishes_told(brief))}; these come closest."
    return _matching(brief, number, note.about)


def _wishes_told(brief: Brief) -> str:
    return in_one_text([wish for wish in brief.wishes if wish.active and wish.kind != "sort"])


#: How a wish begins that goes on with the one before it.
_GOES_ON = re.compile(r"(?:in|on|at|for|with|without|from|near|by|under)\s", re.IGNORECASE)


def in_one_text(wishes: Sequence[Wish]) -> str:
    """Wishes as one text; what goes on with the first, the topic, without a break.

    >>> wanted, there = Wish("1.1", "want", "food", 1), Wish("2.1", "filter", "country = Portugal", 2)
    >>> in_one_text([wanted, there, Wish("3.1", "avoid", "fish", 3)])
    'food in Portugal; no fish'
    """
    labels = [wish.label for wish in wishes]
    if len(wishes) > 1 and wishes[0].kind == "want" and _GOES_ON.match(labels[1]) and not _GOES_ON.match(labels[0]):
        labels[:2] = [" ".join(labels[:2])]
    return "; ".join(labels)


def _matching(brief: Brief, number: int, about: bool, *, told: bool = False) -> str:
    """How many pictures match which wishes, where these were not told yet, and in which order."""
    wishes = "" if told else _wishes_told(brief)
    many = "1 picture" if number == 1 else f"{number} pictures"
    many = f"About {many}" if about else many
    sorts = (wish for wish in brief.wishes if wish.active and wish.kind == "sort" and number > 1)
    order = "".join(f", {wish.label}" for wish in sorts)
    return f"{many} for {quoted(wishes)}{order}." if wishes else f"{many}{order}."


def _again(brief: Brief, matches: int | None, about: bool, *, told: bool) -> str:
    """What an earlier turn showed; nothing where it is not known how many matched."""
    if matches == 0:
        wanted = "that" if told else f"all of {quoted(_wishes_told(brief))}"
        return f"No picture surely fits {wanted}; these come closest."
    return _matching(brief, matches, about, told=told) if matches is not None else ""


def _nothing_fits(note: notes.PicturesFound) -> list[Wish]:
    """The wishes in words that even the best results miss; of several, only those that surely nothing fits alone."""
    missed, several = [], len(note.brief.of("want")) > 1
    for place, wish in enumerate(note.brief.wishes):
        if wish.kind != "want" or not wish.active or (several and note.present.get(place, 0.0) >= _THERE):
            continue
        fits = [reason.fits for result in note.results for reason in result.because if reason.wish == place]
        if fits and not any(fits):
            missed.append(wish)
    return missed


def _unchanged(command: Command) -> str:
    """What to say to a wish that changes nothing."""
    match command:
        case Forget():
            return f"There is no wish about {quoted(command.text)}."
        case Sort(field="relevance"):
            return "What fits best comes first already."
        case Answer():
            return "All right, that does not matter then."
        case _:
            return "That is among the wishes already."
