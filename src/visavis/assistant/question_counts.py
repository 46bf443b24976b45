"""How many pictures each answer to a question would leave: what the person gets who gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from visavis.assistant.draft import TurnDraft
from visavis.assistant.retrieval import ConversationSearch
from visavis.conversation.brief import Brief
from visavis.conversation.fold import as_evidence, fold
from visavis.language.commands import parse_commands
from visavis.language.english import listed
from visavis.types import Question


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
    return _without_empty(question, known) if any(0 < count < draft.matches for count in known) else None


def _without_empty(question: Question, counts: Sequence[int]) -> Question | None:
    """The question with the numbers, without answers that leave nothing; None where fewer than two are left."""
    if all(counts):
        return replace(question, leaves=tuple(counts))
    kept = [place for place, count in enumerate(counts) if count]
    if question.form == "yes/no" or len(kept) < 2:
        return None
    options = tuple(question.options[place] for place in kept)
    head, colon, _ = question.text.partition(":")
    return replace(
        question,
        text=f"{head}: {listed([label for label, _ in options])}?" if colon else question.text,
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
