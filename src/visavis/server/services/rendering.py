"""Turns, questions and conversations as models of the interface and as an HTML page."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape

from visavis.assistant.reply_json import comparison_json, question_json
from visavis.assistant.understanding import readings_of
from visavis.collections.catalogue import Catalogue
from visavis.conversation.brief import Brief
from visavis.conversation.conversation import export_conversation
from visavis.conversation.fold import statement
from visavis.conversation.turns import Hand, Turn
from visavis.server.models.common import ReasonModel, ResultModel
from visavis.server.models.conversations import (
    BriefModel,
    ComparisonModel,
    ConversationModel,
    HandModel,
    OptionModel,
    QuestionModel,
    ReadingModel,
    TurnModel,
    WishModel,
)
from visavis.server.services.collections import OpenCollection
from visavis.server.services.conversations import ConversationPage
from visavis.server.services.wall import Card, cards
from visavis.types import Question, Reason, Result
from visavis.version import __version__

_YES_NO = ("yes", "no")
#: Pictures of each turn in the HTML page.
_EXPORTED_PICTURES = 12
#: Letters of thumbnails in the HTML page.
_EXPORTED_BYTES = 30_000_000
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.4rem}article{border-top:1px solid #8886;padding:1rem 0}"
    ".said{font-weight:600}.reply{opacity:.85}.wishes span{border:1px solid #8888;border-radius:1rem;padding:0 .6rem;"
    "margin:0 .3rem .3rem 0;display:inline-block}.off{text-decoration:line-through;opacity:.6}"
    "ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.5rem;padding:0;list-style:none}"
    "figure{margin:0}img{width:100%;height:9rem;object-fit:cover;border-radius:.3rem}figcaption{font-size:.8rem}"
    "code{font-size:.85rem}"
)


def question_model(question: Question | None, *, waits: bool = False) -> QuestionModel | None:
    """A question with its buttons.

    Args:
        question: What was asked.
        waits: Whether edits wait for the answer.
    """
    if question is None:
        return None
    if question.key:  # questions of the question policy have their own form
        return QuestionModel.model_validate(question_json(question)).model_copy(update={"optional": True})
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


class TurnRenderer:
    """Renders one turn, in parts; the cards of its pictures are read once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: dict[str, Card] = {}

    def results(self, results: Sequence[Result], brief: Brief) -> list[ResultModel]:
        """The models of a ranking."""
        return _result_models(results, brief, self._cards(results))

    def turn(self, turn: Turn) -> TurnModel:
        """The model of the turn."""
        return _turn_model(turn, self._cards(turn.results, turn.hand))

    def _cards(self, results: Sequence[Result], hand: Hand | None = None) -> Mapping[str, Card]:
        shown = [result.id for result in results] + ([hand.picture] if hand else [])
        if new := [id for id in shown if id not in self._known]:
            self._known |= cards(self._catalogue, new)
        return self._known


def conversation_model(talk: ConversationPage) -> ConversationModel:
    """The model of a part of a conversation."""
    header, turns = talk.page.header, talk.page.turns
    found = (result.id for turn in turns for result in turn.results)
    known = cards(talk.opened.catalogue, (*found, *(turn.hand.picture for turn in turns if turn.hand)))
    return ConversationModel(
        id=header.id,
        name=talk.name,
        collection=talk.opened.name,
        branch_of=header.branch_of,
        branch_at=header.branch_at,
        title=talk.page.title,
        total=talk.page.total,
        turns=[_turn_model(turn, known) for turn in turns],
    )


def result_models(results: Sequence[Result], brief: Brief, catalogue: Catalogue) -> list[ResultModel]:
    """The models of a ranking."""
    return _result_models(results, brief, cards(catalogue, (result.id for result in results)))


def reason_model(reason: Reason, wish: str | None = None) -> ReasonModel:
    """The model of a reason; a single search has no wishes to name."""
    return ReasonModel(wish=wish, text=reason.text, fit=round(reason.fit, 4), fits=reason.fits)


def brief_model(brief: Brief) -> BriefModel:
    """The model of a brief."""
    return BriefModel(wishes=[WishModel(**wish.as_json(), label=wish.label) for wish in brief.wishes])


def _turn_model(turn: Turn, known: Mapping[str, Card]) -> TurnModel:
    hand, compared = turn.hand, comparison_json(turn.comparison) if turn.comparison else None
    question: QuestionModel | None = question_model(turn.question, waits=bool(turn.pending))
    return TurnModel(
        number=turn.number,
        message=turn.message,
        commands=[str(command) for command in turn.commands],
        reply=turn.reply,
        brief=brief_model(turn.brief),
        results=_result_models(turn.results, turn.brief, known),
        matches=turn.matches,
        about=turn.about,
        hand=_hand_model(hand, known[hand.picture]) if hand else None,
        question=question,
        readings=[ReadingModel.model_validate(reading.as_json()) for reading in readings_of(turn.question)],
        comparison=ComparisonModel.model_validate(compared) if compared else None,
        asks=turn.asks,
        retriever=turn.retriever,
        pending=list(turn.pending),
        answered=question_model(turn.answered),
        grew_from=turn.grew_from,
        stands_at=turn.stands_at,
        restores=turn.restores,
        undone=list(turn.undone),
        changes=list(turn.changes),
        at=turn.at,
        seconds=turn.seconds,
        can_undo=turn.stands_at > 0,
        can_redo=bool(turn.undone),
    )


