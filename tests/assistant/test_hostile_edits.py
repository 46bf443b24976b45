"""What nobody should say about a picture in hand, said: nothing is harmed, and the conversation goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.assistant.reply_json import reply_json
from visavis.conversation.conversation import Conversation
from visavis.editing.pipeline import EditRun
from visavis.language.commands import Caption, parse_command
from visavis.pictures.decoder import DecodeLimits

HOSTILE = [
    "crop ; rm -rf /",
    "crop $(touch owned) 0 0 9 9",
    "rotate `reboot`",
    "crop -1 -1 -1 -1",
    "crop 0 0 99999999999999999999 99999999999999999999",
    "rotate 1e308 degrees clockwise",
    "resize it to 99999999 by 99999999",
    "resize to 0 by 0 pixels",
    "brightness 99999999999999999999999999999999999",
    "brightness \x00\x1b[2J 20",
    "‮thgirb erom‬ make it",
    "make it 🦊🦊🦊 brighter 🦊",
    "اجعلها أكثر سطوعًا",
    "make the '; DROP TABLE turns; -- red",
    "replace the background with /etc/passwd",
    "replace the background with ../../../secret.png",
    "blur the " + "very " * 700 + "old dog",
    "undo " * 500,
    "undo 99999999999999999999 steps",
    "add a 99999999 pixel border",
    "do the same to the next 999999999",
    "take off the border " * 60,
    "make it \ud800 brighter",
    "rotate it left" + " then rotate it left" * 150,
    "x" * 100_000,
]


@pytest.fixture
def in_hand(assistant: Assistant) -> Conversation:
    talk = assistant.start()
    assistant.reply(talk, "red")
    assistant.reply(talk, "select #1")
    return talk


@pytest.mark.parametrize("message", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_edit_harms_nothing(assistant: Assistant, in_hand: Conversation, colours: Collection, message: str):
    first = in_hand.last.hand
    assert first is not None
    before = colours.open_image(first.picture).tobytes()
    turn = assistant.reply(in_hand, message)
    assert turn.reply
    json.dumps(reply_json(turn, colours)).encode()
    assert colours.open_image(first.picture).tobytes() == before, "an original never changes"
    if turn.hand is not None:
        width, height = colours.open_image(turn.hand.picture).size
        assert width * height < 30_000_000
    assert list(assistant.memory.load(in_hand.id).turns) == list(in_hand.turns)
    assert assistant.reply(in_hand, "rollback 2").hand == first


@pytest.mark.parametrize("line", ["resize 200x200", "resize 900%", "rotate 45"])
def test_no_picture_is_made_that_could_not_be_opened_again(
    assistant: Assistant, in_hand: Conversation, colours: Collection, monkeypatch: pytest.MonkeyPatch, line: str
):
    """An edit could make 400 megapixels, more than any that can be read: minutes and gigabytes for an error."""
    first = in_hand.last.hand
    assert first is not None
    wide, high = colours.open_image(first.picture).size
    monkeypatch.setattr("visavis.assistant.edits.DEFAULT_LIMITS", DecodeLimits(memory=8 * wide * high))
    monkeypatch.setattr(EditRun, "step", lambda *_, **__: pytest.fail("made"))
    turn = assistant.do(in_hand, [parse_command(line)], line)
    assert "too large" in turn.reply
    assert turn.hand == first


@pytest.mark.parametrize(
    "text", ['say "cheese"', "back\\slash", "100 % {sure}", "Grüße an Zoë", "<b>bold</b> & more", "it's; rm -rf ~"]
)
def test_a_caption_is_text_whatever_it_says(assistant: Assistant, in_hand: Conversation, text: str):
    turn = assistant.reply(in_hand, str(Caption(text=text, position="top")))
    assert turn.hand is not None
    (line,) = turn.hand.edits
    (command,) = turn.hand.commands
    assert str(command) == line
    assert (command.text, command.position) == (text, "top")  # type: ignore[attr-defined]
    again = assistant.replay(in_hand).last.hand
    assert again == turn.hand, "the same letters give the same picture"


@pytest.mark.parametrize(
    "name", ["../../out.png", "/tmp/out.png", "..\\out.png", ".png", "a/b/c.png", "~/out.png", "out.png.exe", "x" * 260]
)
def test_saving_never_leaves_the_folder(assistant: Assistant, in_hand: Conversation, tmp_path: Path, name: str):
    outside = {path for path in tmp_path.rglob("*") if path.is_file()}
    turn = assistant.reply(in_hand, f'save it as "{name}"')
    assert turn.reply
    new = {path for path in tmp_path.rglob("*") if path.is_file()} - outside
    assert all(path.parent == tmp_path / "saved" for path in new)
    assert not Path("/tmp/out.png").exists()
    assert not (tmp_path.parent / "out.png").exists()


WORDS = (
    "crop|the|rotate|it|less|left|border|undo|blur|background|50|%|to|red|take off|more|half|but|not|everything|save|;|"
    "\n|🦊|darker|again|instead"
).split("|")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9))
def test_any_jumble_of_words_about_edits_is_answered(assistant: Assistant, colours: Collection, words: list[str]):
    talk = assistant.start()
    for message in ("red", "select #1", "border 20 white", " ".join(words)):
        turn = assistant.reply(talk, message)
    assert turn.reply
    if turn.hand is not None:
        assert colours.catalogue.picture(turn.hand.picture) is not None
    assert list(assistant.memory.load(talk.id).turns) == list(talk.turns)
