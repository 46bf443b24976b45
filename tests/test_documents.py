"""What the documents say is there: files, headings, commands and their options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer

from visavis.cli.main import _register_all, app

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.md")])
#: Names of files in the text, without a link: `docs/server.md`, `benchmarks/turn.py`.
NAMED = re.compile(r"`((?:docs|benchmarks|tests|src|web|requirements)/[\w./-]+\.\w+)`")
CODE = re.compile(r"^```.*?^```|(?<=\n\n)(?: {4}[^\n]*\n)+", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"visavis [a-z-]")
INLINE = re.compile(r"`(visavis [^`]+)`")


def anchors(document: Path) -> set[str]:
    """The headings of a document as links name them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path):
    text = document.read_text("utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
    for name in NAMED.findall(text):
        assert (ROOT / name).exists(), name


def test_names_beside_files_are_defined_there():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    places = re.findall(r"`(src/[\w./]+\.py)` \(`(\w+)`\)", text)
    missing = [
        (file, name)
        for file, name in places
        if not re.search(rf"\b(class|def) {name}\b", (ROOT / file).read_text("utf-8"))
    ]
    assert places
    assert missing == []


def test_files_of_a_walk_lie_in_the_room_of_their_step():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    steps = re.findall(r"^\d+\. \*\*(\w+)\*\*(.*(?:\n   .*)*)", text, re.MULTILINE)
    named = [(room, file) for room, step in steps for file in re.findall(r"`([\w/]+\.py)`", step)]
    package = ROOT / "src" / "visavis"
    assert named
    assert [step for step in named if not any((package / at / step[1]).exists() for at in (step[0], "."))] == []


def test_what_is_said_to_build_a_paper_is_there():
    """A reader that only tests called was deleted while a table still named its file."""
    named, missing = 0, []
    for document in sorted((ROOT / "docs" / "papers").glob("*.md")):
        table = "\n".join(re.findall(r"^\| .* \| (.*`src/.*) \|$", document.read_text("utf-8"), re.MULTILINE))
        files = set(re.findall(r"`(src/[\w./]+\.py)`", table))
        code = "".join((ROOT / file).read_text("utf-8") for file in files)
        for name in re.findall(r"`(?:\w+\.)?(?!json)(\w+)`", table):
            named += 1
            if not re.search(rf"\b(?:(?:class|def) {name}\b|{name}(?:: [^=]+)? = )", code):
                missing.append((document.name, name))
    assert named > 15
    assert missing == []


def test_tests_that_documents_name_exist():
    texts = [document.read_text("utf-8") for document in DOCUMENTS]
    named = {found for text in texts for found in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)}
    assert len(named) > 50
    assert [(file, name) for file, name in named if f"def {name}(" not in (ROOT / file).read_text("utf-8")] == []


def test_every_picture_is_shown_somewhere():
    text = "".join(document.read_text("utf-8") for document in DOCUMENTS)
    assert [file.name for file in (ROOT / "docs" / "images").iterdir() if file.name not in text] == []


@cache
def command_line() -> object:
    _register_all()
    return typer.main.get_command(app)


def commands_in(text: str) -> Iterator[str]:
    """Each call of visavis, whole: lines that end with a backslash go on."""
    blocks = [block.replace("\\\n", " ") for block in CODE.findall(text)]
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    for line in (*lines, *(found.replace("\n", " ") for found in INLINE.findall(text))):
        for part in re.split(r"&&|;", line):
            if CALL.match(part.strip()):
                yield part.partition(" | ")[0].strip()


def check_command(line: str) -> None:
    """Walk down the commands by their names, then look for each option."""
    words = shlex.split(line.replace("…", "..."), comments=True)[1:]
    command, path = command_line(), "visavis"
    while words and words[0] in getattr(command, "commands", {}):
        path, command = f"{path} {words[0]}", command.commands[words.pop(0)]
    assert not hasattr(command, "commands") or not words or words[0].startswith("-"), f"{path} has no '{words[0]}'"
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    for word in words:
        name = word.partition("=")[0]
        if re.fullmatch(r"--?[a-zA-Z][\w-]*", name) and not re.fullmatch(r"-\d+", name):
            assert name in {*known, "--help", "-h"}, f"{path} has no {name}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_and_their_options_exist(document: Path):
    lines = list(commands_in(document.read_text("utf-8")))
    for line in lines:
        check_command(line)
    assert all(line.startswith("visavis") for line in lines)


def test_a_command_that_does_not_exist_is_noticed():
    for wrong in ("visavis serch x", "visavis search x --colection y", "visavis collection shwo"):
        with pytest.raises(AssertionError):
            check_command(wrong)


def every_command(command: object, path: str = "visavis") -> Iterator[tuple[str, object]]:
    """Each command that does something, with its whole name."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, below in command.commands.items():
        yield from every_command(below, f"{path} {name}")


def test_every_command_has_examples_that_can_be_typed():
    for path, command in every_command(command_line()):
        examples = [line.strip() for line in (command.help or "").splitlines() if CALL.match(line.strip())]
        assert examples or path == "visavis version", path
        for line in examples:
            for part in line.split("&&"):
                check_command(part.strip())
