"""``visavis chat``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from typer import Option

from visavis.cli.output import CollectionOption, HomeOption, JsonOption, print_json, stderr, stdout
from visavis.errors import BadInputError, VisavisError

if TYPE_CHECKING:
    from visavis.assistant import Assistant
    from visavis.cli.terminal.view import ChatView
    from visavis.conversation.conversation import Conversation


#: Standard input instead of a file.
STANDARD_INPUT = "-"
_HELP = 'Each line is an object such as {"message": "a red dress"} or {"changes": ["off 1.1"]}.'


class PictureDisplay(StrEnum):
    """How pictures are shown."""

    auto = "auto"
    kitty = "kitty"
    iterm = "iterm"
    blocks = "blocks"
    sheet = "sheet"
    none = "none"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(chat)


def chat(
    collection: CollectionOption,
    script: Annotated[
        str, Option(help='Play messages from a file with lines such as {"message": "a dog"}; - reads them here.')
    ] = "",
    resume: Annotated[str, Option(help="Go on with a conversation: its name, or the first letters of its id.")] = "",
    name: Annotated[str, Option(help="Give the new conversation a name.")] = "",
    list_all: Annotated[bool, Option("--list", help="List the conversations.")] = False,
    export: Annotated[str, Option(help="Print a conversation as JSON.", metavar="NAME")] = "",
    replay: Annotated[
        str, Option(help="Say a conversation again and tell where its rankings differ.", metavar="NAME")
    ] = "",
    delete: Annotated[str, Option(help="Forget a conversation.", metavar="NAME")] = "",
    with_edits: Annotated[
        bool, Option("--with-edits", help="With --delete: also the edited pictures that nothing else uses.")
    ] = False,
    pictures: Annotated[PictureDisplay, Option(help="How pictures are shown.")] = PictureDisplay.auto,
    questions: Annotated[bool, Option(help="Ask back when an answer is expected to help.")] = True,
    retriever: Annotated[
        str, Option(help="What ranks the pictures from now on; composed in a new conversation unless told.")
    ] = "",
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Talk about a collection until the picture is there; then talk it into shape.

    Every turn is saved before it is shown. In the chat, /help lists what else can be done.

    [bold]Examples[/]

      visavis chat --collection photos

      visavis chat -c photos --list

      visavis chat -c photos --resume "blue dress"

      visavis chat -c photos --delete "blue dress" --with-edits

      visavis chat -c photos --script messages.jsonl --json

      visavis chat -c photos --retriever chatir
    """
    from visavis.api import open_collection
    from visavis.assistant import Assistant
    from visavis.assistant.question_policy import default_questioner

    with open_collection(collection, home) as opened:
        questioner = default_questioner(opened) if questions else None
        assistant = Assistant(opened, questioner=questioner, folder=Path.cwd())
        if list_all or export or delete or replay:
            if delete:
                _delete(assistant, delete, with_edits=with_edits, as_json=json)
                return
            _manage(assistant, list_all=list_all, export=export, replay=replay, as_json=json)
            return
        talk = assistant.memory.load(resume) if resume else assistant.start(name or None)
        if retriever:
            opened.engine.retriever_named(retriever)  # a wrong name is an error now, not at the first message
        if script or json:
            _play(assistant, talk, script or "-", retriever or None, as_json=json)
        else:
            _talk(assistant, talk, pictures, retriever or None)


def _delete(assistant: Assistant, name: str, *, with_edits: bool, as_json: bool) -> None:
    conversation = assistant.memory.load(name)
    removed = assistant.forget(conversation, edits=with_edits)
    if as_json:
        print_json({"deleted": conversation.name, "pictures": removed})
        return
    edits = f" Edited pictures removed: {len(removed)}." if with_edits else ""
    stderr.print(f"The conversation '{escape(conversation.name)}' is forgotten.{edits}", highlight=False)


def _manage(assistant: Assistant, *, list_all: bool, export: str, replay: str, as_json: bool) -> None:
    from visavis.conversation.conversation import export_conversation

    memory = assistant.memory
    if list_all:
        found = memory.list()
        if as_json:
            print_json({"conversations": [summary.as_json() for summary in found]})
        else:
            _view(assistant, PictureDisplay.none).conversations(found)
    elif export:
        print_json(export_conversation(memory.load(export), assistant.collection.name))
    elif replay:
        _replay(assistant, memory.load(replay), as_json=as_json)


def _replay(assistant: Assistant, old: Conversation, *, as_json: bool) -> None:
    new = assistant.replay(old)
    rows = []
    for before, after in zip(old.turns, new.turns, strict=True):
        same = [result.id for result in before.results] == [result.id for result in after.results]
        rows.append({"turn": before.number, "message": before.message, "same": same})
    if as_json:
        print_json({"replayed": old.name, "as": new.name, "turns": rows})
        return
    for row in rows:
        mark = "[green]same[/]" if row["same"] else "[red]differs[/]"
        stdout.print(f"{row['turn']:>3}  {mark}  {escape(str(row['message']))}", highlight=False)
    stderr.print(f"Replayed as '{new.name}'.", highlight=False)


