"""Find the pictures in a folder: in a stable order, one at a time, however many there are."""

from __future__ import annotations

import heapq
import logging
import os
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from visavis.pictures.errors import PictureError, Reason
from visavis.pictures.formats import PICTURE_SUFFIXES
from visavis.pictures.ignoring import IgnoreRules, is_hidden

logger = logging.getLogger(__name__)

#: How many names of one folder are held at once. A larger folder is read again for each further part: a folder of a
#: million files takes ten readings, a few seconds, instead of a list of a million.
NAMES_AT_ONCE = 100_000

_Folder = tuple[str, IgnoreRules]


def walk(
    root: Path | str, ignore: Sequence[str] = (), *, on_error: Callable[[PictureError], None] | None = None
) -> Iterator[Path]:
    """Every file below a folder whose name is that of a picture, in the order of names, each folder at its place.

    Hidden files and folders are passed over, and so is what ``ignore`` or a ``.visavisignore`` file says. Links to
    folders are followed after everything else, each folder once, so loops end and a picture is found under its own
    name first. A single file as the root is found whatever its name.

    Args:
        root: The folder.
        ignore: Patterns as in a .gitignore, relative to the root.
        on_error: Told of each folder that cannot be read; the walk goes on. Without it, a warning is logged.

    Raises:
        PictureError: At once, when there is no such folder.
    """
    start = os.fspath(root)
    rules = IgnoreRules().within(start, ignore)
    try:
        is_file = stat.S_ISREG(os.stat(start).st_mode)  # noqa: PTH116
    except (OSError, ValueError) as error:
        raise PictureError(Reason.MISSING, start, "there is no such folder") from error
    return iter((Path(start),)) if is_file else _Walk(on_error or _log).below(start, rules)


def _log(error: PictureError) -> None:
    logger.warning("%s", error)


class _Walk:
    """One walk: which folders it has seen, and which links it has put off."""

    def __init__(self, on_error: Callable[[PictureError], None]) -> None:
        self._on_error = on_error
        self._seen: set[tuple[int, int]] = set()
        self._links: deque[_Folder] = deque()

    def below(self, root: str, rules: IgnoreRules) -> Iterator[Path]:
        self._links.append((root, rules))
        while self._links:
            yield from self._tree(*self._links.popleft())

    def _tree(self, top: str, rules: IgnoreRules) -> Iterator[Path]:
        """Depth first with a stack of half-read folders, so that no depth is too deep."""
        stack = [self._enter(top, rules)]
        while stack:
            for entry, inner in stack[-1]:
                if inner is None:
                    yield Path(entry)
                else:
                    stack.append(self._enter(entry, inner))
                    break
            else:
                stack.pop()

    def _enter(self, folder: str, rules: IgnoreRules) -> Iterator[tuple[str, IgnoreRules | None]]:
        """The pictures (with no rules) and the folders (with the rules that hold in them) of a folder, in order."""
        if self._is_new(folder):
            rules = rules.within_folder(folder)
            for entry in self._entries(folder):
                kind = self._kind(entry, rules)
                if kind == "link":
                    self._links.append((entry.path, rules))
                elif kind:
                    yield entry.path, rules if kind == "folder" else None

    def _is_new(self, folder: str) -> bool:
        try:
            status = os.stat(folder)  # noqa: PTH116
        except OSError as error:
            self._report(folder, error)
            return False
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        """What lies in a folder, in the order of names, read in parts."""
        after = ""
        while True:
            try:
                with os.scandir(folder) as entries:
                    later = (entry for entry in entries if entry.name > after and not is_hidden(entry.name))
                    part = heapq.nsmallest(NAMES_AT_ONCE, later, key=lambda entry: entry.name)
            except OSError as error:
                self._report(folder, error)
                return
            yield from part
            if len(part) < NAMES_AT_ONCE:
                return
            after = part[-1].name

    @staticmethod
    def _kind(entry: os.DirEntry[str], rules: IgnoreRules) -> str:
        """Whether an entry is a picture, a folder, a link to a folder, or nothing to us."""
        try:
            is_folder = entry.is_dir()
            if not is_folder and (not _has_picture_name(entry.name) or not entry.is_file()):
                return ""
            if rules.ignores(entry.path, is_folder):
                return ""
            if not is_folder:
                return "picture"
            return "link" if entry.is_symlink() else "folder"
        except OSError:  # a link that leads nowhere, or in a circle
            return ""

    def _report(self, folder: str, error: OSError) -> None:
        detail = f"the folder cannot be read ({(error.strerror or str(error)).lower()})"
        self._on_error(PictureError(Reason.UNREADABLE, folder, detail, "Check that you may read it."))


def _has_picture_name(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in PICTURE_SUFFIXES  # noqa: PTH122 - a Path a name is slow
