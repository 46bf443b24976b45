"""What is seen in some pictures of several only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from visavis.assistant.picture_questions import PictureView, Seen

#: Things seen in a picture that are compared with those of another, and how probable they must be to tell them apart.
_COMPARED = 6
_APART = 0.75


def seen_apart(views: Sequence[PictureView]) -> list[tuple[str, tuple[str, ...]]]:
    """What is seen in some of the pictures only."""
    seen: list[Mapping[str, Seen]] = [{one.noun: one for one in view.seen[:_COMPARED]} for view in views]
    common = set(seen[0]).intersection(*seen[1:]) if seen else set()
    alone = tuple(
        ", ".join(
            f"{one.told} ({one.chance:.0%})"
            for noun, one in found.items()
            if noun not in common and one.chance >= _APART
        )
        or "–"
        for found in seen
    )
    return [("seen only here", alone)] if any(text != "–" for text in alone) else []
