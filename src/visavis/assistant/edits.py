"""The picture in hand and its edits; deleting a conversation with the pictures that were made in it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from visavis.conversation.conversation import Conversation
from visavis.conversation.memory import Memory, TurnRow
from visavis.conversation.turns import Hand, Turn
from visavis.editing.finding.phrases import read_phrase
from visavis.errors import BadInputError, StorageError
from visavis.language.base import Understanding
from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    Clarify,
    Command,
    Crop,
    Edit,
    Filter,
    Grayscale,
    Invert,
    Keep,
    Like,
    Recolor,
    Refine,
    Remove,
    ReplaceBackground,
    Select,
    Sepia,
    Shown,
    Straighten,
    This,
    Unlike,
    commands_text,
    parse_command,
    parse_commands,
)
from visavis.language.commands.base import SELECTION
from visavis.pictures.decoder import DEFAULT_LIMITS, decoded_bytes
from visavis.pictures.picture import Details, Origin, Picture
from visavis.search.captions import stems

if TYPE_CHECKING:
    from PIL import Image

    from visavis.api import Collection
    from visavis.editing.editor import Editor, EditResult

#: Most file systems take 255 bytes; a number and a suffix have to fit in too.
_LONGEST_NAME = 200
#: A tint this strong leaves no other colour to be named.
_PAINTED = 0.5


#: So many pictures are offered where one of those that are shown is meant.
_OFFERED = 4
#: What is done to a picture is no wish: nobody looks for pictures that show "crop".
_EDIT_VERBS = frozenset(kind.verb for kind in Edit.__subclasses__())


def about_one_picture(understood: Understanding, last: Turn) -> Understanding:
    """The understanding, where a doubt is about what to do with one picture, as the question which one is meant.

    "Similar but cheaper" compares with a picture, so that a reading that puts the pictures in order by their price, or
    wishes for "cheaper" in words, beside one that compares the price is not another one. Where none of several
    pictures is in hand, it is asked which one is meant.

    Args:
        understood: What the parser understood.
        last: The turn before.
    """
    ways = [parse_commands(line) for _, line in understood.clarify.options if line] if understood.clarify else []
    compared = next((way for way in ways if any(_points(command) for command in way[1:])), ())
    if compared and all(way[:-1] == compared[:-1] for way in ways):
        ways = [compared]
    if not ways or last.hand is not None or len(last.results) < 2:
        return replace(understood, commands=compared, clarify=None) if compared and ways == [compared] else understood
    meant = ways[0] if any(map(_points, ways[0])) else ()
    if not meant and not any(isinstance(way[0], Refine) and way[0].text in _EDIT_VERBS for way in ways):
        return understood
    numbers = range(1, min(_OFFERED, len(last.results)) + 1)
    lines = [commands_text([_pointed(one, Shown(at)) for one in meant] or [Select(Shown(at))]) for at in numbers]
    options = tuple((f"#{at}", line) for at, line in zip(numbers, lines, strict=True))
    return replace(understood, commands=(), clarify=Clarify("Which one?", options))


def _points(command: Command) -> bool:
    """Whether a command points at "this" picture."""
    return _pointed(command, Shown(1)) != command


def _pointed(command: Command, picture: Shown) -> Command:
    """A command that points at a picture by its number instead of at "this"."""
    match command:
        case Filter(values=values) if This() in values:
            return replace(command, values=tuple(picture if value == This() else value for value in values))
        case Like(picture=This()) | Unlike(picture=This()):
            return replace(command, picture=picture)
        case Keep(source=This()):
            return replace(command, source=picture)
        case _:
            return command


@dataclass(frozen=True)
class EditOutcome:
    """What came of edits.

    Attributes:
        hand: The picture in hand then.
        applied: What was carried out.
        pending: What waits for an answer.
        question: What to ask.
        unsure: Things that were not surely found, where the edits were carried out all the same.
    """

    hand: Hand
    applied: tuple[Edit, ...]
    pending: tuple[Edit, ...] = ()
    question: str | None = None
    unsure: tuple[str, ...] = ()


class HandEditor:
    """Edits pictures of one collection and adds the results to it."""

    def __init__(self, collection: Collection, editor: Editor | None = None) -> None:
        self._collection = collection
        self._editor = editor

    def editor(self) -> Editor:
        """The editor that was given, or one that opens the collection's pictures by their ids."""
        if self._editor is not None:
            return self._editor
        from visavis.editing.editor import Editor
        from visavis.editing.export import collection_pictures

        return Editor(self._collection.encoder, resolve=collection_pictures(self._collection))

    def hold(self, id: str) -> Hand:
        """A picture taken in hand; one that was made by editing remembers how."""
        picture = self._collection.picture(id)
        if picture.origin is None:
            return Hand(picture.id, picture.id)
        return Hand(picture.id, picture.origin.source_id, picture.origin.commands)

    def edit(
        self, hand: Hand, edits: Sequence[Edit], shown: Sequence[str] = (), *, confirmed: bool = False
    ) -> EditOutcome:
        """Carry out edits on the picture in hand.

        The result is a new picture of the collection, which knows the picture it came from and all edits since.
        """
        image = self._collection.open_image(hand.picture, keep_alpha=True)
        lasting = [self._lasting(edit, hand, shown) for edit in edits]
        # A larger picture could be made, but not opened again.
        most = DEFAULT_LIMITS.memory // decoded_bytes("PNG", image.mode, (1, 1))
        result = self.editor().edit(image, lasting, confirmed=confirmed, most_pixels=most)
        if not result.applied:
            return EditOutcome(hand, (), result.pending, result.question)
        if all(isinstance(edit, Crop | Straighten) for edit in result.applied) and _same_pixels(image, result.image):
            raise BadInputError(
                "Nothing would change: the picture is like that already.", "Say what should be different."
            )
        lines = (*hand.edits, *(str(command) for command in result.applied))
        picture = self._take_in(result, hand.source, lines)
        said = tuple(edits[: len(result.applied)])
        unsure = tuple(found.phrase for found in result.located if not found.sure)
        return EditOutcome(Hand(picture.id, hand.source, lines), said, result.pending, result.question, unsure)

    def doubt(self, hand: Hand, pending: Sequence[Edit]) -> Image.Image | None:
        """The picture in hand with what was found marked in it, where edits wait because that is doubtful."""
        image = self._collection.open_image(hand.picture, keep_alpha=True)
        return self.editor().edit(image, pending, confirmed=False).preview

    def export(self, hand: Hand, folder: Path, name: str | None) -> Path:
        """Write the picture in hand at full size into a folder, never over a file that is there."""
        from visavis.editing.export import export_picture
        from visavis.editing.files import format_of, save_file

        wanted = Path(name or f"{hand.picture[:8]}.png").name  # a name without a path, so that it stays in the folder
        if len(wanted.encode()) > _LONGEST_NAME:
            raise BadInputError(f"The file name '{wanted[:20]}...' is too long.", "Use a shorter one.")
        path = folder / (wanted if Path(wanted).suffix else f"{wanted}.png")
        format_of(path)
        made = export_picture(self._collection, hand.picture, lambda _: self.editor())
        number = 1
        free = path
        while free.exists():
            number += 1
            free = path.with_stem(f"{path.stem}-{number}")
        save_file(made.image, free, exif=made.exif)
        return free

    def _take_in(self, result: EditResult, source: str, lines: tuple[str, ...]) -> Picture:
        """PNG keeps every pixel and the transparency, so that a further edit starts from what was seen."""
        file = io.BytesIO()
        result.image.save(file, "PNG", compress_level=1)
        original = self._collection.catalogue.picture(source)
        details = still_true(original.details, read_edits(lines)) if original else Details()
        return self._collection.add(file.getvalue(), origin=Origin(source, lines), details=details)

    def _lasting(self, edit: Edit, hand: Hand, shown: Sequence[str]) -> Edit:
        """An edit that can be replayed: "#3" and "a beach" become the ids of the pictures that they mean now."""
        if not isinstance(edit, ReplaceBackground):
            return edit
        match edit.background:
            case Shown(number) if number <= len(shown):
                return replace(edit, background=shown[number - 1])
            case Shown(number):
                raise BadInputError(f"There is no picture #{number} here.", "Point at one that is shown, such as #3.")
            case This():
                return replace(edit, background=hand.picture)
            case words:
                return edit if self._is_known(words) else replace(edit, background=self._found(words))

    def _is_known(self, words: str) -> bool:
        """Whether words are a colour or the id of a picture, rather than a description."""
        from visavis.editing.table import colour_of

        try:
            colour_of(words)
        except BadInputError:
            return self._collection.catalogue.picture(words) is not None
        return True

    def _found(self, words: str) -> str:
        found = self._collection.search(words, k=1).results
        if not found:
            raise BadInputError(
                f"No picture here shows '{words}'.", "Give a colour, or point at a picture that is shown, such as #3."
            )
        return found[0].picture.id


