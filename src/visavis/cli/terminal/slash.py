"""Slash commands of the chat: everything but messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import typer

from visavis.assistant import Assistant
from visavis.cli.terminal.view import ChatView
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError
from visavis.language.commands import Command, Export, Redo, Rollback, Select, Shown, Undo

#: Every command and what it does, in the order of ``/help``.
HELP = {
    "/undo [N]": "take back the last step, or the last N",
    "/redo [N]": "take back an undo",
    "/back N": "return to what turn N showed",
    "/brief": "every wish, where it came from, and whether it counts",
    "/off WISH": "let a wish not count (/on WISH: count again)",
    "/weight WISH X": "let a wish count X times as much",
    "/pin WISH": "let a wish outlive new searches (/unpin WISH)",
    "/remove WISH": "strike a wish off",
    "/retriever NAME": "let another retriever rank from now on",
    "/why N": "why picture N is there",
    "/all": "every result with its file",
    "/open N": "open picture N in its own window",
    "/save [FILE]": "write the picture in hand to a file (/save N FILE: picture N)",
    "/turns": "what was said so far",
    "/name NAME": "give this conversation a name, for --resume",
    "/help": "this list",
    "/quit": "leave; everything is saved already",
}
_CHANGES = frozenset(("off", "on", "weight", "pin", "unpin", "remove", "retriever"))


@dataclass
class Slash:
    """Carries out slash commands for one conversation."""

    assistant: Assistant
    conversation: Conversation
    view: ChatView
    launch: Callable[[str], object] = typer.launch

    def run(self, line: str) -> bool:
        """Carry out a line; False to end the chat."""
        name, *words = line.removeprefix("/").split()
        last = self.conversation.last
        match name, words:
            case ("quit" | "exit" | "q", []):
                return False
            case ("help" | "?", []):
                self._help()
            case ("brief", []):
                self.view.brief(last.brief)
            case ("all", []):
                self.view.all_results(last)
            case ("turns", []):
                for turn in self.conversation.turns:
                    said = turn.message or "; ".join(turn.changes)
                    self.view.console.print(f"{turn.number:>3}  {said}", markup=False, highlight=False)
            case ("why", [number]):
                self.view.reasons(last, _place(number, last))
            case ("open", [number]):
                self._open(last, _place(number, last))
            case ("undo" | "redo" | "back", [*_]) if len(words) <= 1:
                self._step(name, words)
            case ("save", [*_]) if len(words) <= 2:
                self._save(words, last)
            case ("name", [*_]) if words:
                self._name(" ".join(words))
            case _ if name in _CHANGES and words:
                self.view.turn(self.assistant.revise(self.conversation, " ".join((name, *words))))
            case _:
                raise BadInputError(f"'{line}' is no command of the chat.", "/help lists them.")
        return True

    def _help(self) -> None:
        for command, told in HELP.items():
            self.view.console.print(f"  {command:<16} {told}", markup=False, highlight=False)
        self.view.console.print("[dim]Everything else is a message: say what you are looking for.[/]")

    def _open(self, last: Turn, number: int) -> None:
        picture = self.assistant.collection.picture(last.results[number - 1].id)
        self.view.console.print(picture.path, markup=False, highlight=False)
        self.launch(picture.path)

    def _step(self, name: str, words: list[str]) -> None:
        steps = _number(words[0]) if words else 1
        command: Command = Undo(steps) if name == "undo" else Redo(steps) if name == "redo" else Rollback(steps)
        self._do(f"/{name} {' '.join(words)}".strip(), command)

    def _save(self, words: list[str], last: Turn) -> None:
        commands: list[Command] = []
        if words and words[0].isdigit():
            commands.append(Select(Shown(_place(words.pop(0), last))))
        commands.append(Export(words[0] if words else None))
        self._do("/save", *commands)

    def _do(self, message: str, *commands: Command) -> None:
        self.view.turn(self.assistant.do(self.conversation, commands, message))

    def _name(self, name: str) -> None:
        if not len(self.conversation):
            raise BadInputError("A conversation without a word needs no name.", "Say something first.")
        self.assistant.memory.rename(self.conversation, name)
        self.view.console.print(f"[dim]This conversation is called '{name}' now.[/]", highlight=False)


def _number(text: str) -> int:
    if not text.isdigit():
        raise BadInputError(f"'{text}' is no number.", "Write it in digits.")
    return int(text)


def _place(text: str, turn: Turn) -> int:
    number = _number(text.removeprefix("#"))
    if not 1 <= number <= len(turn.results):
        there = f"There are 1 to {len(turn.results)}." if turn.results else "Nothing is shown yet."
        raise BadInputError(f"There is no picture {number}.", there)
    return number
