"""Cut-outs of pictures that we draw, beside golden masks: a change of more than a rim's width is noticed.

``python tests/editing/cutout/test_cutout_golden.py`` writes the masks anew, after they have been looked at.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from editing_support import drawn_garment, overlap
from numpy.typing import NDArray
from PIL import Image

from visavis.demo import describe, draw_scene
from visavis.demo.scenes import describe_scene
from visavis.editing.cutout.cutters import cutter
from visavis.editing.cutout.masks import refine
from visavis.errors import VisavisError

GOLDEN = Path(__file__).parent / "golden"
SIDE, SMALL = 256, 64
#: The number of what is drawn, and of the scene behind it, whose things stand in front too; None is a plain ground.
CASES: dict[str, tuple[int, int | None]] = {
    "dotted-hat": (4, None),
    "coat": (17, None),
    "sun-hat": (29, None),
    "cap-among-trousers": (12, 2),
    "shirt-among-things": (40, 5),
    "checked-top": (57, None),
}


def drawn(number: int, ground: int | None) -> tuple[Image.Image, Image.Image]:
    """A drawn thing before a ground, and its exact mask."""
    behind = Image.new("RGB", (SIDE, SIDE), (214, 222, 226))
    if ground is not None:
        behind = draw_scene(describe_scene(99, ground), (SIDE, SIDE)).convert("RGB")
    thing = drawn_garment(99, number, (SIDE * 5 // 8, SIDE * 5 // 6), chance=number)
    layer = Image.new("RGBA", (SIDE, SIDE))
    layer.paste(thing, ((SIDE - thing.width) // 2, (SIDE - thing.height) // 2))
    behind.paste(layer, mask=layer.getchannel("A"))
    return behind, layer.getchannel("A")


def cut(image: Image.Image) -> Image.Image:
    return refine(image, cutter("network").mask(image))


def small(mask: Image.Image) -> NDArray[np.float32]:
    return np.asarray(mask.resize((SMALL, SMALL), Image.Resampling.BOX), dtype=np.float32)


@pytest.mark.parametrize("name", CASES)
def test_a_cut_out_is_like_its_golden_mask(name: str):
    try:
        cutter("network")
    except VisavisError as error:
        pytest.skip(str(error))
    image, true = drawn(*CASES[name])
    found = cut(image)
    golden = np.asarray(Image.open(GOLDEN / f"{name}.png"), dtype=np.float32)
    assert np.abs(small(found) - golden).mean() < 3, "mean difference of 255 levels"
    assert overlap(small(found), golden) > 0.96
    if CASES[name][1] is None:
        assert overlap(found, true) > 0.9, "on a plain ground it follows the exact outline"


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for case, (number, ground) in CASES.items():
        picture, exact = drawn(number, ground)
        mask = cut(picture)
        print(case, describe(99, number).title, f"IoU {overlap(mask, exact):.3f}")
        Image.fromarray(np.round(small(mask)).astype(np.uint8)).save(GOLDEN / f"{case}.png", optimize=True)
