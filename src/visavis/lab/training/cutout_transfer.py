"""Fit the cut-out head to the patches of another encoder: a linear map in front of it, from new patches to old ones.

``python -m visavis.lab.training.cutout_transfer --before ENCODER --head HEAD --photos PHOTOS --out FOLDER``. The
photographs need no masks, and a few hundred are enough: each has 144 patches, and the map has 256 x 257 numbers.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from visavis.encoders import Encoder, load_encoder
from visavis.encoders.base import FloatArray
from visavis.encoders.builtin import BuiltinEncoder
from visavis.encoders.inputs import unit

_AT_ONCE = 32
#: Keeps the map small where photographs say little; a few patches' worth.
_RIDGE = 10.0


def read_photos(folder: Path, most: int) -> list[Image.Image]:
    """Some photographs of a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".jpg", ".png", ".webp"))
    return [Image.open(path).convert("RGB") for path in random.sample(paths, min(most, len(paths)))]


def patches_of(encoder: Encoder, pictures: list[Image.Image]) -> FloatArray:
    """All patches of pictures in rows, ``[n * g * g, d]``."""
    parts = [pictures[start : start + _AT_ONCE] for start in range(0, len(pictures), _AT_ONCE)]
    return np.concatenate([encoder.encode_patches(part) for part in parts]).reshape(-1, encoder.dimension)


def fit_map(new: FloatArray, old: FloatArray) -> FloatArray:
    """``[d + 1, d]``: the least-squares map from new patches to old ones; its last row is added."""
    rows = _with_one(new).astype(np.float64)
    solved = np.linalg.solve(rows.T @ rows + _RIDGE * np.eye(rows.shape[1]), rows.T @ old)
    return np.asarray(solved, np.float32)


def mapped(patches: FloatArray, fitted: FloatArray) -> FloatArray:
    """New patches as old ones, of unit length."""
    return unit(_with_one(patches) @ fitted)


def _with_one(rows: FloatArray) -> FloatArray:
    return np.concatenate([rows, np.ones((len(rows), 1), np.float32)], axis=1)


def put_before(head: Path, fitted: FloatArray, out: Path) -> None:
    """Write the head with the map in front of it."""
    import onnx
    from onnx import helper, numpy_helper

    model: Any = onnx.load(str(head))
    graph = model.graph
    for node in graph.node:
        for place, name in enumerate(node.input):
            if name == "patches":
                node.input[place] = "mapped"
    graph.initializer.extend(
        [numpy_helper.from_array(fitted[:-1], "map.weight"), numpy_helper.from_array(fitted[-1], "map.bias")]
    )
    before = [
        helper.make_node("MatMul", ["patches", "map.weight"], ["map.product"]),
        helper.make_node("Add", ["map.product", "map.bias"], ["map.sum"]),
        helper.make_node("LpNormalization", ["map.sum"], ["mapped"], axis=-1, p=2),
    ]
    nodes = [*before, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(out))


def main() -> None:
    """Read, encode, fit, export, and print how near the mapped patches come on photographs held back."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True, help="the weights of the encoder before")
    parser.add_argument("--head", type=Path, required=True, help="the folder of its cut-out head")
    parser.add_argument("--photos", type=Path, required=True, help="a folder of photographs")
    parser.add_argument("--out", type=Path, required=True, help="where to write the head")
    parser.add_argument("--most", type=int, default=700, help="photographs at most")
    options = parser.parse_args()
    random.seed(0)
    encoder, photos = load_encoder(), read_photos(options.photos, options.most)
    new, old = patches_of(encoder, photos), patches_of(BuiltinEncoder(options.before), photos)
    cut = len(new) * 9 // 10
    fitted = fit_map(new[:cut], old[:cut])
    near = (mapped(new[cut:], fitted) * old[cut:]).sum(axis=1).mean()
    far = (new[cut:] * old[cut:]).sum(axis=1).mean()
    print(f"mean cosine with the old patches on photographs held back: {near:.3f}, without the map {far:.3f}")
    options.out.mkdir(parents=True, exist_ok=True)
    put_before(options.head / "cutout.onnx", fitted, options.out / "cutout.onnx")
    (options.out / "cutout.json").write_text(json.dumps({"encoder": encoder.name}) + "\n", "utf-8")


if __name__ == "__main__":
    main()
