"""What the assistant says, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from visavis.assistant import notes
from visavis.assistant.picture_questions import UNKNOWN, PictureAnswer, PictureView
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
    Straighten,
)
from visavis.language.commands.wishes import TIMES
from visavis.language.english import listed, sentence, with_article
from visavis.questions.attributes import in_words, value_in_words
from visavis.types import Question, Result, Wish

_LONGEST = 160
#: Things and attributes told of one picture, and rows of a comparison that are told in words.
_THINGS, _ATTRIBUTES, _ROWS = 6, 8, 8
#: Attributes that can be seen in the picture, or that are not for people.
_DULL = frozenset(("title", "file", "path", "url", "id", "latitude", "longitude"))
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


def quoted(text: str) -> str:
    """A text in quotation marks, not too long."""
    return f"“{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}”"


def inquiry_in_words(note: notes.Note) -> str:  # a table of sentences, one for each kind
    """One answer as a sentence or two."""
    match note:
        case notes.QuestionsSwitched(on):
            return "I may ask you things again." if on else "I will not ask you anything until you say so."
        case notes.PicturesCounted():
            return _counted(note)
        case notes.ValuesListed(field, values, more, among, shown):
            told = listed([f"{value} ({count:,})" for value, count in values], "and") or "none is known"
            fits = f" of those that fit {quoted(among)}" if among else ""
            if shown is not None:
                fits = f" of the {_pictures(shown)} shown"
            return f"{in_words(field)}{fits}: {told}{f', and {more:,} more' if more else ''}."
        case notes.NumbersListed(field, low, high):
            return f"{in_words(field)}: from {low:g} to {high:g}."
        case notes.AttributeUnknown(name, known):
            there = (
                f" They tell their {listed([*map(in_words, known[:12])], 'and')}."
                if known
                else " They carry no attributes at all."
            )
            return f"The pictures here do not tell their {in_words(name)}.{there}"
        case notes.PictureDescribed(name, view):
            return f"{name}: {_described(view)}"
        case notes.QuestionAnswered(_, said, view):
            return _answered(said, view)
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
    nothing = f"None surely fits {quoted(note.among)}"
    what = f" with {note.attribute}" if note.attribute else ""
    what += f" showing {quoted(note.text)}" if note.text else ""
    if not what:
        return f"{nothing}; the {_pictures(shown)} shown come{'s' if shown == 1 else ''} closest."
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
    if not note.number:
        doubt = "" if note.sure is None else ", as far as I can see"
        if note.everywhere:  # the larger number first: most who ask mean the whole collection
            many = f"{'about ' if note.text else ''}{_pictures(note.everywhere)}{what}"
            return sentence(f"{many} in the whole collection, none{among}{fits}{doubt}.")
        return f"No picture{what}{among}{fits}{place}{doubt}.{_counted_elsewhere(note)}"
    about = "At least " if note.more else "" if note.sure is None else "About "
    many = f"{about}{_pictures(note.number)}"
    return f"{many}{what}{among}{fits}{place}.{_how_many_surely(note)}{_counted_elsewhere(note)}"


def _counted_elsewhere(note: notes.PicturesCounted) -> str:
    if note.everywhere is None:
        return ""
    return f" In the whole collection: {'about ' if note.text else ''}{note.everywhere:,}."


def _how_many_surely(note: notes.PicturesCounted) -> str:
    if note.sure is None or not note.number:
        return ""
    if note.sure >= note.number:
        return " I go by the looks, and am quite sure."
    return f" I go by the looks, and am sure of {note.sure:,}."


def _described(view: PictureView) -> str:
    picture = view.picture
    parts = []
    caption = picture.caption or picture.title
    if caption:
        parts.append(f"{quoted(caption.rstrip('.'))}, by its {'caption' if picture.caption else 'title'}.")
    if view.seen:
        seen = [f"{with_article(one.told)} ({one.place}, {one.chance:.0%})" for one in view.seen[:_THINGS]]
        parts.append(f"I see {listed(seen, 'and')}.")
    elif not caption:
        parts.append("I cannot make out what it shows.")
    attributes = ((in_words(name), value) for name, value in picture.attributes.items() if name not in _DULL)
    told = [f"{name} {value_in_words(value)}" for name, value in attributes]
    if told:
        parts.append(f"It comes with: {'; '.join(told[:_ATTRIBUTES])}.")
    if picture.origin is not None:
        parts.append(f"It was edited: {'; '.join(picture.origin.commands)}.")
    return " ".join(parts)


def _answered(said: PictureAnswer, view: PictureView) -> str:
    if said is not UNKNOWN:
        text = f"{said.text[0].upper()}{said.text[1:]}"
        return f"{text} ({said.source}{'' if said.chance >= 1 else f'; {sureness(said.chance)}'})."
    known = _described(view)
    return f"I cannot tell that from the picture. What I know of it: {known}"


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
        return f"I see no difference between {called}."
    told = [
        f"{what}: {', '.join(f'{name} {text}' for name, text in zip(names, texts, strict=True))}"
        for what, texts in rows[:_ROWS]
    ]
    more = f"; and {len(rows) - _ROWS} more" if len(rows) > _ROWS else ""
    return f"{called} side by side. What differs: {'; '.join(told)}{more}."


def edit_in_words(edit: Edit) -> str:
    """What an edit did, without a full stop; one that has no words of its own is told as the command it is."""
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


def reply_of(note_list: Iterable[notes.Note]) -> str:
    """The reply: every note in words, none twice."""
    return " ".join(dict.fromkeys(note_in_words(note) for note in note_list))


def note_in_words(note: notes.Note) -> str:  # a table of sentences, one for each kind
    """One note as a sentence or two."""
    match note:
        case notes.AllForgotten():
            return "All wishes are forgotten. What are you looking for?"
        case notes.WishesReplaced(new, earlier):
            return f"{quoted(new)} takes the place of {listed([*map(quoted, earlier)], 'and')}."
        case notes.WishesForgotten(labels):
            return f"{listed([*map(quoted, labels)], 'and')} no longer {'counts' if len(labels) == 1 else 'count'}."
        case notes.WishUnchanged(command):
            return _unchanged(command)
        case notes.UnknownAttribute(name):
            told = "when they were taken" if name in TIMES else f"their {name}"
            return f"The pictures here do not tell {told}, so I left that aside."
        case notes.WishSummary(brief, edits):
            told = f" The picture in hand was edited: {'; '.join(edits)}." if edits else ""
            return f"{_summary(brief)}{told}"
        case notes.SmallTalk(kind):
            return reply_to(kind)
        case notes.TakenInHand(picture):
            return f"You have {picture} in hand."
        case notes.SteppedBack(turn):
            return f"Back to turn {turn}."
        case notes.Undone(turn):
            return f"Undone: this is {_state(turn)} again."
        case notes.Redone(turn):
            return f"Redone: this is {_state(turn)} again."
        case notes.EditsReset():
            return "This is the picture as it came."
        case notes.EditsDone(edits, first_of_many):
            which = " on the first picture" if first_of_many else ""
            return f"Done{which}: {'; '.join(map(edit_in_words, edits))}."
        case notes.EditsRepeated(pictures, edits):
            return f"Done on {pictures} more: {'; '.join(map(edit_in_words, edits))}."
        case notes.EditUnsure(number, things):
            return f"In #{number} I was not sure of {listed([*map(quoted, things)], 'and')}."
        case notes.EditFailed(reason):
            return reason
        case notes.EditsDropped():
            return "All right, I leave it as it is. Say more exactly what you mean."
        case notes.EditsWaiting():
            return "Shall I go on with what is marked? Say yes or no, or anything else that you want."
        case notes.PictureSaved(file):
            return f"Saved as {file}."
        case notes.PickedAtRandom():
            return "Anything, for inspiration."
        case notes.NoWishesLeft():
            return "There are no wishes left. What are you looking for?"
        case notes.PicturesWaiting(number):
            what = "picture waits" if number == 1 else "pictures wait"
            return f"{number:,} more {what} for the upgrade of the collection."
        case notes.PicturesFound():
            return _found(note)
        case notes.EndReached():
            return "That was all."
        case notes.NothingLeft(brief):
            hard = _last_condition(brief)
            return (
                f"No picture is left with {quoted(hard.label)}."
                if hard
                else f"There is nothing for {quoted(brief.topic)}."
            )
        case notes.RankedAgain():
            return "The collection has changed since, so I looked again."
        case _:
            return inquiry_in_words(note)


def drop_question(brief: Brief) -> Question | None:
    """Which condition to offer to drop when no picture is left."""
    hard = _last_condition(brief)
    if hard is None:
        return None
    what = hard.attribute if hard.kind == "filter" else hard.text
    return Question(f"Shall I drop {quoted(hard.label)}?", (("yes", f"forget {what}"), ("no", None)))


def _last_condition(brief: Brief) -> Wish | None:
    hard = brief.of("filter") or brief.of("avoid")
    return hard[-1] if hard else None


def _state(turn: int) -> str:
    return f"turn {turn}" if turn else "the beginning"


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
    wishes = "; ".join(wish.label for wish in brief.wishes if wish.active and wish.kind != "sort")
    number = len(results) if note.matches is None else note.matches
    if not number:
        missing = _nothing_fits(results, brief)
        conditions = brief.of("filter", "avoid", "like", "unlike", "keep")
        there = note.confidence is not None and note.confidence >= _THERE and conditions
        if missing and not there:
            words = ", ".join(quoted(wish.label) for wish in missing)
            doubtful = note.confidence is not None and note.confidence >= _DOUBTFUL
            nothing = "I am not sure that anything here fits" if doubtful else "Nothing here really fits"
            return f"{nothing} {words}; these come closest."
        return f"No picture surely fits all of {quoted(wishes)}; these come closest."
    many = "1 picture" if number == 1 else f"{number} pictures"
    many = f"About {many}" if note.about else many
    return f"{many} for {quoted(wishes)}." if wishes else f"{many}."


def _nothing_fits(results: Sequence[Result], brief: Brief) -> list[Wish]:
    """The wishes in words that even the best results miss."""
    missed = []
    for place, wish in enumerate(brief.wishes):
        if wish.kind != "want" or not wish.active:
            continue
        fits = [reason.fits for result in results for reason in result.because if reason.wish == place]
        if fits and not any(fits):
            missed.append(wish)
    return missed


def _unchanged(command: Command) -> str:
    """What to say to a wish that changes nothing."""
    match command:
        case Forget():
            return f"There is no wish about {quoted(command.text)}."
        case Answer():
            return "All right, that does not matter then."
        case _:
            return "That is among the wishes already."
