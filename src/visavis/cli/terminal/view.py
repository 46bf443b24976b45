"""What a chat shows in the terminal: replies, results with their reasons, pictures, the brief."""

from __future__ import annotations

import base64
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, TypeVar

from PIL import Image, ImageOps
from rich.color import Color
from rich.console import Console
from rich.markup import escape
from rich.style import Style
from rich.table import Table
from rich.text import Text

from visavis.assistant import Assistant
from visavis.assistant.understanding import readable, readings_of
from visavis.cli.output import fields_told
from visavis.conversation.brief import Brief
from visavis.conversation.turns import PictureComparison, Turn
from visavis.errors import VisavisError
from visavis.language.commands import Edit
from visavis.questions.attributes import valued
from visavis.types import Question, Result, Wish, name_in_words

if TYPE_CHECKING:
    from visavis.api import Collection
    from visavis.conversation.memory import Summary

#: Size of a thumbnail in half blocks: columns, and rows of two pixels each.
_COLUMNS, _ROWS = 16, 8
#: Size of a thumbnail in pixels, where the terminal shows pixels.
_PIXELS = (120, 120)
_CHUNK = 4096
T = TypeVar("T")
#: From a turn that asks whether to go on with what was found, to the file that shows it; None for any other turn.
Found = Callable[[Turn], Path | None]
#: How many results a table lists at least; the others are reached by "more" and by their numbers.
_LISTED = 10
#: Letters of a caption that a table shows.
_LONGEST_CAPTION = 300


def best_way(console: Console, environment: Mapping[str, str] | None = None) -> str:
    """How this terminal can show pictures: a file where it cannot, nothing where the output is no terminal."""
    known = os.environ if environment is None else environment
    if not console.is_terminal:
        return "none"
    program, term = known.get("TERM_PROGRAM", ""), known.get("TERM", "")
    if "KITTY_WINDOW_ID" in known or "kitty" in term or "ghostty" in (program.lower(), term.lower()):
        return "kitty"
    if program in ("iTerm.app", "WezTerm") or known.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    return "blocks" if console.color_system in ("truecolor", "256") else "sheet"


