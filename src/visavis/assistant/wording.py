"""What the assistant says."""

from __future__ import annotations

from collections.abc import Sequence

from visavis.assistant.edits_in_words import in_words
from visavis.conversation.brief import Brief
from visavis.conversation.turns import Window
from visavis.conversation.wishes import Wish
from visavis.language.commands import Answer, Command, Edit, Forget
from visavis.language.context import Question
from visavis.questions.grammar import listed
from visavis.retrieval.base import Result

_LONGEST = 160


def quoted(text: str) -> str:
    """A text in quotation marks, not too long."""
    return f"“{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}”"


def replaced(before: Brief, after: Brief, turn: int) -> list[str]:
    """Which wishes gave way: contradictions are resolved, and shown."""
    active = {wish.id for wish in before.active}
    newest = [wish for wish in after.active if wish.turn == turn]
    ended = [wish for wish in after if wish.id in active and wish.ended == turn]
    gave_way = [quoted(wish.label) for wish in ended if wish.end == "replaced"] if newest else []
    forgotten = [quoted(wish.label) for wish in ended if wish.end == "forgotten"]
    told = [f"{quoted(newest[-1].label)} takes the place of {listed(gave_way, 'and')}."] if gave_way else []
    if forgotten:
        told.append(f"{listed(forgotten, 'and')} no longer {'counts' if len(forgotten) == 1 else 'count'}.")
    return told


def summary(brief: Brief) -> str:
    """What the person has asked for and still counts."""
    if not brief.active:
        return "You have not asked for anything yet. What are you looking for?"
    wishes = [f"{quoted(wish.label)} (turn {wish.turn})" for wish in brief.active]
    return f"You are looking for {listed(wishes, 'and')}."


def no_such_attribute(name: str) -> str:
    """That nothing can be sorted or chosen by what no picture here tells."""
    return f"The pictures here do not tell their {name}, so I left that aside."


def found(results: Sequence[Result], brief: Brief, window: Window) -> str:
    """What was found for which wishes; that nothing fits well, where nothing does."""
    if window.start:
        return f"Numbers {window.start + 1} to {window.start + len(results)}."
    wishes = "; ".join(wish.label for wish in brief.active if wish.kind != "sort")
    many = "1 picture" if len(results) == 1 else f"{len(results)} pictures"
    missing = nothing_fits(results, brief)
    if missing:
        words = ", ".join(quoted(wish.label) for wish in missing)
        return f"Nothing here really fits {words}; these come closest."
    if not any_fits_all(results, brief):
        return f"No picture fits all of {quoted(wishes)}; these come closest."
    return f"{many} for {quoted(wishes)}." if wishes else f"{many}."


def nothing_fits(results: Sequence[Result], brief: Brief) -> list[Wish]:
    """The wishes in words that even the best results miss."""
    missed = []
    for place, wish in enumerate(brief.wishes):
        if wish.kind != "want" or not wish.active:
            continue
        fits = [reason.fits for result in results for reason in result.because if reason.wish == place]
        if fits and not any(fits):
            missed.append(wish)
    return missed


def any_fits_all(results: Sequence[Result], brief: Brief) -> bool:
    """Whether one of the results fits every wish in words; where no reasons are known, it is believed."""
    words = {place for place, wish in enumerate(brief.wishes) if wish.kind == "want" and wish.active}
    return any(all(reason.fits for reason in result.because if reason.wish in words) for result in results)


def nothing_left(brief: Brief) -> tuple[str, Question | None]:
    """What to say when no picture is left, and which condition to offer to drop."""
    hard = brief.of("filter") or brief.of("avoid")
    if not hard:
        return f"There is nothing for {quoted(brief.topic)}.", None
    last = hard[-1]
    what = last.attribute if last.kind == "filter" else last.text
    told = f"No picture is left with {quoted(last.label)}."
    return told, Question(f"Shall I drop {quoted(last.label)}?", (("yes", f"forget {what}"), ("no", None)))


def edited(commands: Sequence[Edit], first_of_many: bool) -> str:
    """What was done to the picture in hand."""
    which = " on the first picture" if first_of_many else ""
    return f"Done{which}: {'; '.join(map(in_words, commands))}."


def unchanged(command: Command) -> str:
    """What to say to a wish that changes nothing."""
    match command:
        case Forget():
            return f"There is no wish about {quoted(command.text)}."
        case Answer():
            return "All right, that does not matter then."
        case _:
            return "That is among the wishes already."
