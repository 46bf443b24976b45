"""Published sessions and relative captions: FashionMT's layout, Fashion IQ, MT-FashionIQ and Shoes.

A file is a list of objects with ``ref``, ``tar1`` ... ``tarN``, ``mod1`` ... ``modN`` and ``cap0`` ... ``capN``. A
request that goes back says ``prefer the FIRST``, one that combines ``keep the FIRST's ...``; FIRST is the picture
``ref``, SECOND ``tar1`` and so on. Files of ``visavis datasets make-multiturn`` say it in ``kindN`` and ``fromN``
as well, since a request may describe the picture that it goes back to. Files of MT-FashionIQ have ``target`` and
``reference``, a list of pictures and of what was said about each on the way there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.base import ProtocolPicture
from visavis.lab.datasets.folders import read_lines
from visavis.lab.datasets.product_attributes import Product
from visavis.language.prompt import without_prefix

Kind = Literal["base", "rollback", "combination"]
KINDS: tuple[Kind, ...] = ("base", "rollback", "combination")
ORDINALS = ("FIRST", "SECOND", "THIRD", "FOURTH", "FIFTH", "SIXTH", "SEVENTH")
_MARK = re.compile(rf"\b({'|'.join(ORDINALS)})\b")
_KEEPS = re.compile(rf"\bkeep\b.*\b({'|'.join(ORDINALS)})\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Request:
    """What is said in a turn.

    Attributes:
        text: The words.
        kind: Whether it goes on from the last picture, back to an earlier one, or combines.
        back: The places of the pictures that it goes back to or combines; 0 is ``ref``.
    """

    text: str
    kind: Kind = "base"
    back: tuple[int, ...] = ()


@dataclass(frozen=True)
class Session:
    """Pictures and requests: after request n (from 1) picture n is the one that is meant.

    Attributes:
        pictures: The ids; the first is empty where the session begins with a description.
        requests: One less than pictures.
        captions: One for each picture; may be empty.
    """

    pictures: tuple[str, ...]
    requests: tuple[Request, ...]
    captions: tuple[str, ...]

    @property
    def target(self) -> str:
        """The picture of the last turn."""
        return self.pictures[-1]

    def references(self, turn: int) -> tuple[int, ...]:
        """The places of the pictures that request ``turn`` (from 1) speaks of, the main one first.

        Going back replaces the last picture by an earlier one; combining puts earlier ones beside it.
        """
        request = self.requests[turn - 1]
        if request.kind == "rollback" and request.back:
            return request.back[:1]
        return (turn - 1, *(place for place in request.back if place != turn - 1))


def marked(text: str) -> tuple[Kind, tuple[int, ...]]:
    """The lexical analysis of a request: what it does, and the places that it names.

    >>> marked("Compared to this one I prefer the SECOND, and it is red")
    ('rollback', (1,))
    >>> marked("is red, keep the FIRST's lace design and keep the SECOND's logo feature")
    ('combination', (0, 1))
    """
    places = tuple(dict.fromkeys(ORDINALS.index(word) for word in _MARK.findall(text)))
    if not places:
        return "base", ()
    return ("combination", places) if _KEEPS.search(text) else ("rollback", places[:1])


def read_sessions(path: Path) -> list[Session]:
    """Read a file in the layout of FashionMT or of MT-FashionIQ."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInputError(f"{path} cannot be read ({error}).", "It has to be a list in JSON.") from error
    if not isinstance(rows, list):
        raise BadInputError(f"{path} is not a list of sessions.")
    return [_session(path, number, row) for number, row in enumerate(rows, start=1)]


def _session(path: Path, number: int, row: dict[str, Any]) -> Session:
    try:
        if "reference" in row:
            return _chain(row)
        turns = 0
        while f"tar{turns + 1}" in row:
            turns += 1
        pictures = (str(row["ref"] or ""), *(str(row[f"tar{turn}"]) for turn in range(1, max(turns, 1) + 1)))
        captions = tuple(str(row.get(f"cap{place}") or "") for place in range(turns + 1))
        return Session(pictures, tuple(_request(row, turn) for turn in range(1, turns + 1)), captions)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise BadInputError(f"{path}, session {number}: {error} is missing or wrong.") from error


def _chain(row: dict[str, Any]) -> Session:
    """A dialogue of MT-FashionIQ: a picture is its URL, what annotators said, and its id."""
    shown = [(str(id), " and ".join(_said(said))) for _, said, id in row["reference"]]
    pictures = (*(id for id, _ in shown), str(row["target"][1]))
    return Session(pictures, tuple(Request(text) for _, text in shown), ("",) * len(pictures))


def _request(row: dict[str, Any], turn: int) -> Request:
    text = str(row[f"mod{turn}"])
    if f"kind{turn}" not in row:
        return Request(text, *marked(text))
    kind = row[f"kind{turn}"]
    if kind not in KINDS:
        raise ValueError(f"kind{turn}")
    return Request(text, kind, tuple(map(int, row.get(f"from{turn}") or ())))