def _same_pixels(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and one.convert("RGBA").tobytes() == other.convert("RGBA").tobytes()


def read_edits(lines: Sequence[str]) -> tuple[Edit, ...]:
    """Edits from their text forms."""
    return tuple(command for command in map(parse_command, lines) if isinstance(command, Edit))


def for_other_pictures(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits without what was marked by hand on one picture; those that are about nothing else are left out."""
    return tuple(replace(edit, marks=()) for edit in edits if edit.target != SELECTION)


def still_true(details: Details, edits: Sequence[Edit]) -> Details:
    """What is known of a picture, as far as it holds after edits: one that was painted blue is no longer red."""
    colour: str | None = None
    changed = False
    for edit in edits:
        if _recolours(edit):
            changed, colour = True, _given_colour(edit)
    removed = frozenset(word for edit in edits if isinstance(edit, Remove) for word in stems(edit.target or ""))
    if removed:  # a caption that speaks of what was taken out is not true any more
        details = replace(details, captions=tuple(text for text in details.captions if not removed & stems(text)))
    if not changed:
        return details
    kept = {name: value for name, value in details.attributes.items() if "colour" not in _british(name)}
    if colour is not None:
        kept |= {
            name: _spelt_like(colour, value) for name, value in details.attributes.items() if _british(name) == "colour"
        }
    return replace(details, attributes=kept)


def _spelt_like(colour: str, value: object) -> str:
    """A colour with the capital of the value that it replaces, so that the collection gets no second spelling.

    >>> _spelt_like("green", "Red"), _spelt_like("green", "red")
    ('Green', 'green')
    """
    return colour.capitalize() if isinstance(value, str) and value[:1].isupper() else colour


def _recolours(edit: Edit) -> bool:
    if isinstance(edit, Recolor):
        return edit.target is not None and not read_phrase(edit.target).background
    return isinstance(edit, AdjustColor | Grayscale | Sepia | Invert) or (
        isinstance(edit, AdjustAttr) and edit.name in ("saturation", "warmth")
    )


def _given_colour(edit: Edit) -> str | None:
    """The colour that a picture has after an edit, where that is plain to see; a code such as #ff8800 is no word."""
    if isinstance(edit, Recolor):
        return edit.name if edit.name.isalpha() else None
    if isinstance(edit, AdjustColor) and edit.strength >= _PAINTED and edit.name.isalpha():
        return edit.name
    return "grey" if isinstance(edit, Grayscale) else None


def _british(name: str) -> str:
    return name.lower().replace("color", "colour")


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
    unused = _unused(collection, made)
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


def _unused(collection: Collection, pictures: Sequence[Picture]) -> list[Picture]:
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
