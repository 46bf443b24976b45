"""The home folder: chosen by argument, by VISAVIS_HOME, or by the platform."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

from visavis.errors import BadInputError, StorageError
from visavis.files import PRIVATE_FOLDER, make_folders


def home_folder(home: Path | str | None = None) -> Path:
    """Return the home folder, without creating it."""
    chosen = home or os.environ.get("VISAVIS_HOME")
    return expand_user(chosen).absolute() if chosen else user_data_path("visavis", appauthor=False)


def expand_user(path: Path | str) -> Path:
    """Expand ``~`` in a path.

    Raises:
        BadInputError: The user after ``~`` does not exist on this machine.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise BadInputError(
            f"Nobody here has the home folder that '{path}' begins with.", "Write it in full."
        ) from error


def ensure_folder(folder: Path, *, private: bool = False) -> Path:
    """Create a folder if it is missing, with a clear error when that fails.

    Args:
        folder: The folder.
        private: Whether only its owner may enter it; so is everything in the home folder.
    """
    try:
        make_folders(folder, PRIVATE_FOLDER if private else 0o777)
    except OSError as error:
        raise StorageError(
            f"The folder {folder} cannot be created: {error.strerror or error}.",
            "Choose another with --home or VISAVIS_HOME.",
        ) from error
    return folder
