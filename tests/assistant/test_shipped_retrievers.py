"""Live conversations with the retrievers that ship, on the encoder that ships."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawing import draw, draw_mixed

from visavis.api import Collection, open_collection
from visavis.assistant import Assistant
from visavis.conversation.turns import Turn
from visavis.language.commands import parse_command
from visavis.search.learned.registry import DEFAULT, RETRIEVERS, WEIGHTS, available

LEARNED = [name for name in RETRIEVERS if name != DEFAULT and not RETRIEVERS[name].missing()]
COLOURS = ("red", "blue", "green", "yellow", "black", "white")


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder: Path = tmp_path_factory.mktemp("photos")
    rows = ["file,price"]
    for number, one in enumerate(COLOURS):
        draw(folder / "pictures" / f"{one}.png", one, (96, 96))
        rows.append(f"{one}.png,{10 * number}")
        for other in COLOURS:
            if other != one:
                draw_mixed(folder / "pictures" / f"{one}-{other}.png", one, other, (96, 96))
                rows.append(f"{one}-{other}.png,{10 * number + 5}")
    table = folder / "pictures" / "catalogue.csv"
    table.write_text("\n".join(rows) + "\n")
    with open_collection("photos", folder / "home", create=True) as collection:
        collection.index(table)
        yield collection


def say(assistant: Assistant, talk, command: str, retriever: str | None = None) -> Turn:
    return assistant.do(talk, [parse_command(command)], command, retriever=retriever)


def test_weights_ship_and_are_small():
    assert LEARNED, "no learned retriever ships"
    for name in LEARNED:
        size = sum((WEIGHTS / file).stat().st_size for file in RETRIEVERS[name].files)
        assert size < 4_000_000, f"{name} has {size:,} bytes"


@pytest.mark.parametrize("name", LEARNED)
def test_a_conversation_with_rollback_filter_and_a_switched_off_wish(photos: Collection, name: str):
    assert available(photos.encoder)[name] == ""
    assistant = Assistant(photos)
    talk = assistant.start()
    first = say(assistant, talk, "search a red square", name)
    assert first.retriever == name
    assert first.results
    assert all(result.because for result in first.results)
    second = say(assistant, talk, "refine with blue beside it")
    assert [result.score for result in second.results] != [result.score for result in first.results]
    third = say(assistant, talk, "filter price < 30")
    pictures = photos.catalogue.pictures([result.id for result in third.results])
    assert pictures
    assert all(picture.attributes["price"] < 30 for picture in pictures.values())
    back = say(assistant, talk, "rollback 1")
    assert back.results == first.results
    again = say(assistant, talk, "refine with blue beside it")
    assert [wish.text for wish in again.brief.active] == ["a red square", "with blue beside it"]
    off = assistant.revise(talk, f"off {again.brief.active[-1].id}")
    assert [wish.text for wish in off.brief.active] == ["a red square"]
    found = {result.id: result.score for result in off.results}
    same = {result.id: result.score for result in first.results}
    assert max(found, key=found.__getitem__) in same