def _play(
    assistant: Assistant, conversation: Conversation, script: str, retriever: str | None, *, as_json: bool
) -> None:
    from visavis.cli.terminal.view import write_found

    view = None if as_json else _view(assistant, PictureDisplay.none)
    for reply in play(assistant, conversation, script, retriever):
        if view is None:
            marked = write_found(assistant, conversation.last)
            print_json(reply if marked is None else {**reply, "found": str(marked)})
            sys.stdout.flush()  # a program that reads the output gets each reply at once
            continue
        stdout.print(f"[bold]{reply['turn']} >[/] {escape(reply['message'])}", highlight=False)
        view.turn(conversation.last)


def _talk(
    assistant: Assistant, conversation: Conversation, pictures: PictureDisplay, retriever: str | None = None
) -> None:
    from visavis.cli.terminal.slash import Slash

    view = _view(assistant, pictures)
    slash = Slash(assistant, conversation, view)
    _greet(assistant, conversation, view)
    while (line := _ask(len(conversation) + 1)) is not None:
        if not line.strip():
            continue
        try:
            if line.startswith("/"):
                if not slash.run(line):
                    break
            else:
                view.turn(assistant.reply(conversation, line, retriever=retriever))
                retriever = None  # chosen; /retriever may choose another
        except BadInputError as error:  # what was typed was wrong; the chat goes on
            stderr.print(f"[yellow]{escape(str(error))}[/]", highlight=False)
        except VisavisError as error:
            if error.exit_code in (5, 6):  # busy or full: no further turn could be saved
                raise
            stderr.print(f"[yellow]{escape(str(error))}[/]", highlight=False)
    if len(conversation):
        stderr.print(f"[dim]Saved. Go on with: --resume {escape(conversation.name)}[/]", highlight=False)


def _greet(assistant: Assistant, conversation: Conversation, view: ChatView) -> None:
    if len(conversation):
        stdout.print(f"[dim]Turn {len(conversation)} of '{escape(conversation.name)}':[/]", highlight=False)
        view.turn(conversation.last)
        return
    many = len(assistant.collection)
    stdout.print(
        f"[dim]{many:,} pictures in '{escape(assistant.collection.name)}'. Say what you are looking for; "
        "/help for more, /quit to leave.[/]",
        highlight=False,
    )


def _ask(number: int) -> str | None:
    """The next line, or None at the end of the input."""
    if sys.stdin.isatty():
        import readline  # noqa: F401  (gives the prompt its history and its arrow keys)
    try:
        return input(f"{number} > " if sys.stdin.isatty() else "")
    except (EOFError, KeyboardInterrupt):
        return None


def _view(assistant: Assistant, pictures: PictureDisplay) -> ChatView:
    from visavis.cli.terminal.view import ChatView, best_way, write_found

    chosen = best_way(stdout) if pictures is PictureDisplay.auto else pictures.value
    return ChatView(stdout, assistant.collection, chosen, lambda turn: write_found(assistant, turn))


def play(
    assistant: Assistant, conversation: Conversation, script: str, retriever: str | None = None
) -> Iterator[dict[str, Any]]:
    """Send the messages of a script, one after the other, and yield each turn as JSON."""
    from visavis.assistant.reply_json import reply_json

    for number, line in _lines(script):
        entry = _read(line, f"{script}, line {number}")
        if isinstance(entry, str):
            turn = assistant.reply(conversation, entry, retriever=retriever)
            retriever = None  # chosen; a change of the script may choose another
        else:
            turn = assistant.revise(conversation, *entry)
        yield reply_json(turn, assistant.collection)


def _lines(script: str) -> Iterator[tuple[int, str]]:
    try:
        if script == STANDARD_INPUT:
            yield from _of(sys.stdin)
        else:
            with Path(script).open(encoding="utf-8") as file:
                yield from _of(file)
    except UnicodeDecodeError as error:
        raise BadInputError(f"The script {script} is no UTF-8 text: {error.reason}.", _HELP) from error
    except OSError as error:
        raise BadInputError(f"The script {script} cannot be read: {error.strerror}.", "Check the path.") from error


def _of(file: IO[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            yield number, line


def _read(line: str, where: str) -> str | list[str]:
    """A message, or changes to wishes."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{where} is not JSON.", _HELP) from error
    match value:
        case {"message": str(message)}:
            return message
        case {"changes": [*changes]} if changes and all(isinstance(one, str) for one in changes):
            return [str(one) for one in changes]
        case _:
            raise BadInputError(f"{where} has no message.", _HELP)
