"""``visavis chat`` as a person and as a script meet it."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from drawing import draw
from homes import copy_home
from PIL import Image
from processes import environment
from rich.console import Console

from visavis.cli.terminal.view import _further, best_way, block_lines, iterm_sequence, kitty_sequence, show


@pytest.fixture
def home(colours_template: Path, tmp_path: Path) -> Path:
    """The home of the collection "colours", for the command line to find."""
    return copy_home(colours_template, tmp_path / "home")


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def script_of(tmp_path: Path, *messages: str) -> Path:
    path = tmp_path / "script.jsonl"
    path.write_text("".join(json.dumps({"message": message}) + "\n" for message in messages))
    return path


def replies(stdout: str) -> list[dict]:
    return [json.loads(line) for line in stdout.splitlines()]


def test_a_script_gives_one_json_reply_a_line(visavis, tmp_path: Path):
    script = script_of(tmp_path, "red", "no blue", "under 100", "go back to turn 1")
    lines = replies(visavis("chat", "-c", "colours", "--script", script, "--json").stdout)
    assert [line["turn"] for line in lines] == [1, 2, 3, 4]
    assert all({"turn", "commands", "results", "reply", "question", "brief"} <= set(line) for line in lines)
    assert all({"id", "path", "score", "because"} <= set(result) for line in lines for result in line["results"])
    first, last = ([result["id"] for result in line["results"]] for line in (lines[0], lines[3]))
    assert first[:10] == last[:10]
    assert lines[1]["results"] != lines[0]["results"]
    assert lines[3]["commands"] == ["rollback 1"]


def test_a_retriever_is_chosen_by_name(visavis, tmp_path: Path):
    script = script_of(tmp_path, "red")
    chosen = visavis("chat", "-c", "colours", "--script", script, "--json", "--retriever", "composed")
    assert replies(chosen.stdout)[0]["retriever"] == "composed"
    unknown = visavis("chat", "-c", "colours", "--script", script, "--json", "--retriever", "nothing", ok=False)
    assert unknown.code == 2
    assert "composed" in unknown.stderr


def test_messages_come_through_standard_input(visavis, type_in):
    type_in('{"message": "red"}\n\n{"changes": ["weight 1.1 2"]}\n')
    lines = replies(visavis("chat", "-c", "colours", "--json").stdout)
    assert [line["brief"]["wishes"][0]["weight"] for line in lines] == [1.0, 2.0]


@pytest.mark.parametrize("line", ["red", "{}", '{"message": 7}', "[1]", '{"changes": []}', "{" * 5000])
def test_a_bad_script_names_its_line(visavis, tmp_path: Path, line: str):
    script = tmp_path / "bad.jsonl"
    script.write_text('{"message": "red"}\n' + line + "\n")
    ended = visavis("chat", "-c", "colours", "--script", script, "--json", ok=False)
    assert ended.code == 2
    assert "line 2" in ended.stderr
    assert len(replies(ended.stdout)) == 1, "what went before was answered"


def test_a_missing_script_and_a_missing_conversation_are_said(visavis, tmp_path: Path):
    assert visavis("chat", "-c", "colours", "--script", tmp_path / "none.jsonl", ok=False).code == 2
    assert visavis("chat", "-c", "colours", "--resume", "none", ok=False).code == 3
    assert visavis("chat", "-c", "nothing", ok=False).code == 3


def test_a_conversation_is_named_listed_resumed_exported_replayed_and_deleted(visavis, tmp_path: Path):
    visavis("chat", "-c", "colours", "--script", script_of(tmp_path, "red", "no blue"), "--name", "mine", "--json")
    listed = json.loads(visavis("chat", "-c", "colours", "--list", "--json").stdout)["conversations"]
    assert [(one["name"], one["turns"], one["title"]) for one in listed] == [("mine", 2, "red")]
    script = script_of(tmp_path, "go back to turn 1")
    resumed = replies(visavis("chat", "-c", "colours", "--resume", "mine", "--script", script, "--json").stdout)
    assert resumed[0]["turn"] == 3
    exported = json.loads(visavis("chat", "-c", "colours", "--export", "mine").stdout)
    assert [turn["message"] for turn in exported["turns"]] == ["red", "no blue", "go back to turn 1"]
    replayed = json.loads(visavis("chat", "-c", "colours", "--replay", "mine", "--json").stdout)
    assert [turn["same"] for turn in replayed["turns"]] == [True, True, True]
    visavis("chat", "-c", "colours", "--delete", "mine")
    assert "mine" not in visavis("chat", "-c", "colours", "--list").stdout


def test_talking(visavis, type_in):
    lines = "red;;no blue;/brief;/why 1;/undo;/turns;/name my reds;/nonsense;/why 99;/all;/help;/quit;red"
    type_in(lines.replace(";", "\n"))
    ended = visavis("chat", "-c", "colours")
    for expected in ("24 pictures", "no blue", "turn 2", "Back at “red”", "my reds", "/weight WISH X", "because"):
        assert expected in ended.stdout, expected
    assert "no command of the chat" in ended.stderr
    assert "no picture 99" in ended.stderr
    assert "--resume my reds" in ended.stderr
    listed = json.loads(visavis("chat", "-c", "colours", "--list", "--json").stdout)["conversations"]
    assert [one["turns"] for one in listed] == [3]


def test_the_terminal_speaks_of_conditions_fits_and_files_in_words(visavis, type_in):
    type_in("red\nunder 100\nmake the first one a bit brighter\n")
    told = visavis("chat", "-c", "colours").stdout
    assert "price under 100" in told
    assert "save it as NAME.png" in told
    assert re.search(r"^#\s+fit\s+picture", told, re.MULTILINE)
    assert re.search(r"^1\s+\d+%", told, re.MULTILINE)
    assert not re.search(r"-?0\.\d{3}", told)


def test_a_greeting_alone_and_the_end_of_the_input(visavis, type_in):
    type_in("")
    assert "Say what you are looking for" in visavis("chat", "-c", "colours").stdout
    assert json.loads(visavis("chat", "-c", "colours", "--list", "--json").stdout)["conversations"] == []


def test_wishes_are_changed_by_slash(visavis, type_in):
    type_in("red\nunder 100\n/off 2.1\n/brief\n/on 2.1\n/pin 1.1\n/weight 1.1 3\n/remove 2.1\n/off 9.9\n/brief\n")
    ended = visavis("chat", "-c", "colours")
    assert "off" in ended.stdout
    assert "pinned" in ended.stdout
    assert "no wish '9.9'" in ended.stderr


def test_saving_writes_where_the_person_is(visavis, type_in, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    type_in("red\n/save 1 kept.png\n/save\n")
    assert "Saved as" in visavis("chat", "-c", "colours").stdout
    assert Image.open(tmp_path / "here" / "kept.png").getpixel((1, 1))[:3] == (220, 20, 20)
    assert len(list((tmp_path / "here").iterdir())) == 2


def test_help_shows_examples(visavis):
    assert "--script messages.jsonl --json" in visavis("chat", "--help").stdout


# -- pictures in the terminal --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "colours", "way"),
    [
        ({"KITTY_WINDOW_ID": "1"}, "truecolor", "kitty"),
        ({"TERM": "xterm-kitty"}, "truecolor", "kitty"),
        ({"TERM_PROGRAM": "iTerm.app"}, "truecolor", "iterm"),
        ({"TERM_PROGRAM": "WezTerm"}, "truecolor", "iterm"),
        ({"TERM": "xterm-256color"}, "256", "blocks"),
        ({"TERM": "xterm"}, "standard", "sheet"),
    ],
)
def test_terminals_are_known_by_their_environment(environment: dict, colours: str, way: str):
    console = Console(force_terminal=True, color_system=colours, file=io.StringIO())
    assert best_way(console, environment) == way
    assert best_way(Console(force_terminal=False, file=io.StringIO()), environment) == "none"


def test_half_blocks_have_the_colours_of_the_picture():
    lines = list(block_lines([(1, Image.new("RGB", (64, 64), (255, 0, 0)))], 4))
    assert str(lines[0]).startswith("#1")
    styles = {str(span.style.color.get_truecolor()) for line in lines[1:] for span in line.spans if span.style.color}
    assert any("red=255" in style for style in styles)


def test_sequences_carry_the_whole_file():
    import base64

    data = os.urandom(10_000)
    kitty = kitty_sequence(data)
    chunks = [part.split(";", 1)[1] for part in kitty.removesuffix("\x1b\\").split("\x1b\\")]
    assert base64.standard_b64decode("".join(chunks)) == data
    assert kitty.count("m=1") == len(chunks) - 1
    assert base64.standard_b64decode(iterm_sequence(data).partition(":")[2].removesuffix("\x07")) == data


def test_a_contact_sheet_is_written_where_the_terminal_shows_no_colours(tmp_path: Path):
    console = Console(file=io.StringIO(), width=100)
    files = [draw(tmp_path / f"{name}.png", name) for name in ("red", "blue")] + [tmp_path / "missing.png"]
    written = show(console, files, "sheet", tmp_path / "sheet.png")
    assert written is not None
    assert Image.open(written).width > 200
    assert show(console, [tmp_path / "missing.png"], "sheet", tmp_path / "none.png") is None


# -- a killed process ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_killed_between_saving_and_showing_nothing_is_lost(home: Path, tmp_path: Path, visavis):
    """A process is killed at the moment when a turn is saved and not yet shown."""
    code = (
        "import os, signal, runpy, sys\n"
        "import visavis.assistant.reply_json as script\n"
        "told = script.reply_json\n"
        "def killed(turn, collection):\n"
        "    if turn.number == 2: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return told(turn, collection)\n"
        "script.reply_json = killed\n"
        "sys.argv = ['visavis', *sys.argv[1:]]\n"
        "from tiny_encoder import TinyEncoder\n"
        "from visavis.collections import collection\n"
        "collection._load_encoder = lambda _: TinyEncoder()\n"
        "from visavis.cli.main import main\n"
        "main()\n"
    )
    script = script_of(tmp_path, "filter kind = plain", "filter price < 100", "sort price asc")
    arguments = ["chat", "-c", "colours", "--script", str(script), "--name", "killed", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment(home), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert [line["turn"] for line in replies(done.stdout)] == [1], "turn 2 was saved, but never shown"
    resumed = script_of(tmp_path, "rollback 2")
    line = replies(visavis("chat", "-c", "colours", "--resume", "killed", "--script", resumed, "--json").stdout)[0]
    assert line["turn"] == 3
    assert [wish["text"] for wish in line["brief"]["wishes"]] == ["kind = plain", "price < 100"]
    assert line["results"]


def test_pictures_side_by_side_and_numbered_readings(visavis, tmp_path: Path):
    script = script_of(tmp_path, "filter kind = plain", "compare #1 #2", "questions off")
    told = visavis("chat", "-c", "colours", "--script", script).stdout
    assert "What differs" in told
    assert "price" in told
    assert "I will not ask you anything until you say so." in told


def test_what_is_sorted_by_is_a_column(visavis, tmp_path: Path):
    script = script_of(tmp_path, "filter kind = plain", "sort price asc")
    lines = visavis("chat", "-c", "colours", "--script", script).stdout.splitlines()
    heading = next(line for line in lines[::-1] if line.strip().startswith("#  "))
    assert "price" in heading
    assert "kind" not in heading, "all have the same"


def test_readings_are_numbered():
    from visavis.cli.terminal.view import _asked
    from visavis.types import Question

    question = Question("Which of these?", (("take #2", "select #2"), ("nothing blue", "avoid blue")))
    assert _asked(question, []) == "Which of these?\n  1  take #2\n  2  nothing blue"


@pytest.mark.parametrize(
    ("matches", "about", "told"),
    [
        (2, False, "and 10 less similar: /all lists them"),
        (15, False, "and 5 less similar: /all lists them"),
        (20, False, ""),
        (24, False, "and 4 more that match: “more” shows the next"),
        (2400, True, "and about 2,380 more that match: “more” shows the next"),
        (None, False, "and 10 more: /all lists them"),
    ],
)
def test_what_there_is_besides_the_listed_pictures(matches, about, told):
    results = [SimpleNamespace(match=number < (matches or 0)) for number in range(20)]
    assert _further(SimpleNamespace(results=results, matches=matches, about=about)) == told