def write_sessions(path: Path, sessions: Sequence[Session]) -> None:
    """Write sessions in FashionMT's layout, one object a line."""
    lines = ",\n".join(json.dumps(_row(session), ensure_ascii=False) for session in sessions)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _row(session: Session) -> dict[str, Any]:
    row: dict[str, Any] = {"ref": session.pictures[0]}
    row |= {f"tar{turn}": id for turn, id in enumerate(session.pictures[1:], start=1)}
    row |= {f"mod{turn}": request.text for turn, request in enumerate(session.requests, start=1)}
    row |= {f"cap{place}": caption for place, caption in enumerate(session.captions)}
    for turn, request in enumerate(session.requests, start=1):
        if request.kind != "base":
            row |= {f"kind{turn}": request.kind, f"from{turn}": list(request.back)}
    return row


def quality(sessions: Sequence[Session], products: Mapping[str, Product]) -> dict[str, float]:
    """Figures in percent, where they are not counts.

    ``accuracy``: what is said of a picture is so. ``historical awareness``: turns after the first that speak of an
    earlier turn, and ``of them true``: with which the picture really shares more (rollback) or what is kept
    (combination). ``aspects`` and ``words`` of a request are its granularity. ``consistency``: pictures of a session
    are of one category. ``coverage``: differences from the reference that are named.
    """
    later = rollback = combination = true = named = differing = right = words = number = same = fits = 0
    for session in sessions:
        seen = [products.get(id) for id in session.pictures]
        same += len({one.category for one in seen if one}) == 1
        for turn, request in enumerate(session.requests, start=1):
            target, references = seen[turn], [seen[place] for place in session.references(turn)]
            if target is None:
                continue
            number += 1
            words += len(request.text.split())
            later += turn > 1
            rollback += request.kind == "rollback"
            combination += request.kind == "combination"
            true += _is_true(request, target, seen, turn)
            said = [aspect for aspect, value in target.aspects.items() if _says(request.text, value)]
            fits += len(said)
            right += not _contradicts(request.text, target, references)
            main = references[0]
            if main is not None:
                wrong = target.differences(main)
                differing += len(wrong)
                named += sum(aspect in said for aspect in wrong)
    back = rollback + combination
    figures = {
        "sessions": len(sessions),
        "turns": number,
        "rollback": 100 * rollback / max(later, 1),
        "combination": 100 * combination / max(later, 1),
        "accuracy": 100 * right / max(number, 1),
        "historical awareness": 100 * back / max(later, 1),
        "of them true": 100 * true / max(back, 1),
        "aspects": fits / max(number, 1),
        "words": words / max(number, 1),
        "consistency": 100 * same / max(len(sessions), 1),
        "coverage": 100 * named / max(differing, 1),
    }
    return {name: round(value, 2) for name, value in figures.items()}


def _says(text: str, value: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text.lower()) is not None


def _is_true(request: Request, target: Product, seen: Sequence[Product | None], turn: int) -> bool:
    """Whether what a request looks back at is really like the picture that is meant."""
    if request.kind == "base":
        return False
    liked = [one for place in request.back if (one := seen[place]) is not None]
    if request.kind == "combination":
        return bool(liked) and all(target.agreement(one) for one in liked)
    last = seen[turn - 1]
    return bool(liked) and last is not None and target.agreement(liked[0]) > target.agreement(last)


def _contradicts(text: str, target: Product, references: Sequence[Product | None]) -> bool:
    """Whether it asks for a value of a reference that the picture does not have, other than to leave it."""
    for one in references:
        for aspect, value in (one.aspects if one else {}).items():
            other = target.aspects.get(aspect)
            wanted = rf"(?:is(?: more| by| for| made of)?|in|from|for) {re.escape(value)}(?![\w-])"
            if other and other != value and value not in other and re.search(rf"\b{wanted}", text.lower()):
                return True
    return False


CATEGORIES = ("dress", "shirt", "toptee")
#: What the categories are called.
_NAMES = {"toptee": "top"}
#: Files of the galleries of Fashion IQ; of the attributes and the dialogues of MT-FashionIQ; of Shoes' descriptions.
GALLERIES = "split.*.json"
_NAMED = "asin2attr.*.json"
_CHAINS = "all.*.json"
_URLS = "asin2url.*.txt"
SHOES = "captions_shoes.json"
#: The groups of a product's attributes in MT-FashionIQ's files, in their order.
GROUPS = ("kind", "texture", "fabric", "shape", "part", "style")


@dataclass(frozen=True)
class RelativeCaption:
    """What a person said about how a product differs from another.

    Attributes:
        target: The product that is meant.
        reference: The product that was shown.
        captions: What annotators said, each on their own.
        category: ``dress``, ``shirt``, ``toptee`` or ``shoes``.
    """

    target: str
    reference: str
    captions: tuple[str, ...]
    category: str = ""


