"""Sources of training samples for cut-outs: photographs with masks, cut-out objects, background photographs.

Everything is in memory at the network's input size, in bytes, so that samples are drawn without reading the disk:
ten thousand photographs with masks take 4 GB.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from visavis.demo import describe
from visavis.demo.painter import paint_look

#: Side of stored sources; samples are cropped from them.
KEPT = 320
#: Seed of the drawn garments; benchmarks and tests draw others.
_DRAWN_SEED = 90_001

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Sources:
    """Sources as bytes ``[n, c, side, side]``; each of several sets is drawn equally often.

    Attributes:
        masked: Sets of photographs with their mask as fourth channel: 255 object, 0 background, 128 ignored.
        things: Sets of cut-out objects, RGBA.
        grounds: Background photographs.
    """

    masked: tuple[Tensor, ...]
    things: tuple[Tensor, ...]
    grounds: Tensor

    @property
    def device(self) -> torch.device:
        """The device of the sources and their samples."""
        return self.grounds.device

    def to(self, device: str) -> Sources:
        """Move to another device."""
        masked, things = (tuple(part.to(device) for part in parts) for parts in (self.masked, self.things))
        return Sources(masked, things, self.grounds.to(device))


def read_sources(masked: Sequence[Path], things: Path, grounds: Path, drawn: int = 500, side: int = KEPT) -> Sources:
    """Read folders: each of ``masked`` has ``images/`` and ``masks/``, ``things`` RGBA files, ``grounds`` photographs.

    Args:
        masked: Folders of photographs with masks.
        things: A folder of objects with transparency.
        grounds: A folder of photographs.
        drawn: How many drawn garments are added to the objects.
        side: The stored side.
    """
    with ProcessPoolExecutor() as pool:
        photographs = tuple(_read(pool, _masked, masked_pairs(folder), side) for folder in masked)
        found = [_read(pool, _thing_file, sorted(things.iterdir()), side)]
        if drawn:
            found.append(_read(pool, _drawn, range(drawn), side))
        return Sources(photographs, tuple(found), _read(pool, _photograph, sorted(grounds.iterdir()), side))


def _read(
    pool: ProcessPoolExecutor, make: Callable[[tuple[_Item, int]], NDArray[np.uint8]], items: Iterable[_Item], side: int
) -> Tensor:
    return _stacked(list(pool.map(make, [(item, side) for item in items], chunksize=16)))


def read_masked(folder: Path, side: int = KEPT) -> Tensor:
    """Read the photographs of one folder with their masks."""
    return _stacked([_masked((pair, side)) for pair in masked_pairs(folder)])


def masked_pairs(folder: Path) -> list[tuple[Path, Path]]:
    """Return the photographs of a folder that have a mask, with it."""
    pairs = [(path, folder / "masks" / f"{path.stem}.png") for path in sorted((folder / "images").iterdir())]
    return [pair for pair in pairs if pair[1].exists()]


def _masked(job: tuple[tuple[Path, Path], int]) -> NDArray[np.uint8]:
    (image, mask), side = job
    known = Image.open(mask).convert("L").resize((side, side), Image.Resampling.NEAREST)
    return np.concatenate([_photograph((image, side)), np.asarray(known)[None]])


def _photograph(job: tuple[Path, int]) -> NDArray[np.uint8]:
    path, side = job
    picture = Image.open(path).convert("RGB")
    return _planes(picture.resize((side, side), Image.Resampling.BILINEAR, reducing_gap=2))


def _thing_file(job: tuple[Path, int]) -> NDArray[np.uint8]:
    path, side = job
    return _thing(Image.open(path).convert("RGBA"), side)


def _drawn(job: tuple[int, int]) -> NDArray[np.uint8]:
    number, side = job
    height = side * 9 // 10
    canvas = paint_look(describe(_DRAWN_SEED, number).look, (height * 3 // 4, height), random.Random(number))
    cover = np.clip(canvas.cover, 0, 1)
    colours = np.clip(canvas.colour / np.maximum(cover, 1e-3), 0, 1).transpose(1, 2, 0)
    return _thing(Image.fromarray((np.dstack([colours, cover]) * 255 + 0.5).astype(np.uint8)), side)


def _thing(thing: Image.Image, side: int) -> NDArray[np.uint8]:
    """Centre an object in a transparent square, nine tenths of it wide or high."""
    factor = side * 0.9 / max(thing.size)
    size = (max(1, round(thing.width * factor)), max(1, round(thing.height * factor)))
    thing = thing.resize(size, Image.Resampling.BICUBIC)
    canvas = Image.new("RGBA", (side, side))
    canvas.paste(thing, ((side - thing.width) // 2, (side - thing.height) // 2))
    return _planes(canvas)


def _planes(image: Image.Image) -> NDArray[np.uint8]:
    return np.asarray(image).transpose(2, 0, 1)


def _stacked(pictures: list[NDArray[np.uint8]]) -> Tensor:
    return torch.from_numpy(np.stack(pictures))
