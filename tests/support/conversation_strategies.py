"""Briefs, commands and turns for property tests."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from visavis.conversation.brief import Brief
from visavis.conversation.turns import Hand, Turn, Window
from visavis.language.commands import parse_command
from visavis.types import Question, Reason, Result, Wish

words = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=30)
ids = st.text("0123456789abcdef", min_size=32, max_size=32)

_PHRASES = st.sampled_from(
    "red;blue;in red;red stripes;dress;a red dress;long sleeves;short sleeves;sleeveless;a dog on the beach;"
    "longer;shorter sleeves;less formal;people;stripes;leather;at night;blue dress with a white collar".split(";")
)
_PICTURES = st.sampled_from(["#1", "#2", "#3", "this"])


@st.composite
def lines(draw: st.DrawFn) -> str:
    """A command that may change a brief, in its text form."""
    verb = draw(st.sampled_from(["search", "refine", "refine", "avoid", "forget", "answer", "like", "unlike", "keep",
                                 "filter", "sort", "reset", "rotate", "more"]))  # fmt: skip
    match verb:
        case "like" | "unlike":
            return f"{verb} {draw(_PICTURES)}"
        case "keep":
            return f"keep {draw(st.sampled_from(['colour', 'sleeves']))} of {draw(_PICTURES)}"
        case "filter":
            comparison = draw(st.sampled_from(["<", ">", "<=", ">=", "=", "!="]))
            return f"filter price {comparison} {draw(st.integers(0, 99))}"
        case "sort":
            return f"sort price {draw(st.sampled_from(['asc', 'desc']))}"
        case "reset" | "more":
            return verb
        case "rotate":
            return "rotate 90"
        case _:
            return f"{verb} {draw(_PHRASES)}"


@st.composite
def wishes(draw: st.DrawFn, place: int = 1) -> Wish:
    kind = draw(st.sampled_from(["want", "avoid", "keep", "like", "unlike", "relative", "sort"]))
    end = draw(st.sampled_from(["", "replaced", "forgotten"]))
    return Wish(
        id=f"{draw(st.integers(1, 99))}.{place}",
        kind=kind,
        text=draw(words),
        turn=draw(st.integers(1, 99)),
        weight=draw(st.floats(0.01, 10)),
        active=not end and draw(st.booleans()),
        pinned=draw(st.booleans()),
        picture=draw(st.none() | ids),
        attribute=draw(st.just("") | words),
        reference=draw(st.none() | ids),
        reference_turn=draw(st.none() | st.integers(1, 99)),
        end=end,
        ended=draw(st.integers(1, 99)) if end else None,
    )


@st.composite
def briefs(draw: st.DrawFn) -> Brief:
    return Brief(tuple(draw(wishes(place)) for place in range(1, draw(st.integers(0, 5)) + 1)))


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    reasons = st.builds(Reason, st.integers(-1, 5), words, st.floats(0, 1))
    results = st.builds(Result, ids, st.floats(-1, 1), st.lists(reasons, max_size=3).map(tuple))
    options = st.lists(st.tuples(words, st.none() | st.just("rotate 90")), max_size=3).map(tuple)
    questions = st.none() | st.builds(Question, words, options)
    return Turn(
        number=draw(st.integers(1, 999)),
        message=draw(words),
        commands=tuple(parse_command(line) for line in draw(st.lists(lines(), max_size=3))),
        reply=draw(words),
        brief=draw(briefs()),
        results=tuple(draw(st.lists(results, max_size=4))),
        window=Window(draw(st.integers(1, 50)), draw(st.integers(0, 500))),
        hand=draw(st.none() | st.builds(Hand, ids, ids, st.just(("rotate 90",)))),
        question=draw(questions),
        pending=draw(st.sampled_from([(), ("rotate 90",)])),
        answered=draw(questions),
        grew_from=draw(st.integers(0, 99)),
        stands_at=draw(st.integers(0, 99)),
        restores=draw(st.none() | st.integers(1, 99)),
        undone=tuple(draw(st.lists(st.integers(1, 99), max_size=3))),
        changes=draw(st.sampled_from([(), ("off 1.1",)])),
        chance=draw(st.sampled_from(["", "abc"])),
        state=draw(st.sampled_from(["", "1:200"])),
        at=draw(st.none() | st.datetimes(timezones=st.just(UTC), min_value=datetime(2000, 1, 1))),
        seconds=draw(st.floats(0, 10)),
    )
