"""Executes commands on a draft of the next turn, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from uuid import uuid4

from visavis.assistant import notes
from visavis.assistant.draft import CollectionView, TurnDraft
from visavis.assistant.edits import EditOutcome, HandEditor, for_other_pictures, read_edits
from visavis.assistant.inquiries import Inquiries
from visavis.assistant.products import kinds_listed
from visavis.assistant.retrieval import ConversationSearch
from visavis.conversation.brief import Brief
from visavis.conversation.fold import Situation, fold
from visavis.conversation.turns import PAGE, Hand, Window
from visavis.errors import BadInputError, NotFoundError
from visavis.language.commands import (
    INQUIRIES,
    Answer,
    Chat,
    Command,
    Crop,
    Edit,
    Export,
    Fewer,
    Filter,
    ImageCutout,
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
from visavis.language.commands.wishes import RELEVANCE
from visavis.language.context import values_named
from visavis.pictures.looks import MEASURED
from visavis.questions.attributes import valued
from visavis.types import NO_WISH, Question, Reason, Result

#: Wishes about what the picture shows; conditions such as a price hold for the part as well.
_CONTENT = ("want", "relative", "keep", "like", "unlike")


def shows_less(hand: Hand) -> bool:
    """Whether the picture in hand was cut down to a part of what its source shows."""
    return any(isinstance(command, Crop | ImageCutout) for command in hand.commands)


def set_aside(brief: Brief, turn: int, kinds: tuple[str, ...] = ()) -> Brief:
    """The brief in which wishes about the content of whole pictures give way to what this turn says.

    A wish for one of some kinds of things stays: what looks like sunglasses that were cut out is sunglasses.
    """
    return Brief(
        tuple(
            replace(wish, active=False, end="replaced", ended=turn)
            if wish.active
            and not wish.pinned
            and wish.turn != turn
            and wish.kind in _CONTENT
            and not values_named(wish.text, kinds)
            else wish
            for wish in brief.wishes
        )
    )


#: What a person can answer when an edit is not sure of what it found.
_GO_ON = (("yes", None), ("no", None))
_REFUSED = frozenset(("no", "none", "neither", "no preference", "skip"))


@dataclass(frozen=True)
class CommandExecutor:
    """Executes commands.

    Attributes:
        editor: Edits pictures.
        ranking: Finds pictures.
        collection: Knows the collection.
        inquiries: Answers questions.
        folder: Where pictures are saved to; None leaves that to whoever shows them.
    """

    editor: HandEditor
    ranking: ConversationSearch
    collection: CollectionView
    inquiries: Inquiries
    folder: Path | None = None

    def execute(self, draft: TurnDraft, commands: Sequence[Command]) -> None:
        """Execute commands in order; edits that follow one another are done at once.

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

    def _one(self, draft: TurnDraft, command: Command) -> None:
        match command:
            case Undo(steps=1) if draft.before.pending:  # nothing was done yet
                draft.notes.append(notes.Event.EDITS_DROPPED)
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
                draft.notes.append(notes.Event.ALL_FORGOTTEN)
            case Select():
                draft.hand = self.editor.hold(self._situation(draft).picture(command.picture))
                draft.meant = None
                named = isinstance(command.picture, Known)
                told = self._situation(draft).told(command.picture) if named else str(command.picture)
                draft.notes.append(notes.TakenInHand(told))
            case More() | Fewer() | Random():
                self._browse(draft, command)
            case Repeat():
                self._repeat(draft, command)
            case Export():
                self._export(draft, command)
            case Chat(kind="summary"):
                draft.notes.append(notes.WishSummary(draft.brief, draft.hand.edits if draft.hand else ()))
            case Chat():
                draft.notes.append(notes.SmallTalk(command.kind))
            case Answer() if draft.before.pending:
                self._confirm(draft, command)
            case _ if isinstance(command, INQUIRIES):
                self.inquiries.answer(draft, command, self._situation(draft))
            case Sort() if not self.collection.has(command.field) and command.field not in (*MEASURED, RELEVANCE):
                draft.notes.append(notes.AttributeUnknown(command.field, "order", self.collection.orders()))
            case Filter() if not self.collection.has(command.field):
                draft.notes.append(notes.AttributeUnknown(command.field, "condition"))
            case Like(picture=This()) if draft.hand is not None and shows_less(draft.hand):
                before = draft.brief
                named = any(one.target for one in draft.hand.commands if isinstance(one, Crop | ImageCutout))
                kinds = () if named else kinds_listed(self.collection.attributes(self.collection.state()))
                draft.brief = set_aside(before, draft.number, kinds)
                self._wish(draft, command)
                draft.notes += notes.replacements(before, draft.brief, draft.number)
            case _:
                self._wish(draft, command)

    def _situation(self, draft: TurnDraft) -> Situation:
        return draft.situation(self.collection.value_of)

    def _wish(self, draft: TurnDraft, command: Command) -> None:
        before = draft.brief
        draft.brief = fold(before, command, self._situation(draft))
        # Nothing is asked that this command says.
        draft.notes = [note for note in draft.notes if note is not notes.Event.ALL_FORGOTTEN]
        draft.notes += notes.replacements(before, draft.brief, draft.number)
        if draft.brief == before and draft.results:
            if before == draft.before.brief:  # nothing else that was said changed anything
                draft.notes.append(notes.WishUnchanged(command))
            return
        draft.ranks = True
        draft.window = Window(draft.window.size)
        if not isinstance(command, Sort):  # other pictures are shown, so no picture is in hand
            draft.meant, draft.hand = draft.meant or draft.this, None

    def first_in_order(self, draft: TurnDraft, commands: Sequence[Command]) -> Iterator[notes.Note]:
        """The first of what is shown, where an order was asked for that pictures tell: "which is the cheapest?"."""
        orders = [command for command in commands if isinstance(command, Sort) and command.field != RELEVANCE]
        known = self.collection.known(draft.results[0].id) if orders and draft.results else None
        if known is None or len(draft.results) < 2 or (draft.matches == 0 and not _fits_topic(draft)):
            return
        field = orders[-1].field
        if field in known.attributes or field in MEASURED:
            value = valued(field, known.attributes) if field in known.attributes else ""
            yield notes.FirstInOrder(field, orders[-1].order == "desc", known.caption or known.title, value)

    # -- steps back and forth --------------------------------------------------------------------------

    def _step(self, draft: TurnDraft, command: Undo | Redo | Rollback) -> None:
        conversation = draft.conversation
        draft.ranks = False
        if isinstance(command, Rollback):
            draft.take(conversation.turn(command.turn))
            draft.restores, draft.stepped = command.turn, None
            draft.notes.append(notes.Stepped("back to", command.turn, _shown_again(draft)))
            return
        undoes = isinstance(command, Undo)
        step = conversation.undone(command.steps) if undoes else conversation.redone(command.steps)
        edited = draft.hand if undoes and draft.hand is not None and draft.hand.edits else None
        between = (conversation.undone(number).hand for number in range(1, command.steps)) if edited else ()
        if edited is not None and any(hand is not None and hand.source != edited.source for hand in between):
            edited = None  # several pictures were edited
        draft.take(step)
        draft.stepped, draft.restores = step, None
        draft.notes.append(notes.Stepped("undone" if undoes else "redone", step.stands_at, _shown_again(draft)))
        if edited is not None and draft.hand is None and draft.results == draft.before.results:
            draft.hand = Hand(edited.source, edited.source)  # its edits are undone; the picture stays in hand
            draft.notes.append(notes.Event.EDITS_RESET)

    def _reset_edits(self, draft: TurnDraft) -> None:
        if draft.hand is None or not draft.hand.edits:
            raise BadInputError("There are no edits to take back.", "Edit a picture first.")
        draft.hand = Hand(draft.hand.source, draft.hand.source)
        draft.notes.append(notes.Event.EDITS_RESET)

    # -- looking around --------------------------------------------------------------------------------

    def _browse(self, draft: TurnDraft, command: More | Fewer | Random) -> None:
        if isinstance(command, Random):
            size = command.count or draft.window.size
            draft.chance = draft.chance or uuid4().hex
            draft.results = self.ranking.random(draft.brief, size, draft.chance)
            draft.hand, draft.ranks = None, False
            draft.notes.append(notes.Event.PICKED_AT_RANDOM)
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

    def _edit(self, draft: TurnDraft, edits: Sequence[Edit], *, confirmed: bool = False) -> None:
        first_of_many = draft.hand is None and len(draft.seen) > 1
        if draft.this is None:
            raise BadInputError("There is no picture to edit yet.", "Search for one, or point at one.")
        hand = draft.hand or self.editor.hold(draft.this)
        shown = draft.seen
        _check_permission(draft)
        done = self.editor.edit(hand, edits, shown, confirmed=confirmed)
        draft.hand = done.hand
        if done.applied:
            draft.notes = [note for note in draft.notes if not _makes_room(note)]
            draft.notes.append(notes.EditsDone(done.applied, first_of_many))
        if done.question is not None:
            draft.question = Question(done.question, _GO_ON)
            draft.pending = tuple(str(command) for command in done.pending)
            draft.notes = [note for note in draft.notes if not isinstance(note, notes.TakenInHand)]
            draft.notes.append(notes.EditsWaiting(tuple(done.pending)))

    def _confirm(self, draft: TurnDraft, command: Answer) -> None:
        said = command.text.lower().strip(" .!")
        if said == "yes":
            self._edit(draft, read_edits(draft.before.pending), confirmed=True)
        elif said in _REFUSED:
            draft.notes.append(notes.Event.EDITS_DROPPED)
        else:  # no answer to this question: it waits on
            draft.question, draft.pending = draft.before.question, draft.before.pending
            draft.notes.append(notes.Event.EDITS_WAITING)

    def _repeat(self, draft: TurnDraft, command: Repeat) -> None:
        if draft.hand is None or not draft.hand.edits:
            raise BadInputError("There are no edits to repeat.", "Edit a picture first.")
        shown = draft.seen
        at = shown.index(draft.hand.source) if draft.hand.source in shown else 0
        situation = self._situation(draft)
        ids = [situation.picture(picture) for picture in command.pictures]
        ids = ids or list(shown[at + 1 : at + 1 + (command.following or 1)])
        if not ids:
            raise BadInputError("No pictures follow this one.", "Name them: the same on #2 and #5.")
        _check_permission(draft)
        edits = for_other_pictures(draft.hand.commands)
        if not edits:
            raise BadInputError("What was marked by hand holds for this picture alone.", "Mark it on the others, too.")
        done, failed = self._each(ids, edits, shown)
        because = (Reason(NO_WISH, "; ".join(draft.hand.edits), 1.0),)
        draft.results = tuple(Result(made.hand.picture, 0.0, because) for made in done)
        draft.hand, draft.ranks = (done[0].hand if len(done) == 1 else None), False
        draft.notes.append(notes.EditsRepeated(len(done), edits))
        draft.notes += [notes.EditUnsure(number, made.unsure) for number, made in enumerate(done, 1) if made.unsure]
        draft.notes += [notes.EditFailed(reason) for reason in failed]

    def _each(
        self, ids: Sequence[str], edits: Sequence[Edit], shown: Sequence[str]
    ) -> tuple[list[EditOutcome], list[str]]:
        """The same edits on several pictures; a failure does not stop the others."""
        done: list[EditOutcome] = []
        failed: list[str] = []
        for id in ids:
            try:
                done.append(self.editor.edit(self.editor.hold(id), edits, shown, confirmed=True))
            except (BadInputError, NotFoundError) as error:
                failed.append(str(error))
                last = error
        if not done:
            raise last
        return done, failed

    def _export(self, draft: TurnDraft, command: Export) -> None:
        if draft.this is None:
            raise BadInputError("There is no picture to save yet.", "Search for one, or point at one.")
        hand = draft.hand or self.editor.hold(draft.this)
        if self.folder is None:  # whoever shows the picture hands it over
            draft.hand = hand
            draft.notes.append(notes.Event.READY_TO_DOWNLOAD)
            return
        draft.notes.append(notes.PictureSaved(self.editor.export(hand, self.folder, command.file)))


def _shown_again(draft: TurnDraft) -> Brief | None:
    """What was wanted when the pictures were found that a step shows; None where the same ones stay, as with edits."""
    return draft.brief if draft.results != draft.before.results and draft.brief.active else None


def _fits_topic(draft: TurnDraft) -> bool:
    """Whether the first picture fits the first wish in words: the cheapest of what only comes near is no answer."""
    topic = next((at for at, wish in enumerate(draft.brief.wishes) if wish.active and wish.kind == "want"), None)
    return any(reason.wish == topic and reason.fits for reason in draft.results[0].because)


def _makes_room(note: notes.Note) -> bool:
    """Whether a note tells what was only taken back to make room for other edits."""
    return note is notes.Event.EDITS_RESET or (isinstance(note, notes.Stepped) and note.how == "undone")


def _check_permission(draft: TurnDraft) -> None:
    if not draft.may_edit:
        raise BadInputError("You may look at pictures here, but not edit them.", "Ask for the role 'write'.")


def without_side_effects(commands: Sequence[Command]) -> tuple[Command, ...]:
    """Commands without those that write files: what a replay carries out."""
    return tuple(command for command in commands if not isinstance(command, Export))
