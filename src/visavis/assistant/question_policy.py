"""When to ask back, and about which pictures; what was asked and answered so far is read from the saved turns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from cachetools import FIFOCache

from visavis.assistant.draft import TurnDraft
from visavis.assistant.retrieval import ConversationSearch
from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.conversation.fold import as_evidence, fold
from visavis.conversation.turns import Turn
from visavis.language.commands import parse_commands
from visavis.language.english import chunks, content_words, listed, singular
from visavis.questions.base import Candidates, Exchange, QuestionContext, Questioner, entropy, posterior
from visavis.search.request import CERTAINTY
from visavis.search.vectors import pictures_of
from visavis.stores.base import STATE, Hit
from visavis.types import Question

if TYPE_CHECKING:
    from visavis.api import Collection

#: Pictures whose attributes are kept: one conversation looks at the same few hundred again and again.
_REMEMBERED = 4000


class CandidateReader:
    """Reads what a questioner needs to know of pictures, each once. Safe to use from several threads."""

    def __init__(self, collection: Collection, scale: float = CERTAINTY) -> None:
        """Read from a collection.

        Args:
            collection: Where the pictures are.
            scale: What a score of one is worth as a log-weight: how sure the ranking may be of itself.
        """
        self._collection = collection
        self._scale = scale
        self._attributes: FIFOCache[str, Mapping[str, Any]] = FIFOCache(_REMEMBERED)
        self._lock = Lock()

    def read(self, ranked: Sequence[Hit]) -> Candidates:
        """The candidates in the order of the ranking; a picture that is gone meanwhile shows nothing."""
        ids = [hit.id for hit in ranked]
        pictures = pictures_of(self._collection.store, self._collection.encoder.dimension)
        scores = self._scale * np.array([hit.score for hit in ranked], np.float64)
        known = self._known(ids)
        attributes = [known[id] for id in ids]
        return Candidates(ids, scores, partial(pictures.both, ids), attributes if any(attributes) else ())

    def _known(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        with self._lock:
            known = {id: self._attributes[id] for id in ids if id in self._attributes}
        new = [id for id in ids if id not in known]
        if new:
            found = self._look_up(new)
            known |= found
            with self._lock:
                self._attributes.update(found)
        return known

    def _look_up(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        # Asked each time: a page may be open while its collection is still being indexed.
        fields = [name for name in self._collection.catalogue.meta("fields", {}) if name != STATE]
        payloads = self._collection.store.payloads(ids) if fields else {}
        return {id: {name: payloads[id][name] for name in fields if name in payloads.get(id, {})} for id in ids}


@dataclass(frozen=True)
class AskingContext:
    """What a question is chosen by: a ranking was made and the turn is not saved yet.

    Attributes:
        brief: The wishes after the message.
        ranked: The ranking, best first, as deep as the questioner wanted it.
        conversation: The turns before this one.
        last: The last of them.
        message: What was just said.
        answered: The question that it answers, or None.
        passed: Keys of questions that would split nothing.
    """

    brief: Brief
    ranked: Sequence[Hit]
    conversation: Conversation
    last: Turn
    message: str = ""
    answered: Question | None = None
    passed: frozenset[str] = frozenset()


#: Questions that are tried at most until one splits what matches.
_TRIED = 4
#: Fewer pictures are looked at sooner than a question on which side of a price they lie is answered.
_MANY = 20
#: How many of the best pictures are looked at: nine of ten targets were among them (docs/questions.md), and every
#: further one costs time to read.
DEPTH = 60


@dataclass(frozen=True)
class AskingPause:
    """How much a person is asked who does not answer.

    Attributes:
        pause: Turns without a question after the first that was passed over; twice as many after each further one.
        most_ignored: After so many that were passed over in a row, nothing is asked any more.
    """

    pause: int = 1
    most_ignored: int = 3

    def holds_back(self, moment: AskingContext, exchanges: Sequence[Exchange]) -> bool:
        """Whether to ask nothing now."""
        ignored = 0
        for exchange in reversed(exchanges):
            if exchange.answer:
                break
            ignored += 1
        if not ignored:
            return False
        turns, asked = len(moment.conversation), moment.last.question
        last = turns if asked is not None and asked.key else moment.conversation.asked[-1].turn
        return ignored >= self.most_ignored or turns - last < self.pause * 2 ** (ignored - 1)


class QuestionPolicy:
    """Decides whether to ask back now, reads the candidates and lets a questioner find the question."""

    def __init__(
        self,
        make: Callable[[], Questioner],
        reader: CandidateReader,
        pause: AskingPause | None = None,
        depth: int = DEPTH,
        *,
        counts: bool = False,
    ) -> None:
        """Set it up.

        Args:
            make: Makes the questioner when it is first needed: it may have to load an encoder.
            reader: Reads what is known of pictures.
            pause: How much a person is asked who does not answer.
            depth: How many of the best pictures are looked at.
            counts: Whether a question must split what matches, and says how many pictures each answer leaves.
        """
        self.depth = depth
        self.counts = counts
        self._make = make
        self._reader = reader
        self._pause = pause or AskingPause()

    @cached_property
    def _questioner(self) -> Questioner:
        return self._make()

    def ask(self, moment: AskingContext) -> Question | None:
        """The question worth asking now, or None."""
        asked = list(exchanges(moment))
        if self._pause.holds_back(moment, asked) or moment.brief.of("sort"):
            return None  # questions were ignored, or the person browses a sorted list
        candidates = self._reader.read(moment.ranked)
        bits = entropy(posterior(candidates.scores))
        entropies = (*(exchange.bits for exchange in asked), bits)
        described = sum(not wish.answer for wish in moment.brief.of("want", "relative"))
        context = QuestionContext(
            candidates,
            told(moment.brief),
            tuple(asked),
            entropies,
            described,
            moment.passed,
            one=seeks_one(moment.brief),
        )
        question = self._questioner.ask(context)
        return None if question is None else replace(question, bits=round(bits, 4))


def exchanges(moment: AskingContext) -> Iterator[Exchange]:
    """The questions of the conversation with what was answered, oldest first; an empty answer where there was none.

    Questions before a rollback or a new search count too: the person has read them.
    """
    for one in moment.conversation.asked:
        yield Exchange(one.question, one.answer, one.question.bits)
    asked = moment.last.question
    if asked is not None and asked.key:
        yield Exchange(asked, moment.message if moment.answered is not None else "", asked.bits)


def told(brief: Brief) -> str:
    """What the person said that need not be asked: the wishes in words and the values of filters."""
    wishes = [wish.text for wish in brief.of("want", "relative", "avoid")]
    return ". ".join([*wishes, *(wish.text for wish in brief.of("filter"))])


#: From so many words on a description is of one picture: "pizza" is said of any.
_LEAST_DESCRIBED = 3
#: What several things in one picture are counted by.
_COUNTED = frozenset("two three four five six seven eight nine ten several many couple group pair".split())
_SEVERAL = frozenset("people men women children".split())


def seeks_one(brief: Brief) -> bool:
    """Whether the person looks for one picture: described at length, in the singular, without alternatives.

    "Bathrooms" and "elephants or zebras" are asked for to see all of them; "two zebras at a water hole" is one picture.
    """
    wants = [wish.text for wish in brief.of("want", "relative") if not wish.answer]
    if sum(len(content_words(text)) for text in wants) < _LEAST_DESCRIBED or any(" or " in text for text in wants):
        return False
    named = next(iter(chunks(wants[0])), "").split()
    if not named or _COUNTED & set(named):
        return True
    return named[-1] not in _SEVERAL and singular(named[-1]) == named[-1]


def default_questioner(collection: Collection) -> QuestionPolicy:
    """The default policy; nothing is loaded before the first question is looked for."""
    from visavis.questions.llm import configured_questioner

    home = collection.place.folder.parents[1]
    return QuestionPolicy(
        lambda: configured_questioner(collection.encoder, home), CandidateReader(collection), counts=True
    )


def split_matches(
    policy: QuestionPolicy, moment: AskingContext, draft: TurnDraft, ranking: ConversationSearch
) -> Question | None:
    """The question worth asking whose answers split the pictures that match, with their numbers; None without one."""
    if draft.matches is not None and draft.matches <= 1:
        return None
    for _ in range(_TRIED):
        asked = policy.ask(moment)
        if asked is None:
            break
        few = draft.matches is not None and draft.matches < _MANY
        if not (few and _halves(asked)) and (splitting := counted(asked, draft, ranking)) is not None:
            return splitting
        moment = replace(moment, passed=moment.passed | {asked.key})
    return None


def _halves(question: Question) -> bool:
    """Whether a question only asks on which side of a number the picture lies."""
    return bool(question.options) and all(re.search(r" (?:<|>=) ", command or "") for _, command in question.options)


def counted(question: Question, draft: TurnDraft, ranking: ConversationSearch) -> Question | None:
    """The question with the number of matches after each answer; None where no answer narrows them down.

    Where the pictures that match are not all known, because the collection is large, nothing is counted.

    Args:
        question: What might be asked.
        draft: The turn that would ask it.
        ranking: Counts.
    """
    if question.form not in ("yes/no", "choice"):
        return question
    if question.pictures or draft.matches is None or draft.about:
        return replace(question, leaves=())
    counts = [
        ranking.exact_matches(brief) for _, command in question.options if (brief := _after(command, question, draft))
    ]
    known = [count for count in counts if count is not None]
    if len(known) < len(question.options):
        return replace(question, leaves=())
    return _commonest_first(question, known) if any(0 < count < draft.matches for count in known) else None


def _commonest_first(question: Question, counts: Sequence[int]) -> Question | None:
    """The question with the numbers, its values by them, without answers that leave nothing.

    None where fewer than two answers are left.
    """
    in_order = question.form == "yes/no" or _halves(question)
    kept = sorted((at for at, count in enumerate(counts) if count), key=lambda at: 0 if in_order else -counts[at])
    if kept == list(range(len(counts))):
        return replace(question, leaves=tuple(counts))
    if question.form == "yes/no" or len(kept) < 2:
        return None
    options = tuple(question.options[place] for place in kept)
    head, colon, told = question.text.partition(":")
    rest = ["something else"] if told.endswith(" something else?") else []
    return replace(
        question,
        text=f"{head}: {listed([*(label for label, _ in options), *rest])}?" if colon else question.text,
        options=options,
        propositions=tuple(question.propositions[place] for place in kept) if question.propositions else (),
        leaves=tuple(counts[place] for place in kept),
    )


def _after(command: str | None, question: Question, draft: TurnDraft) -> Brief | None:
    """The brief after an answer; None for one that does nothing."""
    if not command:
        return None
    turn = draft.number + 1
    situation = replace(draft.situation(lambda _picture, _attribute: None), turn=turn, question=question)
    brief = draft.brief
    for one in parse_commands(command):
        brief = fold(brief, one, situation)
    return as_evidence(brief, turn, question)