def show(console: Console, pictures: Sequence[Path], way: str, sheet: Path | None = None) -> Path | None:
    """Show pictures in a row, numbered from one; returns the file when a contact sheet was written.

    Args:
        console: Where.
        pictures: The files, in order.
        way: ``kitty``, ``iterm``, ``blocks``, ``sheet`` or ``none``.
        sheet: The file that a contact sheet goes to.
    """
    images = [(number, image) for number, path in enumerate(pictures, 1) if (image := _open(path)) is not None]
    if not images or way == "none":
        return None
    if way == "blocks":
        for line in block_lines(images, max(1, console.width // (_COLUMNS + 2))):
            console.print(line, no_wrap=True, overflow="crop")
        return None
    whole = _sheet(images, max(1, min(10, console.width // 16)))
    if way == "sheet":
        assert sheet is not None
        sheet.parent.mkdir(parents=True, exist_ok=True)
        whole.save(sheet, "PNG")
        return sheet
    data = io.BytesIO()
    whole.save(data, "PNG")
    encode = kitty_sequence if way == "kitty" else iterm_sequence
    sys.stdout.write(encode(data.getvalue()) + "\n")
    sys.stdout.flush()
    return None


def block_lines(images: Sequence[tuple[int, Image.Image]], columns: int) -> Iterator[Text]:
    """Thumbnails side by side, two pixels a character: the upper one as its colour, the lower one as its ground."""
    for start in range(0, len(images), columns):
        row = images[start : start + columns]
        small = [ImageOps.pad(image, (_COLUMNS, 2 * _ROWS)) for _, image in row]
        yield Text("  ".join(f"#{number}".ljust(_COLUMNS) for number, _ in row), "bold")
        for y in range(0, 2 * _ROWS, 2):
            line = Text()
            for place, image in enumerate(small):
                line.append("  " if place else "")
                for x in range(_COLUMNS):
                    line.append("▀", Style(color=_colour(image, x, y), bgcolor=_colour(image, x, y + 1)))
            yield line


def kitty_sequence(png: bytes) -> str:
    """The kitty graphics protocol: the file in chunks of base64."""
    data = base64.standard_b64encode(png).decode()
    chunks = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
    parts = []
    for place, chunk in enumerate(chunks):
        control = "a=T,f=100," if place == 0 else ""
        parts.append(f"\x1b_G{control}m={int(place < len(chunks) - 1)};{chunk}\x1b\\")
    return "".join(parts)


def iterm_sequence(png: bytes) -> str:
    """The iTerm2 inline image protocol."""
    data = base64.standard_b64encode(png).decode()
    return f"\x1b]1337;File=inline=1;size={len(png)};preserveAspectRatio=1:{data}\x07"


def _colour(image: Image.Image, x: int, y: int) -> Color:
    pixel = image.getpixel((x, y))
    assert isinstance(pixel, tuple)
    return Color.from_rgb(*pixel[:3])


def _sheet(images: Sequence[tuple[int, Image.Image]], columns: int) -> Image.Image:
    from visavis.demo.sheet import SheetRow, contact_sheet

    rows = []
    for start in range(0, len(images), columns):
        row = images[start : start + columns]
        rows.append(SheetRow("", [image for _, image in row], [f"#{number}" for number, _ in row]))
    return contact_sheet(rows, thumbnail=_PIXELS)


def _open(path: Path) -> Image.Image | None:
    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except (OSError, ValueError):  # a thumbnail that is gone shows nothing; the table still names the picture
        return None


class ChatView:
    """Shows turns of conversations about one collection."""

    def __init__(self, console: Console, collection: Collection, way: str = "none", found: Found | None = None) -> None:
        """Set it up.

        Args:
            console: Where.
            collection: What is talked about.
            way: How pictures are shown; see ``visavis.cli.terminal.view``.
            found: Writes what a doubtful edit found to a file; None writes nothing.
        """
        self.console = console
        self._collection = collection
        self._way = way
        self._found = found
        self._shown: tuple[str, ...] = ()

    def turn(self, turn: Turn) -> None:
        """A reply with what it shows; the table only when there is something new on it."""
        asked = _asked(turn.question, [result.id for result in turn.results]) if turn.question else ""
        if turn.question is None or turn.reply != turn.question.text:  # a reply that only asks is shown as a question
            self.console.print(Text(readable(turn.reply), "cyan"))
        if asked:
            self.console.print(Text(readable(asked), "bold yellow"))
        if self._found is not None and (marked := self._found(turn)) is not None:
            show(self.console, [marked], self._way if self._way != "sheet" else "none")
            self.console.print(f"[dim]The picture with what is marked: {escape(str(marked))}[/]", highlight=False)
        if turn.comparison is not None:
            self.comparison(turn.comparison, turn)
        ids = tuple(result.id for result in turn.results)
        if turn.hand is not None and turn.hand.picture not in ids:
            self._pictures([turn.hand.picture], turn)
            if not turn.pending and any(isinstance(command, Edit) for command in turn.commands):
                self.console.print("[dim]Say “save it as NAME.png” to keep it as a file.[/]", highlight=False)
        if ids and ids != self._shown:
            self._pictures(ids[:_LISTED], turn)
            self.results(turn)
        self._shown = ids

    def comparison(self, comparison: PictureComparison, turn: Turn) -> None:
        """Pictures side by side, and a table of what differs."""
        self._pictures(comparison.pictures, turn)
        shown = [result.id for result in turn.results]
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("")
        for id in comparison.pictures:
            table.add_column(f"#{shown.index(id) + 1}" if id in shown else "this", overflow="fold")
        for name, values in comparison.rows:
            table.add_row(Text(readable(name), "dim"), *(Text(readable(value)) for value in values))
        self.console.print(table)

    def results(self, turn: Turn) -> None:
        """The table of results."""
        table = Table(box=None, pad_edge=False, header_style="dim")
        listed = turn.results[: _listed(turn)]
        pictures = self._collection.catalogue.pictures([result.id for result in listed])
        asked = [wish.attribute for wish in turn.brief.of("sort", "filter")]
        fields = fields_told(asked, [picture.attributes for picture in pictures.values()])
        values = [(name_in_words(name), "") for name in fields]
        for heading, style in (("#", "bold"), ("fit", "dim"), ("picture", ""), *values, ("because", "green")):
            table.add_column(heading, style=style, overflow="fold")
        for number, result in enumerate(listed, 1):
            if number > 1 and turn.results[number - 2].match and not result.match:
                table.add_row("", "", Text("less similar", "dim"))
            picture = pictures.get(result.id)
            told = (picture.caption or picture.title or Path(picture.path).name) if picture else result.id
            told = shorten(readable(told), _LONGEST_CAPTION, placeholder=" …")
            known = picture.attributes if picture else {}
            cells = [Text(readable(valued(name, known))) if name in known else Text("–", "dim") for name in fields]
            table.add_row(str(number), _fit(result), Text(told), *cells, Text(readable(result.why)))
        self.console.print(table)
        if further := _further(turn):
            self.console.print(f"[dim]{further}[/]", highlight=False)

    def all_results(self, turn: Turn) -> None:
        """Every result on a line of its own, with its file."""
        pictures = self._collection.catalogue.pictures([result.id for result in turn.results])
        for number, result in enumerate(turn.results, 1):
            path = pictures[result.id].path if result.id in pictures else ""
            self.console.print(f"{number:>3}  {_fit(result):>4}  {escape(readable(path))}", highlight=False)

    def brief(self, brief: Brief) -> None:
        """Every wish with its source, those that do not count too."""
        if not brief.wishes:
            self.console.print("[dim]There are no wishes yet.[/]")
            return
        table = Table("wish", "", "from", "weight", "state", box=None, pad_edge=False, header_style="dim")
        for wish in brief:
            style = "" if wish.active else "dim strike"
            text = Text(readable(wish.label), style)
            table.add_row(wish.id, text, f"turn {wish.turn}", f"{wish.weight:g}", _state(wish))
        self.console.print(table)

    def reasons(self, turn: Turn, number: int) -> None:
        """Why a result is there, wish by wish."""
        result = turn.results[number - 1]
        picture = self._collection.catalogue.picture(result.id)
        if picture is not None:
            self.console.print(Text(readable(f"{picture.path}  {picture.caption or picture.title}")))
        for reason in result.because:
            mark = "[green]fits[/]  " if reason.fits else "[red]misses[/]"
            self.console.print(f"  {mark} {reason.fit:4.0%}  {escape(readable(reason.text))}", highlight=False)
        if not result.because:
            self.console.print("  [dim]no reasons are known[/]")

    def conversations(self, summaries: Sequence[Summary]) -> None:
        """A list of conversations."""
        table = Table("name", "turns", "last", "began with", box=None, pad_edge=False, header_style="dim")
        for summary in summaries:
            last = f"{summary.changed_at:%Y-%m-%d %H:%M}"
            table.add_row(Text(summary.name), str(summary.turns), last, Text(readable(summary.title)))
        self.console.print(table)

    def _pictures(self, ids: Sequence[str], turn: Turn) -> None:
        file = Path(tempfile.gettempdir()) / f"visavis-{self._collection.name}-turn{turn.number}.png"
        written = show(self.console, [self._collection.thumbnail(id) for id in ids], self._way, file)
        if written is not None:
            self.console.print(f"[dim]pictures: {escape(str(written))}[/]", highlight=False)


def _fit(result: Result) -> str:
    """How likely a result fits all wishes; nothing where none of them is a matter of looks."""
    return f"{min(reason.fit for reason in result.because):.0%}" if result.because else ""


def _asked(question: Question, shown: Sequence[str]) -> str:
    """A question with its answers: how many pictures each would leave, and which pictures are meant."""
    if offered := readings_of(question):  # saying the number chooses one
        return "\n".join([question.text, *(f"  {at}  {reading.label}" for at, reading in enumerate(offered, 1))])
    told = []
    for place, (label, _) in enumerate(question.options):
        notes = [f"#{shown.index(id) + 1}"] if (id := _at(question.pictures, place)) in shown else []
        notes += [f"{count} left"] if (count := _at(question.leaves, place)) else []
        told.append(f"{label} [{', '.join(notes)}]" if notes else label)
    return f"{question.text} ({' / '.join(told)})" if told else question.text


def _at(values: Sequence[T], place: int) -> T | None:
    return values[place] if place < len(values) else None


def _state(wish: Wish) -> str:
    if wish.end:
        return f"{wish.end} in turn {wish.ended}"
    return " ".join(word for word in ("pinned" if wish.pinned else "", "" if wish.active else "off") if word)


def write_found(assistant: Assistant, turn: Turn) -> Path | None:
    """The file with the doubtful thing marked in the picture; None where the turn asks nothing of that kind.

    The file lies in the system's folder for temporary files, under a random name.
    """
    try:
        marked = assistant.doubt(turn)
    except VisavisError:  # the question can be answered without the picture
        return None
    if marked is None:
        return None
    with tempfile.NamedTemporaryFile(prefix="visavis-found-", suffix=".png", delete=False) as file:
        marked.save(file, "PNG", compress_level=1)
    return Path(file.name)


def _listed(turn: Turn) -> int:
    """How many results are listed: all of the page that match, since "more" goes on behind the page."""
    matching = sum(result.match for result in turn.results) if turn.matches is not None else 0
    return min(len(turn.results), max(_LISTED, matching))


def _further(turn: Turn) -> str:
    """What there is besides the pictures that are listed: further matches, or only what is less similar."""
    here, listed, matches = len(turn.results), _listed(turn), turn.matches or 0
    if matches > here:
        about = "about " if turn.about else ""
        return f"and {about}{matches - here:,} more that match: “more” shows the next"
    if here == listed:
        return ""
    return f"and {here - listed} {'more' if turn.matches is None else 'less similar'}: /all lists them"
