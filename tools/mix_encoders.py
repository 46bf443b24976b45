"""Average the weights of two encoders of the same shape: ``python tools/mix_encoders.py OLDER NEWER --out FOLDER``.

Reads both from their int8 files and writes the mixture as it would ship, so that
``visavis bench encoder --encoder folder:FOLDER`` can measure it. Needs the extra ``train``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from torch import nn

from visavis.lab.networks.towers import ImageTower, TextTower, fill, folded, read_shipped
from visavis.lab.training.export import export_towers_of


def mixture(older: nn.Module, newer: nn.Module, share: float) -> nn.Module:
    """The newer tower, with its weights moved towards those of the older one."""
    before = older.state_dict()
    newer.load_state_dict({name: share * now + (1 - share) * before[name] for name, now in newer.state_dict().items()})
    return newer.eval()


def towers(folder: Path) -> tuple[ImageTower, TextTower]:
    """Both towers of an encoder in torch."""
    packed, image, text = read_shipped(folder), ImageTower(), TextTower()
    fill(image, packed["image"])
    fill(text, packed["text"])
    return folded(image.eval()), text.eval()


def main() -> None:
    """Mix two encoders."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("older", type=Path)
    options.add_argument("newer", type=Path)
    options.add_argument("--picture", type=float, default=0.8, help="Share of the newer picture tower.")
    options.add_argument("--text", type=float, default=0.75, help="Share of the newer text tower.")
    options.add_argument("--out", type=Path, required=True)
    given = options.parse_args()
    pairs = zip(towers(given.older), towers(given.newer), (given.picture, given.text), strict=True)
    image, text = (mixture(*pair) for pair in pairs)
    export_towers_of(image, text, given.newer, given.out, "mixture")


if __name__ == "__main__":
    main()
