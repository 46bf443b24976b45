"""Makers that titles begin with: two of them are alternatives, since a product has one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from visavis.api import Collection
from visavis.assistant.draft import CollectionView
from visavis.assistant.products import any_of_kinds, as_listed, beside_makers, still_for
from visavis.conversation.brief import NOTHING
from visavis.conversation.fold import Situation, fold
from visavis.language.base import Understanding
from visavis.language.commands import parse_command, parse_commands
from visavis.types import Concept

MAKERS = ("nike", "adidas", "red tape")


def is_maker(text: str) -> bool:
    return text.lower() in MAKERS


@pytest.mark.parametrize(
    ("before", "message", "line", "made"),
    [
        ("nike", "and adidas too", "refine adidas", ["refine nike or adidas"]),
        ("nike shoes", "adidas as well", "refine adidas", ["refine nike shoes or adidas shoes"]),
        ("Red Tape shoes", "also nike", "refine nike", ["refine Red Tape shoes or nike shoes"]),
        ("nike shoes", "adidas instead", "refine adidas", ["forget nike shoes", "refine adidas shoes"]),
        ("nike or adidas", "only adidas", "refine adidas", ["refine adidas"]),
        ("red shoes", "adidas", "refine adidas", ["refine adidas"]),
        ("nike shoes", "in red", "refine in red", ["refine in red"]),
        ("boots", "nike and adidas shoes", "search nike and adidas shoes", ["search nike or adidas shoes"]),
        ("boots", "cats and dogs", "search cats and dogs", ["search cats and dogs"]),
    ],
)
def test_a_second_maker_is_an_alternative(before: str, message: str, line: str, made: list[str]):
    brief = fold(NOTHING, parse_command(f"search {before}"), Situation(1))
    understood = Understanding((parse_command(line),), 0.9)
    assert [str(one) for one in beside_makers(understood, message, brief, is_maker).commands] == made


LISTED = {"type": ("Flip Flops", "Shorts", "Caps", "Watches"), "gender": ("Men", "Women", "Boys"), "colour": ("Red",)}


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("search flip flops, shorts and a cap", "search flip flops or shorts or a cap"),
        ("refine red caps & shorts", "refine red caps or shorts"),
        ("search a cap with red and white stripes", "search a cap with red and white stripes"),
        ("search a cap, red", "search a cap, red"),
    ],
)
def test_things_of_several_kinds_are_alternatives(line: str, made: str):
    found = any_of_kinds(Understanding((parse_command(line),), 0.9), LISTED)
    assert [str(one) for one in found.commands] == [made]


@pytest.mark.parametrize(
    ("message", "line", "kept"),
    [
        ("maybe a watch would be better", "search watch", True),
        ("a watch for my son", "search watch", False),
        ("men's watches", "search men's watches", False),
        ("a watch rather", "reset ; filter type = Watches", True),
        ("start over", "reset", False),
        ("with a red strap", "refine red strap", False),
        ("anything with Mickey Mouse?", "search Mickey Mouse", False),
    ],
)
def test_another_thing_is_for_the_same_person(message: str, line: str, kept: bool):
    brief = fold(NOTHING, parse_command("search handbag"), Situation(1))
    brief = fold(brief, parse_command("filter gender = Women"), Situation(1))
    found = still_for(Understanding(parse_commands(line), 0.9), message, brief, LISTED)
    assert " ; ".join(map(str, found.commands)) == line + " ; filter gender = Women" * kept


@pytest.mark.parametrize(("first", "kept"), [("funny t-shirt for my brother", True), ("men's t-shirts", False)])
def test_for_whom_it_is_holds_for_whatever_is_looked_for_next(first: str, kept: bool):
    brief = fold(NOTHING, parse_command("search t-shirt"), Situation(1))
    brief = fold(brief, parse_command("filter gender = Men"), Situation(1))
    polos = Understanding((parse_command("search polos"),), 0.9)
    found = still_for(polos, "actually polos would be nicer", brief, LISTED, lambda turn: {1: first}[turn])
    assert [str(one) for one in found.commands] == ["search polos", *(["filter gender = Men"] if kept else [])]


def test_a_thing_has_the_colour_that_the_catalogue_tells():
    seen = (Concept("handbag", ("red", "leather")), Concept("wall", ("white",)))
    listed = as_listed(seen, {"type": "Caps", "colour": "Brown"}, LISTED)
    assert listed == (Concept("cap", ("brown",)), Concept("handbag", ("leather",)), Concept("wall"))
    assert as_listed(seen, {"type": "Caps"}, LISTED) == seen


def test_alternatives_take_the_place_of_the_first_maker():
    brief = fold(NOTHING, parse_command("search nike shoes"), Situation(1))
    brief = fold(brief, parse_command("refine nike shoes or adidas shoes"), Situation(2))
    assert [wish.text for wish in brief.active] == ["nike shoes or adidas shoes"]


def test_a_maker_is_what_titles_begin_with(own_colours: Collection, monkeypatch: pytest.MonkeyPatch):
    titles = ["Nike Men Black Shoes", "Nike Women Red Bag", "Puma Men Nike Blue Shoes", "Red Tape Men Brown Shoes"]
    held = {str(at): SimpleNamespace(title=title) for at, title in enumerate(titles)}
    holding = {
        word: [id for id, one in held.items() if word in one.title.lower().split()]
        for word in ("nike", "puma", "red", "tape", "men")
    }

    class Index:
        def __init__(self, catalogue: object) -> None:
            del catalogue

        def frequencies(self, words: list[str]) -> dict[str, int]:
            return {word: len(holding[word]) for word in words if word in holding}

        def holding(self, word: str, limit: int) -> list[str]:
            return holding[word][:limit]

    monkeypatch.setattr("visavis.assistant.draft.WordIndex", Index)
    monkeypatch.setattr(
        type(own_colours.catalogue), "pictures", lambda self, ids: {id: held[id] for id in ids}, raising=True
    )
    view = CollectionView(own_colours)
    found = [name for name in ("nike", "Puma", "red tape", "tape", "men", "shoes", "") if view.is_maker(name)]
    assert found == ["nike", "Puma", "red tape"]
