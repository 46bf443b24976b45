"""Contact sheet of all edits on the same drawn picture (``docs/images/edits.webp``)."""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image, ImageOps

from visavis.demo.scenes import describe_scene, draw_scene
from visavis.demo.sheet import SheetRow, contact_sheet
from visavis.editing.editor import Editor
from visavis.encoders.registry import load_encoder

OUT = Path("docs/images/edits.webp")
#: A coat and a hat, which can be located by name.
SEED, NUMBER = 11, 789
SIZE, CARD = (960, 720), (208, 156)
COLUMNS = 6
EDITS = (
    "rotate 15",
    "straighten -6",
    "flip horizontal",
    "crop on hat",
    "crop 1:1",
    "border 40 white",
    "adjust_attr brightness 30",
    "adjust_attr contrast 60",
    "adjust_attr saturation -70",
    "adjust_attr warmth 80",
    "adjust_color blue 0.4",
    "sepia 90",
    "image_cutout on coat",
    "adjust_color red 0.6 on hat",
    "grayscale",
    "replace_background gold",
    "vignette 90",
    'caption "NEW IN" bottom',
)


def on_paper(picture: Image.Image) -> Image.Image:
    """Fit the picture on a card of one shape; transparency shows as a chessboard."""
    card = Image.new("RGBA", CARD, (232, 234, 231, 255))
    small = ImageOps.contain(picture.convert("RGBA"), CARD, Image.Resampling.LANCZOS)
    corner = (CARD[0] - small.width) // 2, (CARD[1] - small.height) // 2
    card.paste(_squares(small.size), corner)
    card.alpha_composite(small, corner)
    return card.convert("RGB")


def _squares(size: tuple[int, int]) -> Image.Image:
    tile = Image.new("RGB", (16, 16), (250, 250, 250))
    for corner in ((0, 0), (8, 8)):
        tile.paste((214, 216, 214), (*corner, corner[0] + 8, corner[1] + 8))
    board = Image.new("RGB", size)
    for left in range(0, size[0], 16):
        for top in range(0, size[1], 16):
            board.paste(tile, (left, top))
    return board


def main() -> None:
    """Draw the picture, apply each edit, lay out the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    out: Path = parser.parse_args().out
    picture = draw_scene(describe_scene(SEED, NUMBER), SIZE)
    editor = Editor(load_encoder("builtin"))
    cards = [on_paper(editor.edit(picture, [line], confirmed=True).image) for line in EDITS]
    rows = [
        SheetRow("", cards[start : start + COLUMNS], EDITS[start : start + COLUMNS])
        for start in range(0, len(cards), COLUMNS)
    ]
    contact_sheet(rows, CARD).save(out, quality=86, method=6)
    print(f"{out}: {len(cards)} edits of '{describe_scene(SEED, NUMBER).caption}'")


if __name__ == "__main__":
    main()
