"""Folders to choose pictures from: what lies in a folder, and where the pictures of a home are."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from visavis.errors import BadInputError, NotFoundError
from visavis.home import expand_user
from visavis.pictures.folders import is_hidden
from visavis.pictures.formats import PICTURE_SUFFIXES
from visavis.server.models.collections import Folder, FolderList, FolderSuggestions

_MOST_FOLDERS = 500
#: Nobody waits longer for a count, and no count goes further.
_SECONDS = 1.5
_MOST_COUNTED = 10_000
_MOST_OFFERED = 6
_DEEPEST = 6
#: Folders of programs: what looks like a picture in them is none that somebody took.
_OF_PROGRAMS = frozenset(
    "node_modules __pycache__ site-packages venv env AppData Library Applications snap go target dist build".split()
)
#: Folders of the system, directly below the root.
_OF_SYSTEM = frozenset(
    "bin boot dev etc lib lib32 lib64 libx32 lost+found proc run sbin snap srv sys tmp usr var opt "
    "System Library Applications cores private Windows".split()
)


def list_folders(path: str) -> FolderList:
    """The folders in a folder that hold pictures, or may; those of the system and of programs are left out.

    Raises:
        NotFoundError: There is no such folder.
    """
    if "\0" in path:
        raise BadInputError("That is no path.", "Choose a folder.")
    folder = Path(os.path.abspath(expand_user(path or "~")))  # noqa: PTH100  (.. goes, links stay as written)
    try:
        found = sorted(_inside(folder), key=lambda one: one.name.lower())[:_MOST_FOLDERS]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NotFoundError(f"The folder {folder} cannot be read: {reason}.", "Choose another.") from error
    survey = _Survey()
    here = survey.count_here(folder)
    folders = [Folder(name=one.name, path=str(one), pictures=survey.count(one).pictures) for one in found]
    seen = [one for one in folders if one.pictures or survey.ended]
    return FolderList(
        path=str(folder),
        parent=None if folder.parent == folder else str(folder.parent),
        folders=seen,
        pictures=here + sum(one.pictures for one in folders),
        counted=not survey.ended,
        empty=len(folders) - len(seen),
    )


def suggest_folders() -> FolderSuggestions:
    """Folders of the home that hold pictures, the fullest first; none that holds none is offered."""
    home = expand_user("~")
    survey = _Survey()
    try:
        # What is called Pictures comes first where the time ends.
        top = sorted(_inside(home), key=lambda one: (one.name.lower() not in ("pictures", "photos"), one.name.lower()))
    except OSError:
        top = []
    found = [survey.count(folder) for folder in top]
    here = survey.count_here(home)
    offered = [(one.heart(), one.pictures) for one in found if one.pictures]
    if here:
        offered.append((home, here))
    offered.sort(key=lambda one: -one[1])
    folders = [Folder(name=path.name, path=str(path), pictures=count) for path, count in offered[:_MOST_OFFERED]]
    return FolderSuggestions(home=str(home), folders=folders)


def _inside(folder: Path) -> Iterator[Path]:
    """The folders in a folder that may be looked into."""
    left_out = _OF_PROGRAMS | _OF_SYSTEM if folder.parent == folder else _OF_PROGRAMS
    with os.scandir(folder) as entries:
        for entry in entries:
            if not is_hidden(entry.name) and entry.name not in left_out and entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)


@dataclass
class _Counted:
    """A folder with how many pictures are in it, and in the folders in it."""

    path: Path
    here: int = 0
    inside: list[_Counted] = field(default_factory=list)

    @property
    def pictures(self) -> int:
        return self.here + sum(one.pictures for one in self.inside)

    def heart(self) -> Path:
        """The folder that all of its pictures are in: of `Documents/scans` that is `scans`."""
        full = [one for one in self.inside if one.pictures]
        return full[0].heart() if not self.here and len(full) == 1 else self.path


class _Survey:
    """Counts pictures by their names until its time is over."""

    def __init__(self) -> None:
        self._until = time.monotonic() + _SECONDS
        self._counted = 0

    @property
    def ended(self) -> bool:
        """Whether not everything could be counted."""
        return self._counted >= _MOST_COUNTED or time.monotonic() > self._until

    def count(self, folder: Path, depth: int = 0) -> _Counted:
        """The pictures in a folder and in the folders in it."""
        found = _Counted(folder, self.count_here(folder))
        if depth < _DEEPEST:
            try:
                inside = list(_inside(folder))
            except OSError:
                inside = []
            for one in inside:
                if self.ended:
                    break
                found.inside.append(self.count(one, depth + 1))
        return found

    def count_here(self, folder: Path) -> int:
        """The pictures directly in a folder."""
        count = 0
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if os.path.splitext(entry.name)[1].lower() in PICTURE_SUFFIXES:  # noqa: PTH122 - a Path is slow
                        count += 1
                        if self._counted + count >= _MOST_COUNTED:
                            break
        except OSError:
            return 0
        self._counted += count
        return count
