"""The description that lies beside the weights of a learned retriever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from visavis.checksums import check_installed
from visavis.errors import StorageError


def read_weights_file(path: Path) -> dict[str, Any]:
    """The description: the encoder that the weights were trained for, sizes and settings.

    Raises:
        StorageError: It is missing or damaged.
    """
    check_installed(path)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        str(value["encoder"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"The description {path} cannot be read ({error}).", "Install visavis anew.") from error
    return dict(value)


def trained_for(path: Path) -> str:
    """The fingerprint of the encoder that the weights were trained for."""
    return str(read_weights_file(path)["encoder"])
