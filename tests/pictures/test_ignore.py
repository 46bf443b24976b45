"""Ignore patterns: those of git, in a time that no pattern can make long."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from visavis.pictures import ignore
from visavis.pictures.folders import walk
from visavis.pictures.ignore import IGNORE_FILE, IgnorePattern, IgnoreRules


def ignored(pattern: str, path: str) -> bool:
    """Whether git would ignore a file: it, or a folder above it, matches."""
    parsed = IgnorePattern.parse(pattern)
    parts = path.split("/")
    return parsed is not None and any(
        parsed.matches(parts[:depth], depth < len(parts)) for depth in range(1, len(parts) + 1)
    )


parts = st.sampled_from(["a", "b", "*", "**", "?", "[ab]", "[a-c]", "\\*", "x"])
patterns = st.lists(st.lists(parts, min_size=1, max_size=3).map("".join), min_size=1, max_size=3).map("/".join)
paths = st.lists(st.text("abx*c", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join)


@settings(max_examples=600, deadline=None)
@given(start=st.sampled_from(["", "/"]), pattern=patterns, end=st.sampled_from(["", "/"]), path=paths)
def test_patterns_mean_what_they_mean_elsewhere(start: str, pattern: str, end: str, path: str) -> None:
    assume(not (end and pattern.endswith("**")))  # pathspec takes a/**/ for a/**, git does not
    text = start + pattern + end
    assert ignored(text, path) == GitIgnoreSpec.from_lines([text]).match_file(path)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("[!a]b", "xb", True), ("[!a]b", "ab", False), ("[^a]b", "xb", True), ("[]a]", "]", True), ("[a", "[a", True),
        ("a\\ ", "a ", True), ("a  ", "a", True), ("\\#a", "#a", True), ("\\!a", "!a", True), ("#a", "#a", False),
        ("a[!x]b", "a/b", False), ("**/b", "b", True), ("a/**/b", "a/b", True), ("a/**", "a/b/c", True),
    ],
)  # fmt: skip
def test_corners(pattern: str, path: str, expected: bool) -> None:
    assert ignored(pattern, path) is expected


def test_no_pattern_takes_more_steps_than_its_length_times_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a regular expression this one took for ever, and nothing else ran meanwhile."""
    steps = 0
    pattern, name = IgnorePattern.parse("a*" * 400 + "b"), "a" * 200
    assert pattern is not None
    match = ignore._match

    def counted(tokens, items, fits):
        def fit(token, item):
            nonlocal steps
            steps += 1
            return fits(token, item)

        return match(tokens, items, fit)

    monkeypatch.setattr(ignore, "_match", counted)
    assert not pattern.matches([name], is_folder=False)
    assert steps <= 3 * 800 * len(name)


def test_a_hostile_ignore_file_beside_a_long_name(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).write_text("a*" * 60 + "b\n" + "**/a" * 100 + "/b\n")
    (tmp_path / ("a" * 200 + ".png")).touch()
    assert len(list(walk(tmp_path))) == 1


def test_a_pipe_as_ignore_file_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / IGNORE_FILE)
    (tmp_path / "a.png").touch()
    assert len(list(walk(tmp_path))) == 1


def test_an_ignore_file_is_read_within_limits(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / IGNORE_FILE).write_text("x\n" * 1000 + "*.png\n")
    assert not IgnoreRules().within_folder(str(tmp_path)).ignores(str(tmp_path / "a.png"), is_folder=False)
    assert "first 1000 patterns" in caplog.text
    (tmp_path / IGNORE_FILE).write_text("y" * 1001 + "\n*.png\n")
    assert IgnoreRules().within_folder(str(tmp_path)).ignores(str(tmp_path / "a.png"), is_folder=False)
