"""Edits in a conversation when things go wrong around it: kills, a full disk, files that vanish, change or break."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tiny_visavis
from homes import copy_home
from PIL import Image
from processes import environment, start, visavis, visavis_json
from tiny_encoder import TinyEncoder

from visavis.api import Collection, open_collection
from visavis.assistant import Assistant
from visavis.conversation.conversation import Conversation
from visavis.conversation.memory import Memory
from visavis.language.commands import parse_command

#: Noise does not compress: writing an edited picture takes long enough to be killed in the middle of.
SIDE = 700
KILLS = 5
EDITS = ["rotate 90", "adjust_attr brightness 10", "flip horizontal", "border 20 white", "undo", "grayscale"]


def noise(path: Path, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (SIDE, SIDE, 3), np.uint8)
    Image.fromarray(pixels).save(path, quality=90)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two photographs, and a conversation that has one of them in hand, edited once."""
    folder = tmp_path_factory.mktemp("stress")
    (folder / "photos").mkdir()
    for seed in range(2):
        noise(folder / "photos" / f"{seed}.jpg", seed)
    with open_collection("photos", folder / "home", create=True, encoder=TinyEncoder()) as collection:
        collection.index(folder / "photos")
        talk = Assistant(collection).start("editing")
        for line in ("search a picture", "select #1", "rotate 270"):
            turn = Assistant(collection).do(talk, [parse_command(line)], line)
        assert turn.hand is not None
    return folder


@pytest.fixture
def home(template: Path, tmp_path: Path) -> Path:
    return copy_home(template / "home", tmp_path / "home")


def script(folder: Path, *messages: str) -> Path:
    path = folder / "script.jsonl"
    path.write_text("".join(json.dumps({"message": message}) + "\n" for message in messages))
    return path


def check(home: Path, at_least: int) -> int:
    """The collection and the conversation open, every picture is whole; how many turns there are."""
    with open_collection("photos", home, encoder=TinyEncoder()) as collection:
        talk = Memory(collection.catalogue).load("editing")
        assert len(talk) >= at_least, "a turn that was shown is lost"
        for turn in talk.turns:
            if turn.hand is not None:
                collection.open_image(turn.hand.picture).load()
        for batch in collection.catalogue.scroll():
            for picture in batch:
                collection.open_image(picture.id).load()
        found = collection.search("a picture", k=100, with_edits=True).results
        assert sum(1 + len(result.folded) for result in found) >= 3, "originals and edits are found"
        return len(talk)


# -- kills -------------------------------------------------------------------------------------------------


def test_kills_while_editing_lose_no_turn_and_leave_no_half_picture(home: Path, tmp_path: Path):
    chance = random.Random(11)
    told = check(home, 3)
    killed = 0
    for attempt in range(KILLS):
        messages = [EDITS[(attempt + place) % len(EDITS)] for place in range(6)]
        process = start(
            home, "chat", "-c", "photos", "--resume", "editing", "--script", script(tmp_path, *messages), "--json",
            "--no-questions",
        )  # fmt: skip
        assert process.stdout is not None
        for _ in range(chance.randint(0, 3)):  # so far it has certainly come, however slow the machine is
            told = json.loads(process.stdout.readline())["turn"]
        time.sleep(chance.uniform(0, 0.25))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.communicate()
        told = check(home, told)
    assert killed >= KILLS // 2, "the kills came too late to mean anything"
    found = visavis_json(home, "collection", "verify", "photos", "--repair")
    assert found["sound"], found
    ended = visavis(
        home, "chat", "-c", "photos", "--resume", "editing", "--script", script(tmp_path, "flip horizontal"), "--json"
    )
    assert json.loads(ended.stdout)["turn"] == told + 1


def test_what_a_kill_left_behind_is_named_and_cleared_away(home: Path):
    with open_collection("photos", home, encoder=TinyEncoder()) as collection:
        edits = collection.place.edits_folder
        kept = set(edits.iterdir())
        draft, orphan, going_on = edits / ".abc.123", edits / f"{'ab' * 16}.png", edits / f"{'cd' * 16}.png"
        for path in (draft, orphan, going_on):
            path.write_bytes(b"half a picture")
        for path in (draft, orphan):
            os.utime(path, (1, 1))
        found = collection.verify()
        assert found.faults["an edited file without a row"].examples == sorted(map(str, (draft, orphan)))
        assert not found.sound
        assert collection.verify(repair=True).sound
        assert set(edits.iterdir()) == {*kept, going_on}, "an edit that is going on is left alone"


# -- a full disk -------------------------------------------------------------------------------------------


