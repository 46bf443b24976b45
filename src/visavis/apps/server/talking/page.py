"""A conversation as one HTML page that needs nothing else: no script, no link outside, its thumbnails inside."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape

from visavis.apps.server.library.cards import Card, cards
from visavis.apps.server.talking.talks import Talk
from visavis.conversation.turns import Turn
from visavis.version import __version__

#: Pictures shown for each turn.
_SHOWN = 12
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


def page_policy() -> str:
    """What the page may do: show pictures that lie inside it, in its own style."""
    digest = b64encode(sha256(_STYLE.encode()).digest()).decode()
    return f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def page(talk: Talk) -> str:
    """The page; everything that people or files said is escaped."""
    conversation = talk.conversation
    shown = {result.id for turn in conversation.turns for result in turn.results[:_SHOWN]}
    shown |= {turn.hand.picture for turn in conversation.turns if turn.hand is not None}
    known = cards(talk.opened.catalogue, shown)
    images = {id: _inlined(talk, id) for id in shown}
    turns = "".join(_turn(turn, known, images) for turn in conversation.turns)
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        f'<meta http-equiv="Content-Security-Policy" content="{escape(page_policy())}">'
        '<meta name=viewport content="width=device-width,initial-scale=1"><meta name=referrer content=no-referrer>'
        f"<title>{escape(talk.name)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(conversation.title or talk.name)}</h1>"
        f"<p>A conversation about <b>{escape(talk.opened.name)}</b>, {len(conversation)} turns.</p>"
        f"{turns}<footer><small>visavis {escape(__version__)}</small></footer></body></html>"
    )


def _inlined(talk: Talk, id: str) -> str:
    try:
        data = talk.opened.bare.thumbnail(id).read_bytes()
    except OSError:
        return ""
    return f"data:image/webp;base64,{b64encode(data).decode()}"


def _turn(turn: Turn, known: dict[str, Card], images: dict[str, str]) -> str:
    wishes = "".join(f"<span{'' if wish.active else ' class=off'}>{escape(wish.label)}</span>" for wish in turn.brief)
    hand = ""
    if turn.hand is not None:
        edits = escape("; ".join(turn.hand.edits))
        hand = f"<ul>{_figure(turn.hand.picture, known, images)}</ul><p><code>{edits}</code></p>"
    results = "".join(_figure(result.id, known, images) for result in turn.results[:_SHOWN])
    question = f"<p>{escape(turn.question.text)}</p>" if turn.question else ""
    said = escape(turn.message or "; ".join(turn.changes))
    return (
        f"<article id=turn-{turn.number}><p class=said>{turn.number}. {said}</p>"
        f"<p class=reply>{escape(turn.reply)}</p><p class=wishes>{wishes}</p>"
        f"{hand}<ul>{results}</ul>{question}</article>"
    )


def _figure(id: str, known: dict[str, Card], images: dict[str, str]) -> str:
    caption = escape(known[id].caption)
    image = f'<img src="{images[id]}" alt="{caption}">' if images.get(id) else ""
    return f"<li><figure>{image}<figcaption>{caption}</figcaption></figure></li>"
