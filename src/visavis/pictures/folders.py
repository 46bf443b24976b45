"""Scan a folder for pictures, in a stable order, with ignore patterns as in a .gitignore."""

from __future__ import annotations

import heapq
import os
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from visavis.logs import line_logger
from visavis.pictures.formats import PICTURE_SUFFIXES
from visavis.pictures.ignore import IgnoreRules
from visavis.pictures.picture import FailureReason, PictureError
from visavis.pictures.reader import OUTSIDE, is_inside, real_root

logger = line_logger(__name__)

#: Folders of copies, previews and deleted files that operating systems and NAS devices create.
_SYSTEM_FOLDERS = frozenset({"__MACOSX", "@eaDir", "$RECYCLE.BIN", "System Volume Information", "lost+found"})


def is_hidden(name: str) -> bool:
    """Return whether a file or folder of this name is always skipped."""
    return name.startswith(".") or name in _SYSTEM_FOLDERS


#: How many names of one folder are held in memory. A larger folder is read again for each further part: a folder of a
#: million files takes ten passes, a few seconds, instead of a list of a million.
NAMES_AT_ONCE = 100_000

_Folder = tuple[str, IgnoreRules]


def walk(
    root: Path | str,
    ignore: Sequence[str] = (),
    *,
    follow_links: bool = False,
    on_error: Callable[[PictureError], None] | None = None,
) -> Iterator[Path]:
    """Yield every file below a folder that has a picture's suffix, in the order of names, depth first.

    Hidden files and folders are skipped, and so is what ``ignore`` or a ``.visavisignore`` file matches. Links to
    folders are followed after everything else, each folder once, so loops end and a picture is found under its own
    name first. Links that lead out of the root are left out and reported. A single file as the root is found
    whatever its name.

    Args:
        root: The folder.
        ignore: Patterns as in a .gitignore, relative to the root.
        follow_links: Whether links may lead out of the root.
        on_error: Called for each folder that cannot be read and each link out of the root; the scan continues.
            Without it, a warning is logged.

    Raises:
        PictureError: Immediately, when there is no such folder.
    """
    start = os.fspath(root)
    inside = None if follow_links else real_root(start)
    rules = IgnoreRules(root=inside).within(start, ignore)
    try:
        is_file = stat.S_ISREG(os.stat(start).st_mode)  # noqa: PTH116
    except (OSError, ValueError) as error:
        raise PictureError(FailureReason.MISSING, start, "there is no such folder") from error
    return iter((Path(start),)) if is_file else _Walk(on_error or _log, inside).below(start, rules)


def _log(error: PictureError) -> None:
    logger.warning("%s", error)


class _Walk:
    """The state of one scan: the visited folders, and the links to follow later."""

    def __init__(self, on_error: Callable[[PictureError], None], inside: str | None) -> None:
        self._on_error = on_error
        self._inside = inside
        self._seen: set[tuple[int, int]] = set()
        self._links: deque[_Folder] = deque()

    def below(self, root: str, rules: IgnoreRules) -> Iterator[Path]:
        self._links.append((root, rules))
        while self._links:
            yield from self._tree(*self._links.popleft())

    def _tree(self, top: str, rules: IgnoreRules) -> Iterator[Path]:
        """Walk depth first with a stack of open folders, so that no depth overflows the call stack."""
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
        """Yield the pictures (with no rules) and the folders (with the rules in effect there) of a folder, in order."""
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
        """Yield the entries of a folder in the order of names, read in parts."""
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

    def _kind(self, entry: os.DirEntry[str], rules: IgnoreRules) -> str:
        """Return whether an entry is a picture, a folder, a link to a folder, or something else."""
        try:
            is_folder = entry.is_dir()
            if not is_folder and (not _has_picture_name(entry.name) or not entry.is_file()):
                return ""
            if rules.ignores(entry.path, is_folder):
                return ""
            if self._inside is not None and entry.is_symlink() and not is_inside(entry.path, self._inside):
                self._on_error(PictureError(FailureReason.OUTSIDE, entry.path, f"it is {OUTSIDE}"))
                return ""
            if not is_folder:
                return "picture"
            return "link" if entry.is_symlink() else "folder"
        except OSError:  # a broken or circular link
            return ""

    def _report(self, folder: str, error: OSError) -> None:
        detail = f"the folder cannot be read ({(error.strerror or str(error)).lower()})"
        self._on_error(PictureError(FailureReason.UNREADABLE, folder, detail, "Check that you may read it."))


def _has_picture_name(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in PICTURE_SUFFIXES  # noqa: PTH122 - a Path a name is slow