def _hand_model(hand: Hand, card: Card) -> HandModel:
    size = {"width": card.width, "height": card.height}
    return HandModel(picture=hand.picture, source=hand.source, edits=list(hand.edits), **size)


def _result_models(results: Iterable[Result], brief: Brief, known: Mapping[str, Card]) -> list[ResultModel]:
    ids = [wish.id for wish in brief.wishes]
    return [_result_model(result, ids, known[result.id]) for result in results]


def _result_model(result: Result, wishes: Sequence[str], card: Card) -> ResultModel:
    because = [
        reason_model(reason, wishes[reason.wish] if 0 <= reason.wish < len(wishes) else None)
        for reason in result.because
    ]
    return ResultModel(
        score=round(result.score, 6),
        because=because,
        **vars(card),
        probability=result.probability,
        match=result.match,
    )


def page_policy() -> str:
    """The Content-Security-Policy of the page: only its own style and pictures inside it."""
    digest = b64encode(sha256(_STYLE.encode()).digest()).decode()
    return f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def html_page(talk: ConversationPage, turns: Iterable[Turn]) -> Iterator[str]:
    """A conversation as one HTML page without scripts and links, its thumbnails inside; all text is escaped.

    It is made turn by turn, so that a long conversation is never in memory as a whole. Thumbnails beyond a limit are
    left out, and their captions stay.
    """
    yield (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        f'<meta http-equiv="Content-Security-Policy" content="{escape(page_policy())}">'
        '<meta name=viewport content="width=device-width,initial-scale=1"><meta name=referrer content=no-referrer>'
        f"<title>{escape(talk.name)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(talk.page.title or talk.name)}</h1>"
        f"<p>A conversation about <b>{escape(talk.opened.name)}</b>, {talk.page.total} turns.</p>"
    )
    left = _EXPORTED_BYTES
    for turn in turns:
        shown = {result.id for result in turn.results[:_EXPORTED_PICTURES]}
        shown |= {turn.hand.picture} if turn.hand is not None else set()
        images = {id: _data_url(talk.opened, id) for id in shown} if left > 0 else {}
        left -= sum(map(len, images.values()))
        yield _turn_html(turn, cards(talk.opened.catalogue, shown), images)
    yield f"<footer><small>visavis {escape(__version__)}</small></footer></body></html>"


def json_file(talk: ConversationPage, turns: Iterable[Turn]) -> Iterator[str]:
    """A conversation as the file that can be taken in again, turn by turn."""
    told = export_conversation(talk.page.header, talk.opened.name) | {"name": talk.name, "turns": []}
    yield json.dumps(told, ensure_ascii=False).removesuffix("]}")
    between = ""
    for turn in turns:
        yield between + json.dumps(turn.as_json(), ensure_ascii=False)
        between = ","
    yield "]}"


def _data_url(opened: OpenCollection, id: str) -> str:
    try:
        data = opened.bare.thumbnail(id).read_bytes()
    except OSError:
        return ""
    return f"data:image/webp;base64,{b64encode(data).decode()}"


def _turn_html(turn: Turn, known: dict[str, Card], images: dict[str, str]) -> str:
    wishes = "".join(f"<span{'' if wish.active else ' class=off'}>{escape(wish.label)}</span>" for wish in turn.brief)
    hand = ""
    if turn.hand is not None:
        edits = escape("; ".join(turn.hand.edits))
        hand = f"<ul>{_figure_html(turn.hand.picture, known, images)}</ul><p><code>{edits}</code></p>"
    results = "".join(_figure_html(result.id, known, images) for result in turn.results[:_EXPORTED_PICTURES])
    question = f"<p>{escape(turn.question.text)}</p>" if turn.question else ""
    said = escape(turn.message or "; ".join(turn.changes))
    return (
        f"<article id=turn-{turn.number}><p class=said>{turn.number}. {said}</p>"
        f"<p class=reply>{escape(turn.reply)}</p><p class=wishes>{wishes}</p>"
        f"{hand}<ul>{results}</ul>{question}</article>"
    )


def _figure_html(id: str, known: dict[str, Card], images: dict[str, str]) -> str:
    caption = escape(known[id].caption)
    image = f'<img src="{images[id]}" alt="{caption}">' if images.get(id) else ""
    return f"<li><figure>{image}<figcaption>{caption}</figcaption></figure></li>"
