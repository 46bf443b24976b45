"""Folders of the server's machine, to choose one from."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from visavis.apps.server.models.collections import Folder, FolderList
from visavis.errors import BadInputError, NotFoundError
from visavis.home import in_full
from visavis.pictures.formats import PICTURE_SUFFIXES
from visavis.pictures.ignoring import is_hidden

_MOST_FOLDERS = 500
_MOST_COUNTED = 1000


def list_folders(path: str) -> FolderList:
    """The folders in a folder; hidden ones are left out.

    Raises:
        NotFoundError: There is no such folder.
    """
    if "\0" in path:
        raise BadInputError("That is no path.", "Choose a folder.")
    folder = Path(os.path.abspath(in_full(path or "~")))  # noqa: PTH100  (.. goes, links stay as written)
    try:
        entries = sorted(
            (one for one in os.scandir(folder) if not is_hidden(one.name)), key=lambda one: one.name.lower()
        )
        found = [Path(one.path) for one in entries if one.is_dir()][:_MOST_FOLDERS]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NotFoundError(f"The folder {folder} cannot be read: {reason}.", "Choose another.") from error
    return FolderList(
        path=str(folder),
        parent=None if folder.parent == folder else str(folder.parent),
        folders=[Folder(name=one.name, path=str(one), pictures=_pictures(one)) for one in found],
        pictures=_pictures(folder),
    )


def _pictures(folder: Path) -> int:
    """Pictures directly in a folder, by their names; counted up to a limit."""
    try:
        with os.scandir(folder) as entries:
            named = (one for one in entries if Path(one.name).suffix.lower() in PICTURE_SUFFIXES)
            return sum(1 for _ in islice(named, _MOST_COUNTED))
    except OSError:
        return 0
