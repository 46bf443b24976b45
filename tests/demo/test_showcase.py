"""The demo from its first to its last step, on a small catalogue."""

import json

import pytest
from PIL import Image
from tiny_encoder import TinyEncoder
from typer.testing import CliRunner

from visavis.cli import demo as demo_command
from visavis.demo import showcase
from visavis.demo.showcase import ExpectedFind, SearchCheck
from visavis.errors import BadInputError, StorageError


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
    assert showcase.ask(collection, [ExpectedFind("a spaceship", {"category": "spaceship"})]) == []


def test_the_sheet_shows_every_answer(shop):
    _, collection = shop
    answers = showcase.ask(collection)
    drawn = showcase.sheet(collection, answers)
    assert drawn.height > 200 * len([answer for answer in answers if answer.results.results])


def test_a_wrong_first_result_is_no_success(shop):
    _, collection = shop
    results = collection.search("a dress", k=1)
    assert not SearchCheck(ExpectedFind("a dress", {}), results, None).found
    assert not SearchCheck(ExpectedFind("a dress", {}), results, 4).found
    assert SearchCheck(ExpectedFind("a dress", {}), results, 1).found


def test_the_command_prints_what_it_found(shop):
    import typer

    home, _ = shop
    app = typer.Typer()
    demo_command.register(app)
    result = CliRunner().invoke(app, ["--count", "60", "--check", "--json", "--home", str(home)])
    told = json.loads(result.stdout)
    assert told["of"] == len(told["answers"]) + len(told["story"])
    assert len(told["answers"]) >= 3
    assert len(told["story"]) == 8
    # Sixty things lack some that the story is about: what was not found is an error, and said to be one.
    assert result.exit_code == (0 if told["found"] == told["of"] else 1)
    steps = {step["said"]: step["found"] for step in told["story"]}
    assert steps["go back to turn 1"]
    assert steps["rotate it 90 degrees clockwise"]
    assert steps["undo"]
    with Image.open(told["sheet"]) as sheet:
        assert sheet.format == "PNG"


def test_a_collection_of_an_older_encoder_is_made_anew(shop, tmp_path):
    from homes import copy_home

    from visavis.api import open_collection

    home = copy_home(shop[0], tmp_path / "home")
    showcase.note_ready(home, 60)
    assert showcase.is_ready(home, showcase.COLLECTION, 60)
    assert not showcase.is_ready(home, showcase.COLLECTION, 61)
    with open_collection(showcase.COLLECTION, home) as collection:
        made_with = collection.catalogue.meta("encoder")
        collection.catalogue.set_meta("encoder", {**made_with, "fingerprint": "older"})
    assert not showcase.is_ready(home, showcase.COLLECTION, 60)
    assert showcase.remove_outdated(home, showcase.COLLECTION)
    assert not showcase.remove_outdated(home, showcase.COLLECTION)
    with showcase.index_pictures(home, home / "demo" / "pictures") as collection:
        assert len(collection) == 60


def test_a_collection_of_ones_own_is_left_alone_though_it_is_called_so(tmp_path):
    """Neither is it mixed with what is drawn, nor taken for an outdated demo and removed."""
    from drawing import draw

    from visavis.api import open_collection

    home = tmp_path / "home"
    draw(tmp_path / "mine" / "a.png", "red")
    with open_collection(showcase.COLLECTION, home, encoder=TinyEncoder(), create=True) as collection:
        collection.index(tmp_path / "mine")
    with pytest.raises(BadInputError, match="of your own"):
        showcase.remove_outdated(home, showcase.COLLECTION)
    with open_collection(showcase.COLLECTION, home) as collection:
        assert len(collection) == 1


def test_a_demo_that_cannot_be_read_is_not_removed(shop, tmp_path):
    from homes import copy_home

    home = copy_home(shop[0], tmp_path / "home")
    folder = home / "collections" / showcase.COLLECTION
    for file in folder.glob("catalogue.sqlite*"):
        file.unlink()
    (folder / "catalogue.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(StorageError):
        showcase.remove_outdated(home, showcase.COLLECTION)
    assert (folder / "settings.json").exists()
