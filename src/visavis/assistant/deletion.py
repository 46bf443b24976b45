"""Deletes a conversation, and the pictures that were made in it and that nothing else needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from visavis.conversation.conversation import Conversation
from visavis.conversation.memory import Memory, TurnRow
from visavis.errors import StorageError
from visavis.pictures.picture import Picture

if TYPE_CHECKING:
    from visavis.api import Collection

_CHUNK = 500


def delete_conversation(
    collection: Collection, memory: Memory, conversation: Conversation, *, edits: bool = False
) -> list[str]:
    """Delete a conversation.

    Args:
        collection: What it was about.
        memory: Where it is.
        conversation: The conversation.
        edits: Also remove the edited pictures in it, with their files, unless another conversation uses them.

    Returns:
        The ids of the pictures that were removed.
    """
    made = _made_in(collection, conversation) if edits else []
    memory.delete(conversation)  # first: a kill in between then leaves only unused pictures
    unused = _used_by_nobody(collection, made)
    collection.remove_pictures([picture.id for picture in unused])
    for picture in unused:
        _remove_files(picture)
    return [picture.id for picture in unused]


def _made_in(collection: Collection, conversation: Conversation) -> list[Picture]:
    """The edited pictures of a conversation that lie with the collection and nowhere else."""
    ids: dict[str, None] = {}
    for turn in conversation.turns:
        if turn.hand is not None:
            ids[turn.hand.picture] = None
        ids |= dict.fromkeys(result.id for result in turn.results)
        ids |= dict.fromkeys(wish.picture for wish in turn.brief if wish.picture)
    own = collection.place.edits_folder
    found: list[Picture] = []
    for chunk in _chunks(list(ids)):
        pictures = collection.catalogue.pictures(chunk).values()
        found += [p for p in pictures if p.origin is not None and all(Path(path).parent == own for path in p.paths)]
    return found


def _used_by_nobody(collection: Collection, pictures: Sequence[Picture]) -> list[Picture]:
    """Those that no turn of any conversation mentions."""
    left = {picture.id: picture for picture in pictures}
    if left:
        with collection.catalogue.transaction() as session:
            for body in session.scalars(select(TurnRow.body)):
                text = json.dumps(body)
                left = {id: picture for id, picture in left.items() if id not in text}
                if not left:
                    break
    return list(left.values())


def _remove_files(picture: Picture) -> None:
    for path in picture.paths:
        try:
            Path(path).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(
                f"The edited picture {path} cannot be removed: {error.strerror or error}.", "Remove it by hand."
            ) from error


def _chunks(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    return (ids[start : start + _CHUNK] for start in range(0, len(ids), _CHUNK))
