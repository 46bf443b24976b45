"""Every way to add a turn to a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from visavis.assistant.assistant import Watch
from visavis.conversation.turns import Turn
from visavis.editing.pipeline import read_commands
from visavis.errors import BadInputError
from visavis.language.commands import (
    Command,
    Edit,
    Known,
    Like,
    Redo,
    Reset,
    Select,
    Undo,
    Unlike,
    parse_command,
)
from visavis.pictures.picture import Picture
from visavis.server.dependencies import Services
from visavis.server.events import TurnStream
from visavis.server.models.conversations import PointBody, TurnModel
from visavis.server.security import Identity
from visavis.server.services.collections import check_picture
from visavis.server.services.conversations import OpenConversation
from visavis.server.services.images import add_query_picture
from visavis.server.services.rendering import TurnRenderer

#: The messages of clicks in the history.
_CLICK_MESSAGES = {
    "more_like": "more like this",
    "less_like": "not like this",
    "start_from": "start from this",
    "hold": "this one",
}
Do = Callable[[OpenConversation, Watch | None], Turn]


def make_turn(
    services: Services, who: Identity, id: str, after: int | None, do: Do, stream: TurnStream | None = None
) -> TurnModel:
    """Make a turn, which is saved before this returns, and render it.

    Args:
        services: The services.
        who: The user.
        id: The conversation.
        after: The last turn that the client knows of.
        do: Makes the turn.
        stream: Gets the turn while it is made.
    """
    talk = services.conversations.find(who.name, id)
    talk.check_after(after)
    take_turns(services, who, 1)
    before, renderer = talk.conversation.last, TurnRenderer(talk.opened.catalogue)
    if stream is not None:
        stream.accept()
    turn = do(talk, partial(stream.send, renderer) if stream is not None else None)
    services.metrics.turn()
    if turn.hand is not None and turn.hand.edits and turn.hand != before.hand:
        services.quotas.count(who.name, "edits", 1)
        services.quotas.count(who.name, "upload_bytes", talk.opened.bare.picture(turn.hand.picture).bytes)
    return renderer.turn(turn)


def take_turns(services: Services, who: Identity, number: int) -> None:
    """Count turns that will be stored in the day's quota: users who may only read could fill the disk with them.

    Raises:
        TooMuchError: It is used up.
    """
    if services.settings.mode != "local":
        services.quotas.take(who.name, "turns", number, services.settings.limits.turns_a_day)


def may_edit(services: Services, who: Identity) -> bool:
    """Whether a message may edit pictures: by role, and by what is left of the day's quota."""
    if services.settings.mode == "local":
        return True
    limits, used = services.settings.limits, services.quotas.used
    fits = used(who.name, "edits") < limits.edits_a_day and used(who.name, "upload_bytes") < limits.upload_bytes_a_day
    return who.may("write") and fits


def check_edit_quota(services: Services, who: Identity) -> None:
    """Refuse an edit beyond the day's quota: pictures are counted, and their bytes with those of uploads.

    Raises:
        TooMuchError: A quota is used up.
    """
    if services.settings.mode == "local":
        return
    services.quotas.check(who.name, "edits", 1, services.settings.limits.edits_a_day)
    services.quotas.check(who.name, "upload_bytes", 1, services.settings.limits.upload_bytes_a_day)


def keep_query_picture(services: Services, who: Identity, talk: OpenConversation, data: bytes, name: str) -> Picture:
    """Keep a picture to search with; its bytes count in the day's quota.

    Raises:
        TooMuchError: The quota is used up.
        BadInputError: It is no picture that can be used.
    """
    limits = services.settings.limits
    if services.settings.mode != "local":
        services.quotas.take(who.name, "upload_bytes", len(data), limits.upload_bytes_a_day)
    return add_query_picture(talk.opened, data, name, limits)


def say(
    talk: OpenConversation,
    text: str,
    watch: Watch | None,
    *,
    picture: str | None,
    columns: int,
    may_edit: bool,
    retriever: str | None = None,
    shown: Sequence[str] = (),
) -> Turn:
    """Answer a message; with a picture, that one is taken in hand first, as a turn of its own."""
    assistant = talk.opened.assistant
    hand = talk.conversation.last.hand
    if picture and (hand is None or hand.picture != picture):
        known = check_picture(talk.opened, picture)
        assistant.do(talk.conversation, [Select(Known(known))], _CLICK_MESSAGES["hold"])
    return assistant.reply(
        talk.conversation, text, columns=columns, may_edit=may_edit, watch=watch, retriever=retriever, shown=shown
    )


def step(talk: OpenConversation, command: Undo | Redo) -> Turn:
    """Undo or redo steps of a conversation.

    Raises:
        BadInputError: There are not so many.
    """
    find = talk.conversation.undone if isinstance(command, Undo) else talk.conversation.redone
    find(command.steps)
    return do(talk, [command], command.verb, may_edit=False)


def do(
    talk: OpenConversation,
    commands: Sequence[Command],
    message: str,
    watch: Watch | None = None,
    *,
    may_edit: bool,
    retriever: str | None = None,
) -> Turn:
    """Execute commands that need no parsing."""
    return talk.opened.assistant.do(
        talk.conversation, commands, message, may_edit=may_edit, watch=watch, retriever=retriever
    )


def read_lines(lines: Sequence[str]) -> list[Command]:
    """Commands from their text forms.

    Raises:
        BadInputError: A line is no command.
    """
    return [parse_command(line) for line in lines]


def click_commands(talk: OpenConversation, point: PointBody) -> tuple[list[Command], str]:
    """The commands of a click, and its message in the history.

    Raises:
        BadInputError: It points at nothing, or at several things.
    """
    given = {name: id for name, id in point.model_dump().items() if id}
    if len(given) != 1:
        raise BadInputError("A click points at one picture.", f"Give one of {', '.join(_CLICK_MESSAGES)}.")
    name, id = given.popitem()
    picture = Known(check_picture(talk.opened, id))
    made: dict[str, list[Command]] = {
        "more_like": [Like(picture)],
        "less_like": [Unlike(picture)],
        "start_from": [Reset(), Like(picture)],
        "hold": [Select(picture)],
    }
    return made[name], _CLICK_MESSAGES[name]


def edit(talk: OpenConversation, picture: str, lines: Sequence[str]) -> Turn:
    """Edit a picture, which is taken in hand first."""
    edits: list[Edit] = list(read_commands(lines))
    hand = talk.conversation.last.hand
    commands: list[Command] = [*edits]
    if hand is None or hand.picture != picture:
        commands.insert(0, Select(Known(check_picture(talk.opened, picture))))
    return do(talk, commands, "; ".join(map(str, edits)), may_edit=True)
