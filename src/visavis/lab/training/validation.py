"""How well a model in training finds the held-out pictures of a pack by their texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from visavis.lab.training import feed as feeding
from visavis.lab.training.encoder import DualEncoder
from visavis.lab.training.feed import Words
from visavis.lab.training.packs import Pack


@torch.no_grad()
def recall(
    model: DualEncoder, path: Path, tokenizer: Any, device: str, *, split: str, captions: int = 5, length: int = 40
) -> dict[str, float]:
    """Text to image R@1/5/10 on one split of a pack.

    Pictures with at least ``captions`` texts ask with that many; all pictures of the split are the gallery.
    """
    pack = Pack(path)
    chosen = [number for number, sample in enumerate(pack.samples) if sample.split == split]
    asked = [
        (place, text)
        for place, number in enumerate(chosen)
        if len(pack.samples[number].texts) >= captions
        for text in pack.samples[number].texts[:captions]
    ]
    model.eval()
    with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
        gallery = _pictures(model, pack, chosen, device)
        rows = Words(tokenizer, length).rows([text for _, text in asked]).astype(np.int64)
        texts = _texts(model, torch.from_numpy(rows), device)
    targets = torch.tensor([place for place, _ in asked], device=texts.device)
    scores = texts @ gallery.T
    ranks = (scores > scores.gather(1, targets[:, None])).sum(dim=1)
    recalls = {f"R@{k}": round(100 * float((ranks < k).float().mean()), 2) for k in (1, 5, 10)}
    return {"gallery": len(chosen), "queries": len(asked)} | recalls


def _pictures(model: DualEncoder, pack: Pack, chosen: list[int], device: str) -> Tensor:
    size = model.image.shape.image_size
    pixels = torch.from_numpy(pack.pixels(chosen, max(size, 192), processes=torch.get_num_threads()))
    parts = (feeding.resize(part.to(device), size) for part in pixels.split(256))
    return torch.cat([model.image(part)[0].float() for part in parts])


def _texts(model: DualEncoder, rows: Tensor, device: str) -> Tensor:
    parts = (part.to(device) for part in rows.split(512))
    return torch.cat([model.text(part, (part > 0).long()).float() for part in parts])
