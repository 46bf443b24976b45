"""Ignore patterns as in a .gitignore, matched in a time that no pattern can make long.

A pattern is a list of path segments; within a segment, and between segments for ``**``, a mismatch only ever returns to
the last wildcard. So a match takes at most the length of the pattern times that of the path, where a regular
expression may take for ever (``a*a*a*a*b``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from visavis.errors import BadInputError
from visavis.logs import line_logger
from visavis.pictures.reader import OutsideError, open_regular

logger = line_logger(__name__)

#: A file of this name holds ignore patterns for its folder and below, one a line, as in a .gitignore.
IGNORE_FILE = ".visavisignore"
_LARGEST_FILE = 256 * 1024
_MOST_PATTERNS = 1000
_LONGEST_PATTERN = 1000

#: Tests one character; None is a ``*``.
_Token = Callable[[str], bool] | None
#: The tokens of one path segment; None is a ``**``.
_Segment = tuple[_Token, ...] | None
_Pattern = TypeVar("_Pattern")
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class IgnorePattern:
    """One line of an ignore file.

    Attributes:
        segments: What each part of the path must match.
        includes: Whether the line begins with ``!``, and so brings back what an earlier one ignores.
        folders_only: Whether it ends with ``/``.
    """

    segments: tuple[_Segment, ...]
    includes: bool = False
    folders_only: bool = False

    @classmethod
    def parse(cls, line: str) -> IgnorePattern | None:
        """Parse a line; None for an empty one or a comment.

        Raises:
            ValueError: It is not a pattern.
        """
        text = _without_trailing_spaces(line)
        if not text or text.startswith("#"):
            return None
        if len(text) > _LONGEST_PATTERN:
            raise ValueError(f"A pattern of more than {_LONGEST_PATTERN} characters")
        includes = text.startswith("!")
        body = text[includes:]
        folders_only = body.endswith("/")
        anchored = "/" in body.rstrip("/")
        parts = [part for part in body.split("/") if part]
        if not body:
            raise ValueError(f"'{text}' is not a pattern")
        if not parts:
            return None
        segments: list[_Segment] = [None if part == "**" else _tokens(part) for part in parts]
        if not anchored:
            segments.insert(0, None)
        if len(parts) > 1 and parts[-1] == "**":
            segments.append((None,))  # everything inside, but not the folder itself
        return cls(tuple(segments), includes, folders_only)

    def matches(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Return whether it matches a path below its folder, given in parts."""
        if self.folders_only and not is_folder:
            return False
        return _match(self.segments, parts, _matches_name)


def _without_trailing_spaces(line: str) -> str:
    text = line.rstrip("\r\n")
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    return text


def _match(pattern: Sequence[_Pattern | None], items: Sequence[_Item], fits: Callable[[_Pattern, _Item], bool]) -> bool:
    """Match a sequence with wildcards (None), which stand for any number of items; greedy, with one way back."""
    at = place = 0
    wildcard, resume = -1, 0
    while place < len(items):
        token = pattern[at] if at < len(pattern) else None
        if at < len(pattern) and token is None:
            wildcard, resume = at, place
            at += 1
        elif token is not None and fits(token, items[place]):
            at += 1
            place += 1
        elif wildcard >= 0:
            resume += 1
            at, place = wildcard + 1, resume
        else:
            return False
    return all(token is None for token in pattern[at:])


def _matches_name(tokens: tuple[_Token, ...], name: str) -> bool:
    return _match(tokens, name, lambda test, letter: test(letter))


def _tokens(text: str) -> tuple[_Token, ...]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        letter = text[at]
        at += 1
        if letter == "*":
            if not tokens or tokens[-1] is not None:
                tokens.append(None)
        elif letter == "?":
            tokens.append(lambda _: True)
        elif letter == "[" and (end := _end_of_class(text, at)) > 0:
            tokens.append(_letter_class(text[at:end]))
            at = end + 1
        else:
            if letter == "\\" and at < len(text):
                letter, at = text[at], at + 1
            tokens.append(letter.__eq__)
    return tuple(tokens)


