"""Files of arrays."""

from __future__ import annotations

from zipfile import BadZipFile

#: What numpy raises for a file of arrays that is missing, empty, cut short, damaged, or of another kind than expected.
UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, BadZipFile)
