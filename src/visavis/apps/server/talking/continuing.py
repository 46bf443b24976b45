"""Going on with a conversation: every way to make a turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from visavis.apps.server.library.opened import check_picture
from visavis.apps.server.models.conversations import Point, TurnModel
from visavis.apps.server.records.usage import Usage
from visavis.apps.server.security.identity import Identity
from visavis.apps.server.services import Services
from visavis.apps.server.talking.streaming import TurnStream
from visavis.apps.server.talking.talks import Talk
from visavis.apps.server.talking.telling import Teller
from visavis.assistant.interfaces import Watch
from visavis.conversation.turns import Turn
from visavis.editing.pipeline import read_commands
from visavis.errors import BadInputError
from visavis.language.commands import Command, Edit, Export, Known, Like, Reset, Select, Unlike, parse_command

#: What clicks are called in the history.
_SAID = {
    "more_like": "more like this",
    "less_like": "not like this",
    "start_from": "start from this",
    "hold": "this one",
}
Do = Callable[[Talk, Watch | None], Turn]


def go_on(
    home: Services, who: Identity, id: str, after: int | None, do: Do, told: TurnStream | None = None
) -> TurnModel:
    """Make a turn, which is saved before this returns, and tell it.

    Args:
        home: The services.
        who: Who goes on.
        id: The conversation.
        after: The last turn that they know of.
        do: Makes the turn.
        told: Told what there is of it while it is made.
    """
    talk = home.talks.find(who.name, id)
    talk.check_after(after)
    before, teller = talk.conversation.last, Teller(talk.opened.catalogue)
    if told is not None:
        told.accept()
    turn = do(talk, partial(told.see, teller) if told is not None else None)
    home.metrics.turn()
    if turn.hand is not None and turn.hand.edits and turn.hand != before.hand:
        home.usage.count(who.name, "edits", 1)
    return teller.turn(turn)


def may_edit(home: Services, who: Identity) -> bool:
    """Whether a message may edit pictures: by role, and by what is left of the day's quota."""
    if home.settings.mode == "local":
        return True
    return who.may("write") and not _used_up(home.usage, who, home.settings.limits.edits_a_day)


def _used_up(usage: Usage, who: Identity, most: int) -> bool:
    return usage.used(who.name, "edits") >= most


def say(talk: Talk, text: str, watch: Watch | None, *, picture: str | None, columns: int, edits: bool) -> Turn:
    """A message; with a picture, that one is taken in hand first, as a turn of its own."""
    assistant = talk.opened.assistant(may_edit=edits, columns=columns)
    hand = talk.conversation.last.hand
    if picture and (hand is None or hand.picture != picture):
        known = check_picture(talk.opened, picture)
        assistant.do(talk.conversation, [Select(Known(known))], _SAID["hold"])
    return assistant.reply(talk.conversation, text, watch=watch)


def do(talk: Talk, commands: Sequence[Command], message: str, watch: Watch | None = None, *, edits: bool) -> Turn:
    """Commands that need no understanding."""
    return talk.opened.assistant(may_edit=edits).do(talk.conversation, commands, message, watch=watch)


def read_lines(lines: Sequence[str]) -> list[Command]:
    """Commands from their text forms.

    Raises:
        BadInputError: One of them is none, or writes files, which is not done from here.
    """
    commands = [parse_command(line) for line in lines]
    if any(isinstance(command, Export) for command in commands):
        raise BadInputError("Files are not saved from here.", "Download the picture instead.")
    return commands


def pointed(talk: Talk, point: Point) -> tuple[list[Command], str]:
    """The commands that a click stands for, and what the history calls it.

    Raises:
        BadInputError: It points at nothing, or at several things.
    """
    given = {name: id for name, id in point.model_dump().items() if id}
    if len(given) != 1:
        raise BadInputError("A click points at one picture.", f"Give one of {', '.join(_SAID)}.")
    name, id = given.popitem()
    picture = Known(check_picture(talk.opened, id))
    made: dict[str, list[Command]] = {
        "more_like": [Like(picture)],
        "less_like": [Unlike(picture)],
        "start_from": [Reset(), Like(picture)],
        "hold": [Select(picture)],
    }
    return made[name], _SAID[name]


def edit(talk: Talk, picture: str, lines: Sequence[str]) -> Turn:
    """Edits of a picture, which is taken in hand first."""
    edits: list[Edit] = list(read_commands(lines))
    hand = talk.conversation.last.hand
    commands: list[Command] = [*edits]
    if hand is None or hand.picture != picture:
        commands.insert(0, Select(Known(check_picture(talk.opened, picture))))
    return do(talk, commands, "; ".join(map(str, edits)), edits=True)
