"""A small collection for conversations, and an assistant over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from drawing import draw, draw_mixed
from memory_store import MemoryStore
from tiny_encoder import COLOURS, TinyEncoder

from visavis.api import Collection, open_collection

#: Attributes that come with the pictures: a price each, and whether it is plain.
CATALOGUE = "catalogue.csv"


def make_home(folder: Path) -> Path:
    """A home with a collection "colours": plain pictures of twelve colours, and mixed ones."""
    rows = ["file,caption,price,kind"]
    for number, name in enumerate(COLOURS):
        draw(folder / "pictures" / f"{name}.png", name)
        rows.append(f"{name}.png,all {name},{10 * (number + 1)},plain")
        other = list(COLOURS)[(number + 5) % len(COLOURS)]
        draw_mixed(folder / "pictures" / f"{name}-{other}.png", name, other)
        rows.append(f"{name}-{other}.png,{name} and {other},{10 * (number + 1) + 5},mixed")
    table = folder / "pictures" / CATALOGUE
    table.write_text("\n".join(rows) + "\n")
    home = folder / "home"
    with open_collection("colours", home, create=True, encoder=TinyEncoder()) as collection:
        report = collection.index(table)
    assert not report.failures, report.failures
    return home


@contextmanager
def colour_shop(folder: Path, home: Path, columns: str, cells: Callable[[int, str], str]) -> Iterator[Collection]:
    """A collection of twelve plain pictures with these columns; ``cells`` gives a row by its place and colour."""
    rows = [f"file,{columns}"]
    for at, name in enumerate(COLOURS):
        draw(folder / f"{name}.png", name)
        rows.append(f"{name}.png,{cells(at, name)}")
    table = folder / "shop.csv"
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    with open_collection("shop", home, MemoryStore(), encoder=TinyEncoder(), create=True) as shop:
        shop.index(table)
        yield shop


def open_colours(home: Path) -> Collection:
    return open_collection("colours", home, encoder=TinyEncoder())
