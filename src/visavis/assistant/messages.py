"""Messages as they come, made fit to be understood and saved."""

from __future__ import annotations

import re

#: Longer messages are not read: nobody describes a picture in more words, and what is pasted by accident is not meant.
LONGEST_MESSAGE = 4000
#: How much of a longer one is saved.
_KEPT = 200
#: Everything that moves the cursor, rings a bell or cannot be written to a database; line breaks and tabs may stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def readable(message: str) -> str:
    """A message without control characters and halves of characters; the rest as it was typed."""
    return _CONTROL.sub(" ", message[: LONGEST_MESSAGE + 1]).strip()


def too_long(message: str) -> tuple[str, str] | None:
    """For a message that is too long to be read: what to save of it, and what to say. None for all others."""
    if len(message) <= LONGEST_MESSAGE:
        return None
    told = f"That message has {len(message):,} characters; I read at most {LONGEST_MESSAGE:,}. Say it in fewer words."
    return f"{readable(message[:_KEPT])}...", told
