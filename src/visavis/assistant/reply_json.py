"""A turn as other programs read it: one JSON object, with the files of the pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from visavis.assistant.understanding import readings_of
from visavis.conversation.brief import Brief
from visavis.conversation.turns import Hand, PictureComparison, Turn
from visavis.pictures.picture import Picture
from visavis.types import Question, Reason, Result

if TYPE_CHECKING:
    from visavis.api import Collection


def reply_json(turn: Turn, collection: Collection) -> dict[str, Any]:
    """What a turn says and shows: the line that ``visavis chat --json`` prints."""
    ids = [result.id for result in turn.results]
    pictures = collection.catalogue.pictures([*ids, turn.hand.picture] if turn.hand else ids)
    return {
        "turn": turn.number,
        "message": turn.message,
        "commands": [str(command) for command in turn.commands],
        "results": [_result(result, turn.brief, pictures) for result in turn.results],
        "matches": turn.matches,
        "about": turn.about,
        "reply": turn.reply,
        "question": question_json(turn.question),
        "readings": [reading.as_json() for reading in readings_of(turn.question)],
        "comparison": comparison_json(turn.comparison),
        "asks": turn.asks,
        "retriever": turn.retriever,
        "brief": turn.brief.as_json(),
        "picture": _hand(turn.hand, pictures),
        "seconds": turn.seconds,
    }


def _result(result: Result, brief: Brief, pictures: Mapping[str, Picture]) -> dict[str, Any]:
    picture = pictures.get(result.id)
    return {
        "id": result.id,
        "path": picture.path if picture else "",
        "score": round(result.score, 6),
        "because": [_reason(reason, brief) for reason in result.because],
        "why": result.why,
        "caption": (picture.caption or picture.title) if picture else "",
        "probability": result.probability,
        "match": result.match,
    }


def _reason(reason: Reason, brief: Brief) -> dict[str, Any]:
    wish = brief.wishes[reason.wish].id if 0 <= reason.wish < len(brief.wishes) else None
    return {"wish": wish, "text": reason.text, "fits": reason.fits, "fit": round(reason.fit, 4)}


def question_json(question: Question | None) -> dict[str, Any] | None:
    """A question for programs that show it: saying an option's ``say`` answers it."""
    if question is None:
        return None
    counts = question.leaves or (None,) * len(question.options)
    pictures = question.pictures or (None,) * len(question.options)
    return {
        "text": question.text,
        "kind": _kind(question),
        "options": [
            {"label": label, "say": label, "count": count, "picture": picture}
            for (label, _), count, picture in zip(question.options, counts, pictures, strict=True)
        ],
    }


def comparison_json(comparison: PictureComparison | None) -> dict[str, Any] | None:
    """Pictures side by side: their ids, and rows of what differs with a text for each."""
    if comparison is None:
        return None
    rows = [{"name": name, "values": list(values)} for name, values in comparison.rows]
    return {"pictures": list(comparison.pictures), "rows": rows}


def _kind(question: Question) -> str:
    if not question.key:
        return "clarify"
    return "compare" if question.pictures else question.form.replace("/", "_")


def _hand(hand: Hand | None, pictures: Mapping[str, Picture]) -> dict[str, Any] | None:
    if hand is None:
        return None
    path = pictures[hand.picture].path if hand.picture in pictures else ""
    return {"id": hand.picture, "path": path, "source": hand.source, "edits": list(hand.edits)}
