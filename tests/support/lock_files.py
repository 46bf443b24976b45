"""Read the files that lock packages by version and hash."""

from __future__ import annotations

import re
from pathlib import Path


def pinned(lock: Path) -> dict[str, str]:
    """Each package of a lock file, and the lines that belong to it."""
    entries = re.split(r"\n(?=[A-Za-z0-9])", re.sub(r"^#.*\n", "", lock.read_text(), flags=re.MULTILINE).strip())
    return {re.split(r"[=\[;]", entry)[0].lower().replace("_", "-"): entry for entry in entries}
