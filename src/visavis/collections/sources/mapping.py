"""Which column of a catalogue file is the picture, which a caption, which an attribute."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from visavis.errors import BadInputError
from visavis.pictures.picture import Details
from visavis.pictures.values import attribute_name, flat_attributes, from_cell, texts_in

#: Column names that say what they hold, the surest first; compared without case and punctuation.
_PICTURE = (
    "path", "file", "filename", "filepath", "image", "imagepath", "imagefile", "img", "imgpath", "picture", "photo",
    "url", "imageurl", "imgurl", "pictureurl", "photourl", "link", "imagelink", "src", "imagesrc",
)  # fmt: skip
_CAPTION = frozenset({"caption", "captions", "sentence", "sentences", "description", "alt", "alttext", "text"})
_TITLE = ("title", "productdisplayname", "productname", "producttitle", "name", "headline")
_IDENTITY = ("id", "imageid", "productid", "pictureid", "sku", "asin")
_ROLES = frozenset({"picture", "caption", "ignore"})


@dataclass(frozen=True)
class ColumnMap:
    """What each column of a catalogue file stands for.

    Attributes:
        picture: The column with a path or a link; empty when files are named by ``identity``.
        identity: A column whose value plus a suffix is the name of the file.
        captions: Columns with sentences about the picture.
        attributes: Column to attribute name.
        texts: Every value is a text, so that numbers have to be recognised.
    """

    picture: str = ""
    identity: str = ""
    captions: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    texts: bool = False

    def reference(self, row: Mapping[str, Any]) -> str:
        """Where the picture of this row is, as written there; empty when it does not say."""
        value = row.get(self.picture or self.identity)
        return str(value).strip() if isinstance(value, str | int) else ""

    def details(self, row: Mapping[str, Any]) -> Details:
        """The captions and attributes of this row."""
        captions = [text for column in self.captions for text in texts_in(row.get(column))]
        named = {name: row.get(column) for column, name in self.attributes.items()}
        if self.texts:
            named = {name: from_cell(value) for name, value in named.items() if isinstance(value, str)}
        inner = named.get("attributes")
        if isinstance(inner, Mapping):
            del named["attributes"]
            named |= inner
        return Details(tuple(dict.fromkeys(captions)), flat_attributes(named))


def guess_columns(
    rows: Sequence[Mapping[str, Any]], chosen: Mapping[str, str] | None = None, *, texts: bool = False
) -> ColumnMap:
    """Work out what the columns stand for.

    Args:
        rows: The first rows of the file.
        chosen: Column to attribute name, or to ``picture``, ``caption`` or ``ignore``, as the person said.
        texts: Every value is a text.
    """
    named = dict.fromkeys(column for row in rows for column in row)
    columns = [column for column in named if column and not column.startswith("_")]
    chosen = dict(chosen or {})
    if unknown := [column for column in chosen if column not in columns]:
        raise BadInputError(f"There is no column '{unknown[0]}'.", f"The columns are: {', '.join(columns) or 'none'}.")
    free = {_bare(column): column for column in columns if column not in chosen}
    picture = _chosen(chosen, "picture") or next((free[name] for name in _PICTURE if name in free), "")
    identity = "" if picture else next((free[name] for name in _IDENTITY if name in free), "")
    if not picture and not identity:
        raise BadInputError(
            f"No column names the pictures (there are: {', '.join(columns) or 'none'}).",
            "Say which one with --map COLUMN=picture.",
        )
    captions = [column for column, role in chosen.items() if role == "caption"]
    captions += [column for name, column in free.items() if name in _CAPTION and column != picture]
    attributes = {column: attribute_name(role) for column, role in chosen.items() if role not in _ROLES}
    attributes |= _attributes(free, taken={picture, *captions}, named=set(attributes.values()))
    return ColumnMap(picture, identity, tuple(captions), attributes, texts)


def _attributes(free: Mapping[str, str], taken: set[str], named: set[str]) -> dict[str, str]:
    """Every other column under its own name, and one of them as the title."""
    title = "" if "title" in named else next((free[name] for name in _TITLE if name in free), "")
    named_so = {column: "title" if column == title else attribute_name(column) for column in free.values()}
    return {column: name for column, name in named_so.items() if column not in taken and name and name not in named}


def _chosen(chosen: Mapping[str, str], role: str) -> str:
    found = [column for column, given in chosen.items() if given == role]
    if len(found) > 1:
        raise BadInputError(f"Both '{found[0]}' and '{found[1]}' are mapped to {role}.", "Choose one.")
    return found[0] if found else ""


def _bare(column: str) -> str:
    return re.sub(r"[^a-z0-9]", "", column.lower())
