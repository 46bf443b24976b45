"""What a walk passes over: hidden files, what systems leave behind, and what patterns as in a .gitignore say."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from visavis.errors import BadInputError

logger = logging.getLogger(__name__)

#: A file of this name in any folder holds patterns for that folder and below, one a line, as in a .gitignore.
IGNORE_FILE = ".visavisignore"
#: Folders of copies, previews and rubbish that systems and storage boxes leave among people's pictures.
_SYSTEM_FOLDERS = frozenset({"__MACOSX", "@eaDir", "$RECYCLE.BIN", "System Volume Information", "lost+found"})


def is_hidden(name: str) -> bool:
    """Whether a file or folder of this name is never looked at."""
    return name.startswith(".") or name in _SYSTEM_FOLDERS


@dataclass(frozen=True)
class _Rules:
    """The patterns of one place, which hold for everything below it."""

    base: str
    patterns: GitIgnoreSpec

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        below = path[len(self.base) :].lstrip("/") + ("/" if is_folder else "")
        return self.patterns.check_file(below).include


@dataclass(frozen=True)
class IgnoreRules:
    """The patterns that hold in a folder: its own, and those of every folder above it."""

    levels: tuple[_Rules, ...] = ()

    def within(self, folder: str, lines: Sequence[str]) -> IgnoreRules:
        """These rules and, nearer and so stronger, the given lines for a folder and below."""
        try:
            patterns = GitIgnoreSpec.from_lines(lines)
        except ValueError as error:
            raise BadInputError(f"{error}.", "Write patterns as in a .gitignore.") from error
        return IgnoreRules((*self.levels, _Rules(folder, patterns))) if len(patterns.patterns) else self

    def within_folder(self, folder: str) -> IgnoreRules:
        """These rules and those that the folder's own ignore file adds; lines that are no pattern are passed over."""
        file = Path(folder, IGNORE_FILE)
        try:
            lines = file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        except OSError:
            return self
        return self.within(folder, [line for number, line in enumerate(lines, 1) if _is_pattern(line, file, number)])

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether to pass over a file or folder; the nearest pattern that speaks of it decides."""
        for rules in reversed(self.levels):
            verdict = rules.verdict(path, is_folder)
            if verdict is not None:
                return verdict
        return False


def _is_pattern(line: str, file: Path, number: int) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError as error:
        logger.warning("%s, line %d: %s", file, number, error)
        return False
    return True
