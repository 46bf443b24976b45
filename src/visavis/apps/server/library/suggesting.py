"""Things to say that have results: out of the collection's own captions and attributes, each tried first."""

from __future__ import annotations

from collections.abc import Iterator

from visavis.apps.server.library.opened import Opened
from visavis.collections.searching.probes import probe_texts
from visavis.errors import VisavisError

_WANTED = 6
#: How many are tried at most: each costs a search.
_TRIED = 24
_LONGEST_WORDS = 9
_SAMPLE = 200
#: Attributes that make good messages, when they are there.
_TELLING = ("category", "kind", "type", "articletype", "subject", "class", "label")


def suggestions(opened: Opened) -> list[str]:
    """A few messages; made once for each state of the collection."""
    state = opened.surroundings.state()
    kept = opened.kept_suggestions
    if kept is None or kept[0] != state:
        opened.kept_suggestions = kept = (state, _make(opened))
    return kept[1]


def kept_suggestions(opened: Opened) -> list[str]:
    """Those that were made already; none where they would have to be made first."""
    kept = opened.kept_suggestions
    return kept[1] if kept is not None and kept[0] == opened.surroundings.state() else []


def _make(opened: Opened) -> list[str]:
    found: list[str] = []
    tried = 0
    seen: set[str] = set()
    for message in _ideas(opened):
        words = frozenset(message.lower().split())
        if message.lower() in seen or any(len(words & frozenset(one.lower().split())) > 2 for one in found):
            continue  # several that say nearly the same are no help
        seen.add(message.lower())
        tried += 1
        if _has_results(opened, message):
            found.append(message)
        if len(found) >= _WANTED or tried >= _TRIED:
            break
    return found


def _ideas(opened: Opened) -> Iterator[str]:
    """Captions and values of attributes in turn; general descriptions where the collection says nothing of itself."""
    captions, values = _captions(opened), _values(opened)
    while True:
        caption, value = next(captions, None), next(values, None)
        if caption is None and value is None:
            break
        yield from (idea for idea in (value, caption) if idea)
    probes = probe_texts()
    yield from probes[:: max(1, len(probes) // _TRIED)]


def _captions(opened: Opened) -> Iterator[str]:
    pictures = next(opened.catalogue.scroll(_SAMPLE, missing=False), [])
    for picture in pictures:
        text = (picture.caption or picture.title).strip().rstrip(".")
        if picture.origin is None and 2 <= len(text.split()) <= _LONGEST_WORDS:
            yield text[0].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _values(opened: Opened) -> Iterator[str]:
    attributes = opened.surroundings.attributes(opened.surroundings.state())
    colours = next((v for n, v in attributes.items() if n.lower().endswith(("colour", "color"))), ())
    named = next((v for n, v in attributes.items() if n.lower() in _TELLING), ())
    if not isinstance(named, tuple):
        return
    for place, value in enumerate(named[:_WANTED]):
        colour = colours[place % len(colours)] if isinstance(colours, tuple) and colours else ""
        yield f"{colour} {value}".strip().lower() if value.islower() else f"{colour} {value}".strip()


def _has_results(opened: Opened, message: str) -> bool:
    try:
        return bool(opened.collection.search(message, k=1).results)
    except VisavisError:
        return False
