"""Pictures with known masks for the cut-out head: photographs with masks, and things laid over other photographs."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn import functional as F

from visavis.demo import describe
from visavis.demo.drawing import paint_look

#: Side at which sources are kept; samples are cut out of them.
_KEPT = 224
#: Seed of the drawn garments; benchmarks and tests draw others.
_DRAWN_SEED = 90_001


@dataclass(frozen=True)
class Sources:
    """What samples are made of, as bytes ``[n, c, side, side]``.

    Attributes:
        masked: Photographs with their mask as fourth channel: 255 thing, 0 ground, 128 not counted.
        things: Cut-out things, RGBA.
        grounds: Photographs to lay them over.
    """

    masked: Tensor
    things: Tensor
    grounds: Tensor

    def to(self, device: str) -> Sources:
        """The same on another device; samples are drawn where their sources are."""
        return Sources(self.masked.to(device), self.things.to(device), self.grounds.to(device))


@dataclass(frozen=True)
class Samples:
    """A batch: pictures, the mask of everything in front, where it counts, and the mask of one chosen thing."""

    pictures: Tensor
    masks: Tensor
    weights: Tensor
    chosen: Tensor


def read_sources(masked: Path, things: Path, grounds: Path, drawn: int = 500) -> Sources:
    """Read folders: ``masked`` has ``images/`` and ``masks/``, ``things`` RGBA files, ``grounds`` photographs."""
    pairs = [(p, masked / "masks" / f"{p.stem}.png") for p in sorted((masked / "images").iterdir())]
    return Sources(
        _stack([_masked(image, mask) for image, mask in pairs if mask.exists()]),
        _stack([_thing(Image.open(p)) for p in sorted(things.iterdir())] + [_drawn(n) for n in range(drawn)]),
        _stack([_planes(Image.open(p).convert("RGB").resize((_KEPT, _KEPT))) for p in sorted(grounds.iterdir())]),
    )


def draw_samples(sources: Sources, count: int, side: int) -> Samples:
    """Random samples: seven of ten photographs with masks, the others laid together."""
    real = round(count * 0.7)
    source = sources.masked[torch.randint(len(sources.masked), (real,))].float() / 255
    place = _places(real, (0.85, 1.7), 0.28, 0.2)
    photos, masks = (
        _sampled(source[:, :3], place, side, "reflection"),
        _sampled(source[:, 3:], place, side, "reflection"),
    )
    sure = ((masks < 0.25) | (masks > 0.75)).float()
    pictures, every, one = _laid_together(sources, count - real, side)
    masks = torch.where(sure > 0, masks, masks.round())
    return Samples(
        _as_cameras_do(torch.cat([jittered(photos, 0.25), pictures])),
        torch.cat([masks, every]),
        torch.cat([sure, torch.ones_like(every)]),
        torch.cat([masks, one]),
    )


def draw_hints(masks: Tensor, known: Tensor) -> Tensor:
    """What a coarse and faulty finder would say of the masks, -1..1; zeros where ``known`` is false.

    It sees a grid, a little shifted, too wide or too weak, with noise and with patches missing.
    """
    count, side = len(masks), masks.shape[-1]
    grid = random.choice((7, 9, 11, 12, 14, 16))
    coarse = F.adaptive_avg_pool2d(_sampled(masks, _places(count, (0.85, 1.18), 0.07, 0.08, flip=False), side), grid)
    wide = 0.6 * F.max_pool2d(coarse, 3, 1, 1) + 0.4 * coarse
    coarse = torch.where(_chance(count, 0.4), wide, coarse)
    coarse = coarse * _between(count, 0.6, 1.3) + torch.randn_like(coarse) * _between(count, 0, 0.22)
    lost = torch.rand_like(coarse) < _between(count, 0, 0.25)
    coarse = torch.where(lost, torch.rand_like(coarse) * 0.5, coarse).clamp(0, 1)
    hints = F.interpolate(coarse, size=(side, side), mode="bilinear", align_corners=False) * 2 - 1
    return torch.where(known[:, None, None, None], hints, torch.zeros_like(hints))


def jittered(pictures: Tensor, amount: float) -> Tensor:
    """Other colours, contrast and light."""
    count = len(pictures)
    grey = pictures.mean(1, keepdim=True)
    pictures = grey + (pictures - grey) * _between(count, 1 - 1.3 * amount, 1 + 1.3 * amount)
    mean = pictures.mean((2, 3), keepdim=True)
    pictures = mean + (pictures - mean) * _between(count, 1 - amount, 1 + amount)
    cast = 1 + (torch.rand(count, 3, 1, 1) - 0.5) * 0.25
    return (pictures * _between(count, 1 - amount, 1 + amount) * cast).clamp(0, 1)


def _laid_together(sources: Sources, count: int, side: int) -> tuple[Tensor, Tensor, Tensor]:
    """Things over photographs or plain grounds, a third of them two: the picture, all of it, one chosen thing."""
    ground = sources.grounds[torch.randint(len(sources.grounds), (count,))].float() / 255
    ground = jittered(_sampled(ground, _places(count, (1.0, 2.2), 0.3, 0.15), side, "reflection"), 0.3)
    ground = torch.where(_chance(count, 0.35), _blurred(ground, 0.2), ground)
    corners = torch.rand(count, 3, 1, 1) ** 0.6 + torch.randn(count, 3, 2, 2) * _between(count, 0, 0.12)
    plain = F.interpolate(corners.clamp(0, 1), size=(side, side), mode="bilinear", align_corners=True)
    picture = torch.where(_chance(count, 0.2), plain, ground)
    first, cover = _placed(sources.things, count, side, (0.45, 1.35), 0.45)
    second, other = _placed(sources.things, count, side, (0.4, 0.9), 0.8)
    two = _chance(count, 0.35)
    second, other = second * two, other * two
    shadow = torch.roll(_blurred(cover, 0.125), (side // 40, 0), (2, 3)) * _between(count, -0.5, 0.5).clamp(min=0)
    picture = picture * (1 - shadow) * (1 - cover) + first
    picture = picture * (1 - other) + second
    pick = _chance(count, 0.5) & two
    return picture, 1 - (1 - cover) * (1 - other), torch.where(pick, other, cover * (1 - other))


def _placed(things: Tensor, count: int, side: int, scale: tuple[float, float], shift: float) -> tuple[Tensor, Tensor]:
    chosen = things[torch.randint(len(things), (count,))].float() / 255
    alpha = chosen[:, 3:]
    weighted = torch.cat([jittered(chosen[:, :3], 0.3) * alpha, alpha], 1)
    placed = _sampled(weighted, _places(count, scale, shift, 0.45), side)
    return placed[:, :3], placed[:, 3:]


def _places(count: int, scale: tuple[float, float], shift: float, turn: float, *, flip: bool = True) -> Tensor:
    """Random affine maps: size, proportion, angle, place and mirror."""
    size = torch.exp(_between(count, math.log(scale[0]), math.log(scale[1]))).view(-1)
    shape = torch.exp(_between(count, -0.18, 0.18)).view(-1)
    angle = _between(count, -turn, turn).view(-1)
    mirror = torch.where(torch.rand(count) < 0.5, -1.0, 1.0) if flip else torch.ones(count)
    across, along = (_between(count, -shift, shift).view(-1) for _ in range(2))
    cos, sin = torch.cos(angle), torch.sin(angle)
    top = torch.stack([mirror * cos / size * shape, -sin / size * shape, across], 1)
    return torch.stack([top, torch.stack([mirror * sin / size / shape, cos / size / shape, along], 1)], 1)


def _sampled(pictures: Tensor, places: Tensor, side: int, padding: str = "zeros") -> Tensor:
    grid = F.affine_grid(places, [len(pictures), pictures.shape[1], side, side], align_corners=False)
    return F.grid_sample(pictures, grid, padding_mode=padding, align_corners=False)


def _as_cameras_do(pictures: Tensor) -> Tensor:
    """Some out of focus, all with a little noise."""
    pictures = torch.where(_chance(len(pictures), 0.25), _blurred(pictures, 0.5), pictures)
    return (pictures + torch.randn_like(pictures) * _between(len(pictures), 0, 0.025)).clamp(0, 1)


def _blurred(pictures: Tensor, factor: float) -> Tensor:
    small = F.interpolate(pictures, scale_factor=factor, mode="bilinear", antialias=True)
    return F.interpolate(small, size=pictures.shape[-2:], mode="bilinear", align_corners=False)


def _between(count: int, low: float, high: float) -> Tensor:
    return torch.rand(count, 1, 1, 1) * (high - low) + low


def _chance(count: int, share: float) -> Tensor:
    return torch.rand(count, 1, 1, 1) < share


def _masked(image: Path, mask: Path) -> NDArray[np.uint8]:
    picture = Image.open(image).convert("RGB").resize((_KEPT, _KEPT), Image.Resampling.BILINEAR, reducing_gap=2)
    known = Image.open(mask).convert("L").resize((_KEPT, _KEPT), Image.Resampling.NEAREST)
    return np.concatenate([_planes(picture), np.asarray(known)[None]])


def _thing(image: Image.Image) -> NDArray[np.uint8]:
    thing = image.convert("RGBA")
    thing.thumbnail((200, 200))
    canvas = Image.new("RGBA", (_KEPT, _KEPT))
    canvas.paste(thing, ((_KEPT - thing.width) // 2, (_KEPT - thing.height) // 2))
    return _planes(canvas)


def _drawn(number: int) -> NDArray[np.uint8]:
    canvas = paint_look(describe(_DRAWN_SEED, number).look, (150, 200), random.Random(number))
    cover = np.clip(canvas.cover, 0, 1)
    colours = np.clip(canvas.colour / np.maximum(cover, 1e-3), 0, 1).transpose(1, 2, 0)
    return _thing(Image.fromarray((np.dstack([colours, cover]) * 255 + 0.5).astype(np.uint8)))


def _planes(image: Image.Image) -> NDArray[np.uint8]:
    return np.asarray(image).transpose(2, 0, 1)


def _stack(pictures: list[NDArray[np.uint8]]) -> Tensor:
    return torch.from_numpy(np.stack(pictures))
