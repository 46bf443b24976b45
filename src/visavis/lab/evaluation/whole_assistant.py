"""The protocol with the whole product: parser, brief, retriever, questioner, answers as commands, saved turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from visavis.api import Collection, open_collection
from visavis.assistant import Assistant
from visavis.assistant.question_policy import AskingPause, CandidateReader, QuestionPolicy
from visavis.conversation.turns import COMPOSED
from visavis.encoders.base import Encoder
from visavis.lab.evaluation.gallery import Gallery, GalleryStore, picture_id
from visavis.lab.evaluation.metrics import place_of
from visavis.lab.evaluation.protocol import KEPT, PlayedConversation, Reordering
from visavis.lab.simulation.base import Asked, SimulatedUser
from visavis.language.commands import Search
from visavis.questions.base import QuestionContext, Questioner
from visavis.search.learned.registry import LearnedRetriever, make_reader
from visavis.search.plan import DEFAULT_WEIGHTS
from visavis.search.request import RankedResults, Retriever, SearchRequest
from visavis.search.retriever import ComposedRetriever
from visavis.stores.base import Hit

if TYPE_CHECKING:
    from visavis.types import Question

#: How many pictures the second stage re-ranks; beyond it the target's rank is that of the first stage.
DEEP = 200
#: A simulated user answers everything, so the number of questions is not limited.
_NO_PAUSE = AskingPause(pause=0, most_ignored=10**9)


class RecordingRetriever(Retriever):
    """The shipped retriever, which keeps the last ranking for the measurement.

    Pictures shown before are not demoted here: a user who looks for one picture stops at it, so that
    rule would count against the target only in rounds that are not played.
    """

    name = "composed"

    def __init__(self, collection: Collection, store: GalleryStore, name: str = COMPOSED) -> None:
        # Vectors only: simulated users use the catalogue's own words, so matching them would leak the target.
        self._inner = ComposedRetriever(
            collection.encoder,
            collection.store,
            excluding=collection.engine.exclusion,
            weights=replace(DEFAULT_WEIGHTS, written=0.0),
        )
        reader = make_reader(name, collection.encoder)
        if reader is not None:
            self._inner = LearnedRetriever(self._inner, reader)
        self._store = store
        self._request: SearchRequest | None = None
        self.ranked: Sequence[Hit] = ()

    def retrieve(self, request: SearchRequest) -> RankedResults:
        """Rank, and keep the ranking."""
        self._request = replace(request, passed_over={}, depth=DEEP)
        found = self._inner.retrieve(self._request)
        self.ranked = found.ranked
        return replace(found, ranked=found.ranked[: request.depth])

    def rank_of(self, id: str) -> int:
        """Return the rank of a picture in the last ranking."""
        for place, hit in enumerate(self.ranked, 1):
            if hit.id == id:
                return place
        assert self._request is not None
        plan = self._inner.plan(self._request)
        if not len(plan.vectors):
            return len(self._store.places)
        return max(len(self.ranked) + 1, place_of(self._store.first_stage(plan.vector), self._store.places[id]))


class WatchedQuestioner(Questioner):
    """Another questioner, whose failures end the run: the assistant shows its results even where nobody can ask."""

    def __init__(self, inner: Questioner) -> None:
        self.name, self._inner = inner.name, inner
        self._failure: Exception | None = None

    def ask(self, context: QuestionContext) -> Question | None:
        """The question of the other one."""
        try:
            return self._inner.ask(context)
        except Exception as error:
            self._failure = error
            raise

    def check(self) -> None:
        """Raise what the last question failed with."""
        if self._failure is not None:
            raise self._failure


class AssistantProtocol:
    """Runs a simulated user against the whole assistant."""

    def __init__(
        self,
        gallery: Gallery,
        user: SimulatedUser,
        encoder: Encoder,
        rounds: int,
        home: Path,
        retriever: str = COMPOSED,
    ) -> None:
        """Set up the assistant.

        Args:
            gallery: The pictures.
            user: The simulated user.
            encoder: The encoder of the gallery's vectors.
            rounds: The number of questions.
            home: A temporary folder for the collection's catalogue and the conversations.
            retriever: The name of the retriever.
        """
        self._store = GalleryStore(gallery)
        self._collection = open_collection("measured", home, self._store, encoder=encoder, create=True)
        self._retriever = RecordingRetriever(self._collection, self._store, retriever)
        self._reader = CandidateReader(self._collection)
        self._names = dict(zip(self._store.ids_of, gallery.ids, strict=True))
        self._user = user
        self._rounds = rounds

    def play(self, target: str, questioner: Questioner | None) -> PlayedConversation:
        """Run one conversation; without a questioner only the opening counts."""
        watched = None if questioner is None else WatchedQuestioner(questioner)
        asker = None if watched is None else QuestionPolicy(lambda: watched, self._reader, _NO_PAUSE)
        assistant = Assistant(self._collection, retriever=self._retriever, questioner=asker)
        talk = assistant.start()
        opening = self._user.describe(target)
        turn = assistant.do(talk, [Search(opening)], opening)
        ranks, tops, said = [self._rank(target)], [self._top()], [opening]
        control, moved = Reordering(self._scores(), target), [ranks[0]]
        exchanges: list[tuple[str, str, str]] = []
        while len(exchanges) < self._rounds:
            if watched is not None:
                watched.check()
            if (question := turn.question) is None:
                break
            answer = self._user.answer(_asked(question, self._names), target, said)
            turn = assistant.reply(talk, answer)
            exchanges.append((question.text, question.form, answer))
            said.append(answer)
            ranks.append(self._rank(target))
            tops.append(self._top())
            control.move(self._scores())
            moved.append(control.rank_of(picture_id(target), ranks[0]))
        assistant.memory.delete(talk)
        return PlayedConversation(target, tuple(ranks), opening, tuple(exchanges), tuple(tops), tuple(moved))

    def close(self) -> None:
        """Close the catalogue."""
        self._collection.close()

    def _rank(self, target: str) -> int:
        return self._retriever.rank_of(picture_id(target))

    def _scores(self) -> dict[str, float]:
        return {hit.id: hit.score for hit in self._retriever.ranked}

    def _top(self) -> tuple[tuple[str, float], ...]:
        return tuple((self._names[hit.id], round(hit.score, 5)) for hit in self._retriever.ranked[:KEPT])


def _asked(question: Question, names: dict[str, str]) -> Asked:
    offered = () if question.form == "open" else tuple(label for label, _ in question.options)
    return Asked(question.text, offered, tuple(names[id] for id in question.pictures))