def _end_of_class(text: str, start: int) -> int:
    at = start + (text[start : start + 1] in {"!", "^"})
    if text[at : at + 1] == "]":  # the first one is a letter of the class
        at += 1
    while at < len(text) and text[at] != "]":
        at += 2 if text[at] == "\\" else 1
    return at if at < len(text) else -1


def _letter_class(text: str) -> Callable[[str], bool]:
    negated = text[:1] in {"!", "^"}
    letters: list[str] = []
    ranges: list[tuple[str, str]] = []
    rest = text[negated:]
    at = 0
    while at < len(rest):
        letter = rest[at]
        if letter == "\\" and at + 1 < len(rest):
            at += 1
            letter = rest[at]
        at += 1
        if rest[at : at + 1] == "-" and at + 1 < len(rest):
            ranges.append((letter, rest[at + 1]))
            at += 2
        else:
            letters.append(letter)
    return lambda found: (found in letters or any(low <= found <= high for low, high in ranges)) != negated


@dataclass(frozen=True)
class _Rules:
    """The ignore patterns of one folder, which hold for everything below it."""

    base: str
    patterns: tuple[IgnorePattern, ...]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        parts = [part for part in path[len(self.base) :].replace("\\", "/").split("/") if part]
        for pattern in reversed(self.patterns):
            if pattern.matches(parts, is_folder):
                return not pattern.includes
        return None


@dataclass(frozen=True)
class IgnoreRules:
    """The ignore patterns in effect in a folder: its own, and those of every folder above it.

    Attributes:
        levels: From the root down.
        root: Ignore files that link out of this folder are not read; None follows every link.
    """

    levels: tuple[_Rules, ...] = ()
    root: str | None = None

    def within(self, folder: str, lines: Sequence[str]) -> IgnoreRules:
        """Add patterns for a folder and below; they take precedence over these."""
        try:
            patterns = [pattern for line in lines if (pattern := IgnorePattern.parse(line))]
        except ValueError as error:
            raise BadInputError(f"{error}.", "Write patterns as in a .gitignore.") from error
        return self._with(folder, patterns)

    def within_folder(self, folder: str) -> IgnoreRules:
        """Add the patterns of the folder's own ignore file; invalid lines are skipped, and so are too many."""
        file = Path(folder, IGNORE_FILE)
        try:
            with open_regular(file, self.root) as opened:
                data = opened.read(_LARGEST_FILE + 1)
        except OutsideError as error:
            logger.warning("%s: %s", file, error.strerror)
            return self
        except (OSError, ValueError):
            return self
        if len(data) > _LARGEST_FILE:
            logger.warning("%s: only its first %d kB are read", file, _LARGEST_FILE // 1024)
        patterns: list[IgnorePattern] = []
        for number, line in enumerate(data[:_LARGEST_FILE].decode("utf-8-sig", "replace").splitlines(), 1):
            try:
                pattern = IgnorePattern.parse(line)
            except ValueError as error:
                logger.warning("%s, line %d: %s", file, number, error)
                continue
            if pattern and len(patterns) >= _MOST_PATTERNS:
                logger.warning("%s, line %d: only the first %d patterns count", file, number, _MOST_PATTERNS)
                break
            if pattern:
                patterns.append(pattern)
        return self._with(folder, patterns)

    def _with(self, folder: str, patterns: Sequence[IgnorePattern]) -> IgnoreRules:
        if not patterns:
            return self
        return IgnoreRules((*self.levels, _Rules(folder, tuple(patterns))), self.root)

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Return whether a file or folder is ignored; the nearest matching pattern decides."""
        for rules in reversed(self.levels):
            verdict = rules.verdict(path, is_folder)
            if verdict is not None:
                return verdict
        return False
