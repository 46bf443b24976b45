"""Training samples for cut-outs and their sources: photographs with masks, objects on other photographs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn import functional as F

from visavis.demo import describe
from visavis.demo.painter import paint_look

#: The share of samples that are plain photographs; the others are composites.
_PHOTOGRAPHS = 0.6
#: The share of composited objects that come from photographs with masks.
_LIFTED = 0.3


@dataclass(frozen=True)
class Samples:
    """A batch: pictures, the foreground mask, its weights, and the mask of one chosen object."""

    pictures: Tensor
    masks: Tensor
    weights: Tensor
    chosen: Tensor


def draw_samples(sources: Sources, count: int, side: int) -> Samples:
    """Draw random samples: six of ten photographs with masks, the others composites."""
    real = round(count * _PHOTOGRAPHS)
    source = _drawn_from(sources.masked, real)
    place = _places(real, (0.95, 1.6), 0.05, 0.2, moved="filled")
    photos, masks = (
        _sampled(source[:, :3], place, side, "reflection"),
        _sampled(source[:, 3:], place, side, "reflection"),
    )
    sure = ((masks < 0.25) | (masks > 0.75)).float()
    pictures, every, one = _composites(sources, count - real, side)
    masks = torch.where(sure > 0, masks, masks.round())
    return Samples(
        camera_effects(torch.cat([jittered(photos, 0.25), pictures])),
        torch.cat([masks, every]),
        torch.cat([sure, torch.ones_like(every)]),
        torch.cat([masks, one]),
    )


def draw_hints(masks: Tensor, known: Tensor) -> Tensor:
    """Simulate a coarse and noisy detector's maps of the masks, -1..1; zeros where ``known`` is false.

    They are on a grid, a little shifted, too wide or too weak, with noise and with patches missing.
    """
    count, side = len(masks), masks.shape[-1]
    grid = random.choice((7, 9, 11, 12, 14, 16))
    coarse = F.adaptive_avg_pool2d(_sampled(masks, _places(count, (0.85, 1.18), 0.07, 0.08, flip=False), side), grid)
    wide = 0.6 * F.max_pool2d(coarse, 3, 1, 1) + 0.4 * coarse
    coarse = torch.where(chance(count, 0.4), wide, coarse)
    coarse = coarse * between(count, 0.6, 1.3) + torch.randn_like(coarse) * between(count, 0, 0.22)
    lost = torch.rand_like(coarse) < between(count, 0, 0.25)
    coarse = torch.where(lost, torch.rand_like(coarse) * 0.5, coarse).clamp(0, 1)
    hints = F.interpolate(coarse, size=(side, side), mode="bilinear", align_corners=False) * 2 - 1
    return torch.where(known[:, None, None, None], hints, torch.zeros_like(hints))


def _composites(sources: Sources, count: int, side: int) -> tuple[Tensor, Tensor, Tensor]:
    """Composite one or two objects on photographs or plain colours: pictures, their masks, masks of one object."""
    picture = _ground(sources.grounds, count, side)
    first, cover = _placed(sources, count, side, (0.5, 1.3))
    second, other = _placed(sources, count, side, (0.4, 0.8))
    two = chance(count, 0.35)
    second, other = second * two, other * two
    shadow = torch.roll(blurred(cover, 0.125), (side // 40, 0), (2, 3)) * between(count, -0.5, 0.5).clamp(min=0)
    picture = picture * (1 - shadow) * (1 - cover) + first
    picture = picture * (1 - other) + second
    pick = chance(count, 0.5) & two
    # The same lighting for object and background, or the seam would reveal the object.
    picture = side_lit(jittered(picture, 0.15), 0.2).clamp(0, 1)
    return picture, 1 - (1 - cover) * (1 - other), torch.where(pick, other, cover * (1 - other))


def _ground(grounds: Tensor, count: int, side: int) -> Tensor:
    """Draw photographs, a quarter of them blurred, or plain colours."""
    source = _drawn_from((grounds,), count)
    ground = jittered(
        _sampled(source, _places(count, (1.0, 1.8), 0.05, 0.15, moved="filled"), side, "reflection"), 0.25
    )
    ground = torch.where(chance(count, 0.25), blurred(ground, 0.2), ground)
    corners = torch.rand(count, 3, 1, 1) ** 0.6 + torch.randn(count, 3, 2, 2) * between(count, 0, 0.12)
    plain = F.interpolate(corners.clamp(0, 1), size=(side, side), mode="bilinear", align_corners=True)
    return torch.where(chance(count, 0.15), plain, ground)


def _placed(sources: Sources, count: int, side: int, scale: tuple[float, float]) -> tuple[Tensor, Tensor]:
    lifted = _drawn_from(sources.masked, round(count * _LIFTED))
    # The border of a mask is uncertain: the object is eroded a little.
    lifted = torch.cat([lifted[:, :3], ((lifted[:, 3:] - 0.6) * 2.5).clamp(0, 1)], 1)
    parts = [
        _sampled(_lit(part), _places(len(part), scale, 0.15, 0.4, moved="anywhere"), side)
        for part in (lifted, _drawn_from(sources.things, count - len(lifted)))
    ]
    placed = torch.cat(parts)
    placed = placed[torch.randperm(count)]  # so that every kind is combined with every other
    soft = chance(count, 0.3)
    placed = torch.where(soft, blurred(placed, 0.5), placed)
    return placed[:, :3], placed[:, 3:]


def _lit(things: Tensor) -> Tensor:
    """Relight objects, with premultiplied alpha."""
    alpha = things[:, 3:]
    colours = side_lit(jittered(things[:, :3], 0.25), 0.25).clamp(0, 1)
    return torch.cat([colours * alpha, alpha], 1)


def _drawn_from(sets: tuple[Tensor, ...], count: int) -> Tensor:
    """Draw equally many of each set, as numbers 0..1."""
    shares = [count // len(sets) + (number < count % len(sets)) for number in range(len(sets))]
    chosen = [part[torch.randint(len(part), (share,))] for part, share in zip(sets, shares, strict=True)]

    return torch.cat(chosen).float() / 255


def _places(
    count: int,
    scale: tuple[float, float],
    shift: float,
    turn: float,
    *,
    flip: bool = True,
    moved: Literal["little", "filled", "anywhere"] = "little",
) -> Tensor:
    """Draw random affine maps: size, proportion, angle, position and mirroring.

    Each is moved by up to ``shift``; beyond that, "filled" moves what is larger than the picture as far as it still
    fills it, and "anywhere" moves what is smaller into any corner.
    """
    size = torch.exp(between(count, math.log(scale[0]), math.log(scale[1]))).view(-1)
    shape = torch.exp(between(count, -0.22, 0.22)).view(-1)
    angle = between(count, -turn, turn).view(-1)
    mirror = torch.where(torch.rand(count) < 0.5, -1.0, 1.0) if flip else torch.ones(count)
    further = {"little": torch.zeros(count), "filled": 1 - 1 / size, "anywhere": 1 / size - 1}[moved]
    reach = shift + further.clamp(min=0)
    across, along = (between(count, -1, 1).view(-1) * reach for _ in range(2))
    cos, sin = torch.cos(angle), torch.sin(angle)
    top = torch.stack([mirror * cos / size * shape, -sin / size * shape, across], 1)
    return torch.stack([top, torch.stack([mirror * sin / size / shape, cos / size / shape, along], 1)], 1)


def _sampled(pictures: Tensor, places: Tensor, side: int, padding: str = "zeros") -> Tensor:
    grid = F.affine_grid(places, [len(pictures), pictures.shape[1], side, side], align_corners=False)
    return F.grid_sample(pictures, grid, padding_mode=padding, align_corners=False)


def jittered(pictures: Tensor, amount: float) -> Tensor:
    """Jitter colour, contrast and brightness."""
    count = len(pictures)
    grey = pictures.mean(1, keepdim=True)
    pictures = grey + (pictures - grey) * between(count, 1 - 1.3 * amount, 1 + 1.3 * amount)
    mean = pictures.mean((2, 3), keepdim=True)
    pictures = mean + (pictures - mean) * between(count, 1 - amount, 1 + amount)
    cast = 1 + (torch.rand(count, 3, 1, 1) - 0.5) * 0.25
    return (pictures * between(count, 1 - amount, 1 + amount) * cast).clamp(0, 1)


def side_lit(pictures: Tensor, amount: float) -> Tensor:
    """Add a gradient of brightness."""
    corners = 1 + (torch.rand(len(pictures), 1, 2, 2) - 0.5) * 2 * amount
    return pictures * F.interpolate(corners, size=pictures.shape[-2:], mode="bilinear", align_corners=True)


def camera_effects(pictures: Tensor) -> Tensor:
    """Make some grey, some blurred, some compressed, and add a little noise to all."""
    count = len(pictures)
    pictures = torch.where(chance(count, 0.05), pictures.mean(1, keepdim=True), pictures)
    pictures = torch.where(chance(count, 0.25), blurred(pictures, 0.5), pictures)
    pictures = pictures + torch.randn_like(pictures) * between(count, 0, 0.025)
    pictures = torch.where(chance(count, 0.3), compressed(pictures, between(count, 0.01, 0.06)), pictures)
    return pictures.clamp(0, 1)


def blurred(pictures: Tensor, factor: float) -> Tensor:
    """Blur by reducing and enlarging by a factor."""
    small = F.interpolate(pictures, scale_factor=factor, mode="bilinear", antialias=True)
    return F.interpolate(small, size=pictures.shape[-2:], mode="bilinear", align_corners=False)


def compressed(pictures: Tensor, coarse: Tensor) -> Tensor:
    """Simulate JPEG: quantise the DCT of each block of 8 x 8, higher frequencies more coarsely.

    Args:
        pictures: ``[n, c, h, w]``, sides multiples of 8.
        coarse: The quantisation step of the lowest frequency, ``[n, 1, 1, 1]``.
    """
    count, channels, height, width = pictures.shape
    order = torch.arange(8, dtype=pictures.dtype, device=pictures.device)
    waves = torch.cos((order[None] + 0.5) * order[:, None] * math.pi / 8) / 2
    waves = torch.cat([waves[:1] / math.sqrt(2), waves[1:]])
    blocks = pictures.reshape(count, channels, height // 8, 8, width // 8, 8).transpose(3, 4)
    heights = waves @ blocks @ waves.T
    step = coarse[..., None, None] * (1 + order[None] + order[:, None])
    kept = waves.T @ ((heights / step).round() * step) @ waves
    return kept.transpose(3, 4).reshape(pictures.shape)


def between(count: int, low: float, high: float) -> Tensor:
    """Return a random number for each picture."""
    return torch.rand(count, 1, 1, 1) * (high - low) + low


def chance(count: int, share: float) -> Tensor:
    """Return True for a random share of the pictures."""
    return torch.rand(count, 1, 1, 1) < share


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
