"""The assistant: a message in, a turn out; the turn is saved before it is shown, and shown before its question."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from visavis.assistant import notes
from visavis.assistant.draft import CollectionView, TurnDraft, in_days
from visavis.assistant.edits import HandEditor, delete_conversation, read_edits
from visavis.assistant.execution import CommandExecutor, without_side_effects
from visavis.assistant.inquiries import Inquiries, Seer
from visavis.assistant.question_policy import AskingContext, QuestionPolicy, split_matches
from visavis.assistant.replies import drop_question, reply_of
from visavis.assistant.retrieval import ConversationSearch
from visavis.assistant.thing_colours import ThingColours
from visavis.assistant.understanding import MessageReader, as_understood, readable, too_long, waits
from visavis.conversation.brief import change
from visavis.conversation.conversation import Conversation
from visavis.conversation.fold import as_evidence
from visavis.conversation.history import Said, before_changes
from visavis.conversation.memory import Memory
from visavis.conversation.turns import Turn, Window
from visavis.errors import BadInputError, NotFoundError
from visavis.language.base import Parser, Understanding, default_parser
from visavis.language.commands import INQUIRIES, Clarify, Command
from visavis.language.context import is_answer
from visavis.search.request import Retriever
from visavis.types import Question

if TYPE_CHECKING:
    from PIL import Image

    from visavis.api import Collection
    from visavis.editing.editor import Editor

_log = logging.getLogger(__name__)
#: Called with a turn, its results and reasons as soon as it is saved, before the question is looked for.
Watch = Callable[[Turn], None]
#: How a change begins that chooses another retriever.
_RETRIEVER = "retriever "


class Assistant:
    """Answers messages about one collection. It is stateless; several conversations may go on at once.

    Args:
        collection: What is talked about.
        parser: Understands messages; the default one when not given.
        retriever: Ranks; the default one when not given.
        editor: Edits pictures; one with the collection's encoder when not given.
        questioner: Asks back (``default_questioner(collection)``); no questions when not given.
        memory: Where turns are saved; beside the collection's catalogue when not given.
        seer: Says what the picture in hand, or the first one shown, shows, for messages that talk of things in it;
            by the encoder when not given.
        folder: Where "save it" puts pictures; nowhere when not given.

    Example:
        >>> assistant = Assistant(collection)
        >>> talk = assistant.start()
        >>> turn = assistant.reply(talk, "a red square")
    """

    def __init__(
        self,
        collection: Collection,
        parser: Parser | None = None,
        retriever: Retriever | None = None,
        editor: Editor | None = None,
        questioner: QuestionPolicy | None = None,
        memory: Memory | None = None,
        *,
        seer: Seer | None = None,
        folder: Path | None = None,
    ) -> None:
        self.collection = collection
        self.memory = memory or Memory(collection.catalogue)
        self._questioner = questioner
        colours = ThingColours(collection) if seer is None else None
        seer = seer or default_seer(collection)
        self._view = CollectionView(collection)
        self._ranking = ConversationSearch(collection, retriever)
        self._reader = MessageReader(self._view, parser or default_parser(), seer, self._ranking)
        inquiries = Inquiries(collection, self._view, self._ranking, seer, colours)
        self._executor = CommandExecutor(HandEditor(collection, editor), self._ranking, self._view, inquiries, folder)

    def start(self, name: str | None = None) -> Conversation:
        """A new conversation."""
        return self.memory.start(name)

    def reply(
        self,
        conversation: Conversation,
        message: str,
        *,
        columns: int = 0,
        may_edit: bool = True,
        watch: Watch | None = None,
        retriever: str | None = None,
        shown: Sequence[str] = (),
    ) -> Turn:
        """Answer a message: understand it, carry it out, save the turn and return it.

        What cannot be done is answered in words, and leaves the conversation as it was; it is a turn all the same.

        Args:
            conversation: The conversation.
            message: What was said.
            columns: In how many columns pictures are shown, for "the left one in the second row"; 0 if not known.
            may_edit: Whether the person may edit pictures, which adds them to the collection.
            watch: Shown the saved turn before the question is looked for.
            retriever: The retriever from this turn on; the one of the turn before when not given.
            shown: The ids of the pictures that the person sees, in order, where these are not the results of the turn
                before: "the second one" is one of them.

        Raises:
            BadInputError: There is no such retriever.
            StorageError: The turn could not be saved; nothing has changed.
            BusyError: Another process continued this conversation.
        """
        started = time.perf_counter()
        draft = replace(TurnDraft.after(conversation), shown=tuple(shown))
        if refusal := too_long(message):
            kept, told = refusal
            return self._save(conversation, draft.finish(kept, (), told), started)
        message = readable(message)
        state = self._view.state()
        understood = self._reader.read(draft, message, state, columns)
        return self._execute(
            draft, message, understood, state, started, may_edit=may_edit, watch=watch, retriever=retriever
        )

    def do(
        self,
        conversation: Conversation,
        commands: Sequence[Command],
        message: str = "",
        *,
        chance: str = "",
        may_edit: bool = True,
        watch: Watch | None = None,
        retriever: str | None = None,
    ) -> Turn:
        """Carry out commands that need no understanding: a click on a picture, a replay.

        Args:
            conversation: The conversation.
            commands: What to do.
            message: What was said, if anything was.
            chance: What random choices depend on; the same text gives the same choice.
            may_edit: See :meth:`reply`.
            watch: See :meth:`reply`.
            retriever: See :meth:`reply`.
        """
        started, state = time.perf_counter(), self._view.state()
        understood = as_understood(commands)
        return self._execute(
            TurnDraft.after(conversation),
            message,
            understood,
            state,
            started,
            chance,
            may_edit=may_edit,
            watch=watch,
            retriever=retriever,
        )

    def revise(self, conversation: Conversation, *changes: str) -> Turn:
        """Change wishes without words, and rank again.

        Args:
            conversation: The conversation.
            changes: ``off 1.1``, ``on 1.1``, ``weight 1.1 2.5``, ``pin 1.1``, ``unpin 1.1``, ``remove 1.1``,
                ``retriever chatir``.
        """
        started = time.perf_counter()
        draft = TurnDraft.after(conversation)
        for line in changes:
            if line.startswith(_RETRIEVER):
                draft.retriever = self._ranking.check(line.removeprefix(_RETRIEVER).strip())
            else:
                draft.brief = change(draft.brief, line)
        state = self._view.state()
        draft.window, draft.ranks = replace(draft.window, start=0), True
        draft.since = before_changes(conversation)
        reply = self._show(draft, state)
        return self._save(conversation, replace(draft.finish("", (), reply), changes=tuple(changes)), started)

    def replay(self, conversation: Conversation, name: str | None = None) -> Conversation:
        """Say everything again in a new conversation; on the same collection it gives the same rankings.

        What was understood then is carried out, not understood anew; files are not saved again.
        """
        again = self.start(name)
        for turn in conversation.turns:
            if turn.changes:
                self.revise(again, *turn.changes)
                continue
            commands = without_side_effects(turn.commands)
            if turn.question and turn.question.options and not turn.pending and not commands:
                commands = (Clarify(turn.question.text, turn.question.options),)
            understood = as_understood(commands)
            state, started = self._view.state(), time.perf_counter()
            draft, named = TurnDraft.after(again), turn.retriever
            self._execute(draft, turn.message, understood, state, started, turn.chance, turn.answered, retriever=named)
        return again

    def forget(self, conversation: Conversation, *, edits: bool = False) -> list[str]:
        """Delete a conversation; with ``edits`` also the pictures made in it that no other conversation uses.

        Returns:
            The ids of the pictures that were removed.
        """
        return delete_conversation(self.collection, self.memory, conversation, edits=edits)

    def doubt(self, turn: Turn) -> Image.Image | None:
        """The picture with what was found marked in it, where a turn asks whether to go on with that."""
        if not turn.pending or turn.hand is None:
            return None
        return self._executor.editor.doubt(turn.hand, read_edits(turn.pending))

    # -- one turn --------------------------------------------------------------------------------------

    def _execute(
        self,
        draft: TurnDraft,
        message: str,
        understood: Understanding,
        state: str,
        started: float,
        chance: str = "",
        answered: Question | None = None,
        *,
        may_edit: bool = True,
        watch: Watch | None = None,
        retriever: str | None = None,
    ) -> Turn:
        conversation, draft = draft.conversation, replace(draft, chance=chance, may_edit=may_edit)
        if retriever is not None and retriever != draft.retriever:
            draft.retriever = self._ranking.check(retriever)
            draft.ranks = draft.brief.searches
        asked = draft.before.question
        if answered is None and asked is not None and is_answer(understood.commands, asked):
            answered = asked
        try:
            understood = replace(understood, commands=in_days(understood.commands, self._view, date.today()))
            seen = tuple(result.id for result in draft.before.results)
            draft.said = Said(draft.number, message, understood.commands, answered, seen)
            self._executor.execute(draft, understood.commands)
            draft.brief = as_evidence(draft.brief, draft.number, answered)
            told = self._show(draft, state)
        except (BadInputError, NotFoundError) as error:
            draft, told = TurnDraft.after(conversation), str(error)
        if understood.clarify is not None:
            draft.question = Question(understood.clarify.question, understood.clarify.options)
        elif draft.question is None and waits(asked) and _only_asks(understood.commands):
            draft.question, draft.pending = asked, draft.before.pending  # what was asked back still waits
        reply = told or understood.reply or (draft.question.text if draft.question else "")
        if draft.question is not None or self._questioner is None or not draft.asks:
            return self._save(conversation, draft.finish(message, understood.commands, reply), started, answered)
        shown = written = None
        if watch is not None:  # results are saved, then shown, before the question is looked for
            shown = self._timed(draft.finish(message, understood.commands, reply), started, answered)
            written = self.memory.write(conversation, shown)
            watch(shown)
        try:
            draft.question = self._ask(draft, message, answered, self._questioner)
        except Exception:  # the results are shown even where no question can be found
            _log.warning("no question could be looked for", exc_info=True)
        if shown is not None and written is not None and draft.question is None:  # the turn is as it was written
            conversation.append(shown, written)
            return shown
        reply = reply or (draft.question.text if draft.question else "")
        turn = self._timed(draft.finish(message, understood.commands, reply), started, answered)
        self.memory.save(conversation, turn, written=written is not None)
        return turn

    def _show(self, draft: TurnDraft, state: str) -> str:
        """Make the ranking where it has to be made, and say what there is to see."""
        if draft.ranks:
            self._rank(draft)
            draft.state = state
        elif draft.restores is not None or draft.stepped is not None:
            self._check_again(draft, state)
        return reply_of(draft.notes)

    def _rank(self, draft: TurnDraft) -> None:
        if not draft.brief.searches:
            draft.results, draft.matches, draft.about = (), None, False
            draft.notes.append(notes.Event.NO_WISHES_LEFT)
            return
        depth = self._questioner.depth if self._questioner is not None and not draft.window.start else 0
        found = self._ranking.ranked(
            draft.conversation,
            draft.ranked_since,
            draft.brief,
            draft.window,
            depth,
            retriever=draft.retriever,
            said=draft.said,
        )
        draft.results, draft.ranked = tuple(found.results), found.ranked
        if not draft.window.start:  # the pages of one ranking have one count
            draft.matches, draft.about = found.matches, found.about
        if draft.results:
            told = draft.results, draft.brief, draft.window, draft.matches, draft.about, found.confidence, found.present
            draft.notes.append(notes.PicturesFound(*told))
        elif draft.window.start:
            draft.notes.append(notes.Event.END_REACHED)
        else:
            empties, left = self._ranking.emptying(draft.brief)
            draft.notes.append(notes.NothingLeft(draft.brief, empties, left))
            draft.question = draft.question or (drop_question(empties, left) if draft.asks else None)
        if waiting := self.collection.waiting():
            draft.notes.append(notes.PicturesWaiting(waiting))
        if draft.said is not None:
            draft.notes += self._executor.first_in_order(draft, draft.said.commands)

    def _ask(
        self, draft: TurnDraft, message: str, answered: Question | None, policy: QuestionPolicy
    ) -> Question | None:
        """What to ask back after a new ranking, or after an answer that changed nothing ("I don't know")."""
        if answered is not None and not draft.changed() and draft.brief.searches:
            page = Window(draft.window.size)
            since = draft.conversation.turn(draft.before.grew_from)
            named = draft.retriever
            found = self._ranking.ranked(draft.conversation, since, draft.brief, page, policy.depth, retriever=named)
            draft.ranked = found.ranked
        if not draft.ranked:
            return None
        moment = AskingContext(draft.brief, draft.ranked, draft.conversation, draft.before, message, answered)
        return split_matches(policy, moment, draft, self._ranking) if policy.counts else policy.ask(moment)

    def _check_again(self, draft: TurnDraft, state: str) -> None:
        """An earlier ranking holds as long as the collection is the same; else it is made again."""
        stands_at = draft.stepped.stands_at if draft.stepped else 0
        earlier = draft.conversation.turn(draft.restores or stands_at)
        ids = [result.id for result in earlier.results]
        known = self.collection.catalogue.pictures(ids)
        if draft.hand is not None and self.collection.catalogue.picture(draft.hand.picture) is None:
            draft.hand = None
        draft.state = earlier.state
        if earlier.state in ("", state) and len(known) == len(set(ids)):
            if draft.hand is None and draft.results:
                told = any(isinstance(note, notes.Stepped) and note.brief is not None for note in draft.notes)
                draft.notes.append(notes.PicturesAgain(draft.brief, draft.matches, draft.about, told))
            return
        draft.state = state
        if earlier.brief.searches:
            since = draft.conversation.turn(earlier.grew_from)
            ranked = draft.conversation, since, earlier.brief, earlier.window
            found = self._ranking.ranked(*ranked, retriever=earlier.retriever)
            draft.results = tuple(found.results)
            if not earlier.window.start:
                draft.matches, draft.about = found.matches, found.about
            draft.notes.append(notes.Event.RANKED_AGAIN)
            if draft.results:
                draft.notes.append(notes.PicturesAgain(earlier.brief, draft.matches, draft.about))

    def _save(self, conversation: Conversation, turn: Turn, started: float, answered: Question | None = None) -> Turn:
        turn = self._timed(turn, started, answered)
        self.memory.save(conversation, turn)
        return turn

    def _timed(self, turn: Turn, started: float, answered: Question | None = None) -> Turn:
        return replace(turn, answered=answered, at=datetime.now(UTC), seconds=round(time.perf_counter() - started, 6))


def _only_asks(commands: Sequence[Command]) -> bool:
    """Whether commands only ask something themselves, so that a question that waits is not passed over by them."""
    return bool(commands) and all(isinstance(command, INQUIRIES) for command in commands)


def default_seer(collection: Collection) -> Seer:
    """The default seer; nothing is loaded before a message talks of a thing in a picture."""
    from visavis.search.seer import PictureSeer

    return PictureSeer(collection)
