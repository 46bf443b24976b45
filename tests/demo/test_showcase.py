"""The demo from its first to its last step, on a small catalogue."""

import json

import pytest
from PIL import Image
from typer.testing import CliRunner

from visavis.apps.cli import demo as demo_command
from visavis.demo import showcase
from visavis.demo.showcase import Answer, Described


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    folder = showcase.draw_pictures(home, 60)
    with showcase.index_pictures(home, folder) as collection:
        yield home, collection


def test_what_is_described_is_found(shop):
    _, collection = shop
    answers = showcase.ask(collection)
    assert len(answers) >= 3  # sixty things hold at least some of the described ones
    assert sum(answer.found for answer in answers) >= len(answers) - 1


def test_things_that_were_not_drawn_are_not_asked_for(shop):
    _, collection = shop
    assert showcase.ask(collection, [Described("a spaceship", {"category": "spaceship"})]) == []


def test_the_sheet_shows_every_answer(shop):
    _, collection = shop
    answers = showcase.ask(collection)
    drawn = showcase.sheet(collection, answers)
    assert drawn.height > 200 * len([answer for answer in answers if answer.results.results])


def test_a_wrong_first_result_is_no_success(shop):
    _, collection = shop
    results = collection.search("a dress", k=1)
    assert not Answer(Described("a dress", {}), results, None).found
    assert not Answer(Described("a dress", {}), results, 4).found
    assert Answer(Described("a dress", {}), results, 1).found


def test_the_command_prints_what_it_found(shop):
    import typer

    home, _ = shop
    app = typer.Typer()
    demo_command.register(app)
    result = CliRunner().invoke(app, ["--count", "60", "--json", "--home", str(home)])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["of"] == len(told["answers"]) >= 3
    with Image.open(told["sheet"]) as sheet:
        assert sheet.format == "PNG"
