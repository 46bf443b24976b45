"""Carrying out commands on a turn in the making, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from uuid import uuid4

from visavis.assistant import wording
from visavis.assistant.draft import Draft
from visavis.assistant.editing import Edited, Workshop, read_edits
from visavis.assistant.edits_in_words import in_words
from visavis.assistant.focus import set_aside, shows_less
from visavis.assistant.ranking import Ranking
from visavis.assistant.surroundings import Surroundings
from visavis.conversation.folding import fold
from visavis.conversation.results import NO_WISH
from visavis.conversation.situation import Situation
from visavis.conversation.turns import PAGE, Hand, Window
from visavis.errors import BadInputError, NotFoundError
from visavis.language.commands import (
    Answer,
    Chat,
    Command,
    Edit,
    Export,
    Fewer,
    Filter,
    Known,
    Like,
    More,
    Random,
    Redo,
    Repeat,
    Reset,
    Rollback,
    Select,
    Sort,
    This,
    Undo,
)
from visavis.language.context import Question
from visavis.language.replies import reply_to
from visavis.questions.grammar import listed
from visavis.retrieval.base import Reason, Result

#: What a person can answer when an edit is not sure of what it found.
_GO_ON = (("yes", None), ("no", None))
_AS_IT_CAME = "This is the picture as it came."
_FORGOTTEN = "All wishes are forgotten. What are you looking for?"


@dataclass(frozen=True)
class Carrier:
    """Carries out commands; what they need is handed in.

    Attributes:
        workshop: Edits pictures.
        ranking: Finds pictures.
        surroundings: Knows the collection.
        folder: Where pictures are saved to; None refuses.
    """

    workshop: Workshop
    ranking: Ranking
    surroundings: Surroundings
    folder: Path | None = None

    def carry_out(self, draft: Draft, commands: Sequence[Command]) -> None:
        """Carry out commands in order; edits that follow one another are done at once.

        Raises:
            VisavisError: One of them cannot be carried out; the draft is to be thrown away then.
        """
        for edits, group in groupby(commands, lambda command: isinstance(command, Edit)):
            members = list(group)
            if edits:
                self._edit(draft, [command for command in members if isinstance(command, Edit)])
                continue
            for command in members:
                self._one(draft, command)

    def _one(self, draft: Draft, command: Command) -> None:
        match command:
            case Undo() | Redo() | Rollback():
                self._step(draft, command)
            case Reset(what="edits"):
                self._reset_edits(draft)
            case Reset():
                draft.brief, draft.window, draft.hand = (
                    fold(draft.brief, command, self._situation(draft)),
                    Window(),
                    None,
                )
                draft.results, draft.ranks = (), False
                draft.notes.append(_FORGOTTEN)
            case Select():
                draft.hand = self.workshop.hold(self._situation(draft).picture(command.picture))
                draft.meant = None
                named = isinstance(command.picture, Known)
                told = self._situation(draft).told(command.picture) if named else command.picture
                draft.notes.append(f"You have {told} in hand.")
            case More() | Fewer() | Random():
                self._browse(draft, command)
            case Repeat():
                self._repeat(draft, command)
            case Export():
                self._export(draft, command)
            case Chat(kind="summary"):
                draft.notes.append(wording.summary(draft.brief))
                if draft.hand is not None and draft.hand.edits:
                    draft.notes.append(f"The picture in hand was edited: {'; '.join(draft.hand.edits)}.")
            case Chat():
                draft.notes.append(reply_to(command.kind))
            case Answer() if draft.before.pending:
                self._confirm(draft, command)
            case Filter() | Sort() if not self.surroundings.has(command.field):
                draft.notes.append(wording.no_such_attribute(command.field))
            case Like(picture=This()) if draft.hand is not None and shows_less(draft.hand):
                before = draft.brief
                draft.brief = set_aside(before, draft.number)
                self._wish(draft, command)
                draft.notes += wording.replaced(before, draft.brief, draft.number)
            case _:
                self._wish(draft, command)

    def _situation(self, draft: Draft) -> Situation:
        return draft.situation(self.surroundings.value_of)

    def _wish(self, draft: Draft, command: Command) -> None:
        before = draft.brief
        draft.brief = fold(before, command, self._situation(draft))
        draft.notes = [note for note in draft.notes if note != _FORGOTTEN]  # it asks what this command says
        draft.notes += wording.replaced(before, draft.brief, draft.number)
        if draft.brief == before and draft.results:
            draft.notes.append(wording.unchanged(command))
            return
        draft.ranks = True
        draft.window = Window(draft.window.size)
        if not isinstance(command, Sort):  # other pictures come to the table, and the hand is free for one of them
            draft.meant, draft.hand = draft.meant or draft.this, None

    # -- steps back and forth --------------------------------------------------------------------------

    def _step(self, draft: Draft, command: Undo | Redo | Rollback) -> None:
        conversation = draft.conversation
        draft.ranks = False
        if isinstance(command, Rollback):
            draft.take(conversation.turn(command.turn))
            draft.restores, draft.stepped = command.turn, None
            draft.notes.append(f"Back to turn {command.turn}.")
            return
        undoes = isinstance(command, Undo)
        step = conversation.undone(command.steps) if undoes else conversation.redone(command.steps)
        draft.take(step)
        draft.stepped, draft.restores = step, None
        where = f"turn {step.stands_at}" if step.stands_at else "the beginning"
        draft.notes.append(f"{'Undone' if undoes else 'Redone'}: this is {where} again.")

    def _reset_edits(self, draft: Draft) -> None:
        if draft.hand is None or not draft.hand.edits:
            raise BadInputError("There are no edits to take back.", "Edit a picture first.")
        draft.hand = Hand(draft.hand.source, draft.hand.source)
        draft.notes.append(_AS_IT_CAME)

    # -- looking around --------------------------------------------------------------------------------

    def _browse(self, draft: Draft, command: More | Fewer | Random) -> None:
        if isinstance(command, Random):
            size = command.count or draft.window.size
            draft.chance = draft.chance or uuid4().hex
            draft.results = self.ranking.random(draft.brief, size, draft.chance)
            draft.hand, draft.ranks = None, False
            draft.notes.append("Anything, for inspiration.")
            return
        if not draft.brief.searches and not draft.results:
            raise BadInputError("Nothing is shown yet.", "Say what you are looking for.")
        if isinstance(command, More):
            draft.window = Window(command.count or draft.window.size, draft.window.end)
        else:
            draft.window = Window(command.count or max(1, min(draft.window.size, len(draft.results) or PAGE) // 2))
        draft.ranks, draft.hand = draft.brief.searches, None
        if not draft.ranks:
            self._browse(draft, Random(draft.window.size))

    # -- editing ---------------------------------------------------------------------------------------

    def _edit(self, draft: Draft, edits: Sequence[Edit], *, confirmed: bool = False) -> None:
        first_of_many = draft.hand is None and len(draft.results) > 1
        if draft.this is None:
            raise BadInputError("There is no picture to edit yet.", "Search for one, or point at one.")
        hand = draft.hand or self.workshop.hold(draft.this)
        shown = [result.id for result in draft.results]
        done = self.workshop.edit(hand, edits, shown, confirmed=confirmed)
        draft.hand = done.hand
        if done.applied:
            # What was taken back to make room for these edits need not be told.
            draft.notes = [note for note in draft.notes if note != _AS_IT_CAME and not note.startswith("Undone:")]
            draft.notes.append(wording.edited(done.applied, first_of_many))
        if done.question is not None:
            draft.question = Question(done.question, _GO_ON)
            draft.pending = tuple(str(command) for command in done.pending)

    def _confirm(self, draft: Draft, command: Answer) -> None:
        if command.text.lower() == "yes":
            self._edit(draft, read_edits(draft.before.pending), confirmed=True)
        else:
            draft.notes.append("All right, I leave it as it is. Say more exactly what you mean.")

    def _repeat(self, draft: Draft, command: Repeat) -> None:
        if draft.hand is None or not draft.hand.edits:
            raise BadInputError("There are no edits to repeat.", "Edit a picture first.")
        shown = [result.id for result in draft.results]
        at = shown.index(draft.hand.source) if draft.hand.source in shown else 0
        situation = self._situation(draft)
        ids = [situation.picture(picture) for picture in command.pictures]
        ids = ids or shown[at + 1 : at + 1 + (command.following or 1)]
        if not ids:
            raise BadInputError("No pictures follow this one.", "Name them: the same on #2 and #5.")
        edits = draft.hand.commands
        done, failed = self._each(ids, edits, shown)
        because = (Reason(NO_WISH, "; ".join(draft.hand.edits), 1.0),)
        draft.results = tuple(Result(made.hand.picture, 0.0, because) for made in done)
        draft.hand, draft.ranks = (done[0].hand if len(done) == 1 else None), False
        draft.notes.append(f"Done on {len(done)} more: {'; '.join(map(in_words, edits))}.")
        for number, made in enumerate(done, 1):
            if made.unsure:
                things = listed([wording.quoted(thing) for thing in made.unsure], "and")
                draft.notes.append(f"In #{number} I was not sure of {things}.")
        draft.notes += failed

    def _each(self, ids: Sequence[str], edits: Sequence[Edit], shown: Sequence[str]) -> tuple[list[Edited], list[str]]:
        """The same edits on several pictures; one that cannot be edited keeps the others from nothing."""
        done: list[Edited] = []
        failed: list[str] = []
        for id in ids:
            try:
                done.append(self.workshop.edit(self.workshop.hold(id), edits, shown, confirmed=True))
            except (BadInputError, NotFoundError) as error:
                failed.append(str(error))
                last = error
        if not done:
            raise last
        return done, failed

    def _export(self, draft: Draft, command: Export) -> None:
        if self.folder is None:
            raise BadInputError("Pictures cannot be saved from here.", "Save them where they are shown.")
        if draft.this is None:
            raise BadInputError("There is no picture to save yet.", "Search for one, or point at one.")
        hand = draft.hand or self.workshop.hold(draft.this)
        draft.notes.append(f"Saved as {self.workshop.export(hand, self.folder, command.file)}.")


def without_side_effects(commands: Sequence[Command]) -> tuple[Command, ...]:
    """Commands without those that write files: what a replay carries out."""
    return tuple(command for command in commands if not isinstance(command, Export))