def read_captions(folder: Path, split: str, categories: Sequence[str] = CATEGORIES) -> list[RelativeCaption]:
    """The pairs of ``cap.CATEGORY.SPLIT.json``; pairs without a caption are left out."""
    made = []
    for category in categories:
        file = folder / f"cap.{category}.{split}.json"
        for row in _rows(file):
            try:
                said = _said(row["captions"])
                pair = RelativeCaption(str(row["target"]), str(row["candidate"]), said, category)
            except (KeyError, TypeError) as error:
                raise BadInputError(f"{file} is no file of relative captions: {error!r}.") from error
            if said:
                made.append(pair)
    return made


def _said(texts: Sequence[object]) -> tuple[str, ...]:
    """What annotators said, without the words that they were given to go on from."""
    plain = (" ".join(str(text).split()).replace(" ,", ",") for text in texts)
    return tuple(without_prefix(text) for text in plain if text)


def read_attributes(file: Path) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Attributes by product, in the order of :data:`GROUPS`; rows that repeat their groups are read once."""
    value = _json(file)
    if not isinstance(value, Mapping):
        raise BadInputError(f"{file} has no attributes by product.")
    return {
        str(id): tuple(tuple(str(name) for name in group if str(name).strip()) for group in groups[: len(GROUPS)])
        for id, groups in value.items()
    }


def read_shoes(folder: Path) -> tuple[list[RelativeCaption], dict[str, str]]:
    """Relative captions of shoes, and descriptions by picture, of the files of Guo et al. (2018)."""
    pairs, described = folder / "relative_captions_shoes.json", folder / SHOES
    try:
        said = [
            RelativeCaption(str(row["ImageName"]), str(row["ReferenceImageName"]), (row["RelativeCaption"],), "shoes")
            for row in _rows(pairs)
        ]
        told = {str(row["ImageName"]): str(row["Caption"]) for row in (_rows(described) if described.is_file() else [])}
    except (KeyError, TypeError) as error:
        raise BadInputError(f"{folder} has no captions of shoes: {error!r}.") from error
    return said, told


def read_shoe_pictures(file: Path) -> list[ProtocolPicture]:
    """The described pictures of Shoes, which has no splits."""
    _, told = read_shoes(file.parent)
    return [ProtocolPicture(name, Path(name), (text,), _as_product("shoes", text)) for name, text in told.items()]


def read_fashion_pictures(folder: Path) -> list[ProtocolPicture]:
    """The pictures of Fashion IQ's galleries, with the attributes of MT-FashionIQ where they are beside them.

    One that is in several galleries is of ``val`` where any of them is. Files are named by the product, or as in the
    list of addresses from which the pictures are to be had.
    """
    files, urls = _beside(folder, _NAMED), read_urls(folder)
    named = {id: groups for file in files for id, groups in read_attributes(file).items()}
    found: dict[str, tuple[str, str]] = {}
    for file in sorted(folder.glob(GALLERIES), key=lambda one: ".val." in one.name):
        category, split = file.name.split(".")[1:3]
        found |= {str(id): (category, split) for id in _rows(file)}
    made = []
    for id, (category, split) in found.items():
        title = " ".join(dict.fromkeys(name for group in named.get(id, ()) for name in group))
        about = _as_product(_NAMES.get(category, category), title)
        also = urls.get(id, "").rsplit("/", 1)[-1]
        made.append(ProtocolPicture(id, Path(f"{id}.jpg"), (title,) if title else (), about, split, also))
    return made


def _as_product(category: str, title: str) -> dict[str, str]:
    """The columns of a catalogue that trainings and protocols look at."""
    empty = dict.fromkeys(("baseColour", "gender", "season", "usage"), "")
    return {"articleType": category, "subCategory": category, "productDisplayName": title, **empty}


def read_urls(folder: Path) -> dict[str, str]:
    """Where pictures were published: lines of an id and a URL, and the URLs in MT-FashionIQ's dialogues."""
    found: dict[str, str] = {}
    for file in _beside(folder, _CHAINS):
        for row in _rows(file):
            for url, *_, id in [row["target"], *row["reference"]]:
                found[str(id)] = str(url)
    for file in _beside(folder, _URLS):
        pairs = (line.split() for _, line in read_lines(file))
        found |= {parts[0]: parts[1] for parts in pairs if len(parts) == 2}
    return found


def _beside(folder: Path, names: str) -> list[Path]:
    return sorted([*folder.glob(names), *folder.glob(f"*/{names}")])


def _rows(file: Path) -> Sequence[Any]:
    value = _json(file)
    if not isinstance(value, list):
        raise BadInputError(f"{file} is no list.")
    return value


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadInputError(f"{file} is not JSON ({error}).") from error