def limited(home: Path, bytes_a_file: int, *args: object) -> subprocess.CompletedProcess[str]:
    """Run visavis where no file may grow beyond a size: what a full disk looks like to whoever writes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_a_file, resource.RLIM_INFINITY))

    command = [sys.executable, str(Path(tiny_visavis.__file__)), *map(str, args)]
    return subprocess.run(
        command, env=environment(home), capture_output=True, text=True, preexec_fn=limit, timeout=180, check=False
    )


def test_a_full_disk_while_an_edited_picture_is_written(home: Path, tmp_path: Path):
    edits = sorted((home / "collections" / "photos").rglob("*.png"))
    play = script(tmp_path, "flip horizontal", "adjust_attr brightness 20")
    ended = limited(
        home, SIDE * SIDE, "chat", "-c", "photos", "--resume", "editing", "--script", play, "--json", "--no-questions"
    )
    assert ended.returncode == 6, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    assert "error:" in ended.stderr
    assert "cannot be written" in " ".join(ended.stderr.split())
    assert check(home, 3) == 3, "a turn that could not be carried out is no turn"
    assert sorted((home / "collections" / "photos").rglob("*.png")) == edits, "no half picture stays behind"
    assert visavis_json(home, "collection", "verify", "photos")["sound"]
    again = visavis(home, "chat", "-c", "photos", "--resume", "editing", "--script", play, "--json", "--no-questions")
    assert [json.loads(line)["turn"] for line in again.stdout.splitlines()] == [4, 5]


def test_a_full_disk_while_files_are_edited_and_exported(home: Path, template: Path, tmp_path: Path):
    photo, out = template / "photos" / "0.jpg", tmp_path / "out.png"
    for command in (
        ["edit", photo, "rotate 90", "-o", out],
        ["export", "-c", "photos", "--conversation", "editing", "-o", out],
    ):
        ended = limited(home, 100_000 if command[0] == "edit" else SIDE * SIDE, *command)
        assert ended.returncode == 6, ended.stderr
        assert "cannot be written" in " ".join(ended.stderr.split())
        assert list(tmp_path.glob("*out.png*")) == [], "neither the file nor a part of it"


# -- files that vanish, change or break between turns ------------------------------------------------------


@pytest.fixture
def own(template: Path, tmp_path: Path):
    """A collection of its own whose originals may be harmed."""
    shutil.copytree(template / "photos", tmp_path / "photos")
    with open_collection("photos", tmp_path / "own", create=True, encoder=TinyEncoder()) as collection:
        collection.index(tmp_path / "photos")
        yield collection


def begun(collection: Collection) -> tuple[Assistant, Conversation, Path]:
    assistant = Assistant(collection, folder=collection.place.folder)
    talk = assistant.start()
    assistant.do(talk, [parse_command("search a picture")])
    assistant.reply(talk, "select #1")
    assert talk.last.hand is not None
    return assistant, talk, Path(collection.picture(talk.last.hand.picture).path)


def vanish(path: Path) -> None:
    path.unlink()


def change(path: Path) -> None:
    Image.new("RGB", (60, 40), "red").save(path)


def corrupt(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:3000])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


Harm = Callable[[Path], None]
HARMS: list[tuple[Harm, str]] = [
    (vanish, "any more"),
    (change, "has changed"),
    (corrupt, "0.jpg|1.jpg"),
    (empty, "empty"),
    (folder, "any more"),
]


@pytest.mark.parametrize(("harm", "told"), HARMS, ids=lambda value: getattr(value, "__name__", None))
def test_an_original_that_is_harmed_is_told_and_nothing_changes(
    own: Collection, harm: Callable[[Path], None], told: str
):
    assistant, talk, path = begun(own)
    before, pictures = talk.last, len(own)
    harm(path)
    turn = assistant.reply(talk, "rotate 90")
    assert any(word in turn.reply for word in told.split("|")), turn.reply
    assert turn.hand == before.hand
    assert turn.results == before.results
    assert len(own) == pictures
    assert assistant.memory.load(talk.id).last.reply == turn.reply
    assert assistant.reply(talk, "select #2").hand is not None, "the conversation goes on"
    assert assistant.reply(talk, "rotate 90").hand.edits == ("rotate 90",)  # type: ignore[union-attr]


@pytest.mark.parametrize(("harm", "told"), HARMS, ids=lambda value: getattr(value, "__name__", None))
def test_after_the_first_edit_the_original_is_not_needed(own: Collection, harm: Harm, told: str):
    assistant, talk, path = begun(own)
    assistant.reply(talk, "rotate 90")
    harm(path)
    turn = assistant.reply(talk, "border 20 white")
    assert turn.hand is not None
    assert turn.hand.edits == ("rotate 90", "border 20 white")
    saved = assistant.reply(talk, 'export "kept.png"')
    assert "kept.png" in saved.reply, saved.reply
    with Image.open(own.place.folder / "kept.png") as image:
        assert image.size == (SIDE + 40, SIDE + 40)
    back = assistant.reply(talk, "reset edits")
    assert any(word in back.reply for word in ("as it came", *told.split("|")))


def test_an_edited_picture_that_vanishes_is_told(own: Collection):
    assistant, talk, _ = begun(own)
    turn = assistant.reply(talk, "rotate 90")
    assert turn.hand is not None
    Path(own.picture(turn.hand.picture).path).unlink()
    turn = assistant.reply(talk, "border 20 white")
    assert "any more" in turn.reply
    assert assistant.reply(talk, "reset edits").hand is not None
    assert assistant.reply(talk, "border 20 white").hand.edits == ("border 20 white",)  # type: ignore[union-attr]


def test_the_same_on_several_goes_past_one_that_is_broken(own: Collection, tmp_path: Path):
    for seed in (2, 3):
        noise(tmp_path / "photos" / f"{seed}.jpg", seed)
    own.index(tmp_path / "photos")
    assistant, talk, _ = begun(own)
    assistant.reply(talk, "rotate 90")
    ids = [result.id for result in talk.last.results]
    corrupt(Path(own.picture(ids[2]).path))
    turn = assistant.reply(talk, "repeat next 3")
    assert "Done on 2 more" in turn.reply
    assert Path(own.picture(ids[2]).path).name in turn.reply, "the one that failed is named"
    assert len(turn.results) == 2
