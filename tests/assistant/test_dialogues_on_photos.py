"""CAISE-style dialogues on photographs: found, edited, amended, undone, saved, replayed."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from dialogues import in_hand, indexed_collection, talk
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.cli.terminal.view import ChatView, write_found
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Hand
from visavis.editing.editor import Editor
from visavis.editing.export import collection_pictures, export_picture
from visavis.language.commands import Clarify, parse_command, parse_commands

PHOTOS = Path(__file__).parents[3] / "shared" / "data" / "coco" / "sample"
#: Dogs, cats, elephants, horses, pizzas, zebras, a bus, a jet and a boat.
IDS = (45040, 46345, 3067, 71673, 21338, 17282, 60856, 30645, 43939, 68396, 133750, 83142, 58174, 298433, 147675)


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    files = [PHOTOS / f"{id:012}.jpg" for id in IDS]
    if not all(path.is_file() for path in files):
        pytest.skip("the sample of COCO is not here")
    folder = tmp_path_factory.mktemp("photos")
    for path in files:
        shutil.copy(path, folder)
    with indexed_collection("photos", folder / "home", folder) as collection:
        yield collection


@pytest.fixture
def assistant(photos: Collection, tmp_path: Path) -> Assistant:
    return Assistant(photos, folder=tmp_path)


def pixels(collection: Collection, id: str) -> NDArray[np.int16]:
    return np.asarray(collection.open_image(id, keep_alpha=True)).astype(np.int16)


def directly(collection: Collection, hand: Hand) -> NDArray[np.int16]:
    """The edits of a hand carried out at once on its source."""
    editor = Editor(collection.encoder, resolve=collection_pictures(collection))
    image = collection.open_image(hand.source, keep_alpha=True)
    return np.asarray(editor.edit(image, hand.edits, confirmed=True).image).astype(np.int16)


def as_if_at_once(collection: Collection, said: Conversation) -> bool:
    """Whether the picture in hand is what its list of edits makes of the source: nothing taken back is left in it."""
    hand = in_hand(said)
    return bool(np.array_equal(pixels(collection, hand.picture), directly(collection, hand)))


def test_a_complaint_then_less_of_it(assistant: Assistant, photos: Collection):
    said = talk(assistant, "a dog on the beach", "select #1", "adjust_attr brightness 40")
    assert in_hand(said).edits == ("adjust_attr brightness 40",)
    light = [pixels(photos, id).mean() for id in (in_hand(said).source, in_hand(said).picture)]
    assert light[1] > light[0] + 10
    assistant.reply(said, "adjust_attr brightness -20")
    assert in_hand(said).edits[-1] == "adjust_attr brightness -20"
    assert light[0] < pixels(photos, in_hand(said).picture).mean() < light[1]


def test_less_blur_is_less_blur(assistant: Assistant, photos: Collection):
    said = talk(assistant, "a zebra", "the first one", "portrait mode")
    assert in_hand(said).edits == ("blur 50 on background",)
    assistant.reply(said, "less blur")
    assert in_hand(said).edits == ("blur 25 on background",)
    assert as_if_at_once(photos, said)


def test_one_edit_of_several_is_taken_off(assistant: Assistant, photos: Collection):
    said = talk(assistant, "a bus", "select #1", "grayscale", "border 20 black", "flip horizontal")
    assert in_hand(said).edits == ("grayscale", "border 20 black", "flip horizontal")
    assistant.do(said, parse_commands("reset edits ; grayscale ; flip horizontal"), "take off the border")
    assert in_hand(said).edits == ("grayscale", "flip horizontal")
    assert as_if_at_once(photos, said)
    assistant.do(said, parse_commands("reset edits ; flip horizontal"), "bring back the colour")
    assert in_hand(said).edits == ("flip horizontal",)
    source = pixels(photos, in_hand(said).source)
    assert np.array_equal(pixels(photos, in_hand(said).picture), source[:, ::-1])
    assistant.reply(said, "undo")
    assert in_hand(said).edits == ("grayscale", "flip horizontal"), "that, too, can be undone"
    assistant.reply(said, "reset edits")
    assert in_hand(said).edits == ()


def test_a_border_is_changed_and_not_doubled(assistant: Assistant, photos: Collection):
    said = talk(assistant, "a pizza", "select #1", "border 20 white")
    assistant.do(said, parse_commands("undo ; border 40 white"), "thicker")
    assistant.do(said, parse_commands("reset edits ; border 40 black"), "make it black instead")
    assert in_hand(said).edits == ("border 40 black",)
    made = pixels(photos, in_hand(said).picture)
    source = pixels(photos, in_hand(said).source)
    assert made.shape[0] == source.shape[0] + 80
    assert (made[:40] == 0).all()
    assert np.array_equal(made[40:-40, 40:-40], source)


def test_what_is_cropped_out_is_gone(assistant: Assistant, photos: Collection):
    said = talk(assistant, "a jet plane", "select #1", "crop on everything but sky")
    assert said.last.pending, "an even sky is no more like a sky than like any plain background"
    assistant.reply(said, "answer yes")
    hand = in_hand(said)
    assert hand.edits == ("crop on everything but sky",)
    made, source = pixels(photos, hand.picture), pixels(photos, hand.source)
    assert made.shape[1] == source.shape[1]
    assert 0.15 * len(source) < len(made) < len(source)
    assert np.array_equal(made, source[-len(made) :]), "the sky was above"


def test_everything_but_the_thing(assistant: Assistant, photos: Collection):
    said = talk(assistant, "a bus", "the first one", "everything black and white except the bus")
    hand = in_hand(said)
    assert hand.edits == ("grayscale on everything but bus",)
    made = pixels(photos, hand.picture)
    grey = (made.max(axis=2) - made.min(axis=2)) <= 1
    source = pixels(photos, hand.source)
    was_grey = (source.max(axis=2) - source.min(axis=2)) <= 1
    assert grey.mean() > was_grey.mean() + 0.1
    assert np.array_equal(made[~grey], source[~grey]) or not grey.all()


def test_a_doubtful_removal_is_asked_about_and_something_else_is_chosen(assistant: Assistant, photos: Collection):
    """There is a cat in the picture and no dog."""
    said = talk(assistant, "a cat", "select #1")
    assistant.do(said, [parse_command("remove dog")], "get rid of the dog")
    assert said.last.question is not None
    assert "“dog”" in said.last.question.text
    assert said.last.pending == ("remove dog",)
    assert in_hand(said).edits == ()
    assistant.reply(said, "blur 80 on cat")
    assert not said.last.pending, "the cat is plainly there"
    assert in_hand(said).edits == ("blur 80 on cat",)


def test_what_is_plainly_there_is_edited_without_a_question(assistant: Assistant):
    """Each of these masks has a confidence of about .8 or more, far from the line at which one is asked."""
    for animal in ("cat", "dog", "horse"):
        for line in (f"image_cutout on {animal}", f"remove {animal}"):
            said = talk(assistant, f"a {animal}", "select #1")
            assistant.do(said, [parse_command(line)], line)
            assert not said.last.pending, (line, said.last.reply)
            assert in_hand(said).edits == (line,)


def test_an_edit_that_is_asked_about_keeps_the_picture_in_hand(assistant: Assistant):
    said = talk(assistant, "a boat", "select #1", "border 20 white")
    asked = Clarify("Which do you mean?", (("darker", "adjust_attr brightness -20"), ("softer", "blur 10")))
    assistant.do(said, [asked], "reduce glare")
    assert said.last.question is not None
    assert in_hand(said).edits == ("border 20 white",)
    assistant.reply(said, "answer none")
    assert in_hand(said).edits == ("border 20 white",)
    assert said.last.results == said.turns[0].results


def test_search_with_a_crop_and_edit_what_is_found(assistant: Assistant, photos: Collection):
    said = talk(assistant, "a dog", "the first one", "zoom in on the dog", "find me others like this")
    cropped = said.turns[2].hand
    assert cropped is not None
    assert cropped.edits == ("crop on dog",)
    assert said.last.brief.of("like")[0].picture == cropped.picture
    assert not {cropped.picture, cropped.source} & {result.id for result in said.last.results}
    assistant.reply(said, "the second one")
    assistant.reply(said, "turn it upside down and make it a touch warmer")
    assert in_hand(said).edits == ("rotate 180", "adjust_attr warmth 10")
    assert as_if_at_once(photos, said)


def test_combine_two_pictures_and_do_the_same_to_others(assistant: Assistant, photos: Collection):
    said = talk(assistant, "an elephant", "the first one", "put it in front of #3")
    if said.last.pending:
        assistant.reply(said, "yes")
    third = said.turns[0].results[2].id
    assert in_hand(said).edits == (f'replace_background "{third}"',)
    assert np.abs(pixels(photos, in_hand(said).picture)[:8, :8, :3] - pixels(photos, third)[:8, :8]).mean() < 40
    assistant.reply(said, "make it square")
    assistant.reply(said, "same for the next two")
    assert len(said.last.results) == 2
    for result in said.last.results:
        width, height = photos.open_image(result.id).size
        assert width == height


def test_saved_exported_and_replayed(assistant: Assistant, photos: Collection, tmp_path: Path):
    said = talk(
        assistant, "a pizza", "select #1", "rotate 10", "grayscale",
        "crop on right two thirds", 'export "picture.png"',
    )  # fmt: skip
    hand = in_hand(said)
    assert hand.edits == ("rotate 10", "grayscale", "crop on right two thirds")
    with Image.open(tmp_path / "picture.png") as saved:
        assert np.array_equal(np.asarray(saved).astype(np.int16), pixels(photos, hand.picture))
    made = export_picture(photos, hand.picture, lambda _: Editor(photos.encoder))
    assert made.as_before
    again = assistant.replay(said)
    assert again.last.hand == hand, "the same pixels, so the same picture"
    assert len(list(tmp_path.iterdir())) == 1, "a replay writes no files"


def test_what_is_doubtful_is_shown_in_the_terminal_before_it_is_done(assistant: Assistant, photos: Collection):
    said = talk(assistant, "a bus", "the first one", "crop to the giraffe")
    assert said.last.pending, "there is no giraffe"
    console = Console(record=True, width=200, force_terminal=False, file=io.StringIO())
    ChatView(console, photos, found=lambda turn: write_found(assistant, turn)).turn(said.last)
    shown = console.export_text()
    assert shown.count("Shall I go on") == 1, "asked once, not twice"
    (line,) = (line for line in shown.splitlines() if line.startswith("The picture with what is marked: "))
    marked = Path(line.removeprefix("The picture with what is marked: "))
    with Image.open(marked) as image:
        assert image.size == photos.open_image(in_hand(said).picture).size
    marked.unlink()
    assistant.reply(said, "no")
    assert in_hand(said).edits == ()
    assert write_found(assistant, said.last) is None, "a turn that asks nothing shows nothing"
