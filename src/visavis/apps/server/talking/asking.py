"""Questions as the interface tells them: what kind, and which buttons."""

from __future__ import annotations

from visavis.apps.server.models.conversations import OptionModel, QuestionModel
from visavis.assistant.telling import question_json
from visavis.conversation.answers import statement
from visavis.language.context import Question

_YES_NO = ("yes", "no")


def question_model(question: Question | None, *, waits: bool = False) -> QuestionModel | None:
    """A question with its buttons.

    Args:
        question: What was asked.
        waits: Whether edits wait for the answer.
    """
    if question is None:
        return None
    if question.key:  # a questioner's own questions say themselves what they are
        return QuestionModel.model_validate(question_json(question))
    labels = [label for label, _ in question.options]
    counts, pictures = question.leaves, question.pictures
    yes_no = tuple(label.lower() for label in labels) == _YES_NO
    if not labels:
        yes_no = statement(question.text) != question.text.strip(" ?.!")
        labels = list(_YES_NO) if yes_no else []
    options = [
        OptionModel(
            label=label,
            say=label,
            count=counts[place] if place < len(counts) else None,
            picture=pictures[place] if place < len(pictures) else None,
        )
        for place, label in enumerate(labels)
    ]
    if waits:
        return QuestionModel(text=question.text, kind="clarify", options=options)
    if any(option.picture for option in options):
        return QuestionModel(text=question.text, kind="compare", options=options)
    if not options:
        return QuestionModel(text=question.text, kind="open")
    return QuestionModel(text=question.text, kind="yes_no" if yes_no else "choice", options=options)
