"""How well a model in training does on what was held out: captions, titles, and which things are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.networks.towers import pool_regions
from visavis.lab.training import feed as feeding
from visavis.lab.training.encoder import DualEncoder
from visavis.lab.training.feed import Words
from visavis.lab.training.library import LONG, PHRASE, Library
from visavis.lab.training.packs import Pack
from visavis.lab.training.scene_texts import label_sentences

#: How many sentences ask for a name.
_FORMS = 6


@torch.no_grad()
def check(towers: Any, library: Library, device: torch.device) -> dict[str, Any]:
    """Text to image R@K on the held-out captions and titles, and the mean AP of COCO's things."""
    was = towers.training
    towers.eval()
    with (
        torch.compiler.set_stance("force_eager"),
        torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"),
    ):
        found: dict[str, Any] = {}
        for name, captions in (("coco", 5), ("product", 1)):
            keys = [key for key in library.held if key.startswith(f"{name}:") and key in library.validation]
            if keys:
                found[name] = _recall(towers, library, keys, captions)
        for name in ("held", "known"):
            keys = [key for key in library.validation if key.startswith(f"{name}:")]
            if keys:
                found[name] = _named(towers, library, keys)
        coco = [key for key in library.validation if key.startswith("coco:")]
        if coco:
            found["things"] = _things(towers, library, coco)
    towers.train(was)
    return found


def _pictures(towers: Any, library: Library, keys: list[str]) -> tuple[Tensor, Tensor]:
    numbers = torch.tensor([library.validation[key] for key in keys], device=library.device)
    wholes, regions = [], []
    for some in numbers.split(256):
        whole, patches = towers.image(feeding.resize(library.pixels[some], 168))
        wholes.append(whole.float())
        regions.append(pool_regions(patches.float()).half())
    return torch.cat(wholes), torch.cat(regions)


def _read(towers: Any, library: Library, texts: list[str], length: int) -> Tensor:
    parts = library.texts.tokens(texts, length).long().split(512)
    return torch.cat([towers.text(part, (part > 0).long()).float() for part in parts])


def _recall(towers: Any, library: Library, keys: list[str], captions: int) -> dict[str, float]:
    asked = [
        (place, text)
        for place, key in enumerate(keys)
        if len(library.held[key]) >= captions
        for text in library.held[key][:captions]
    ]
    gallery, _ = _pictures(towers, library, keys)
    scores = _read(towers, library, [text for _, text in asked], LONG // 2) @ gallery.T
    target = torch.tensor([place for place, _ in asked], device=scores.device)
    ranks = (scores > scores.gather(1, target[:, None])).sum(dim=1)
    recalls = {f"R@{k}": round(100 * float((ranks < k).float().mean()), 2) for k in (1, 5, 10)}
    return {"gallery": len(keys), "queries": len(asked)} | recalls


def _named(towers: Any, library: Library, keys: list[str]) -> dict[str, float]:
    """How many pictures are given their own name, whose keys end in it (``held:17:abacus``)."""
    of = [key.split(":", 2)[2] for key in keys]
    classes = sorted(set(of))
    forms = [label_sentences([name])[:_FORMS] for name in classes]
    read = _read(towers, library, [text for some in forms for text in some], LONG // 2)
    vectors = F.normalize(read.view(len(classes), _FORMS, -1).mean(dim=1), dim=-1)
    pictures, _ = _pictures(towers, library, keys)
    own = torch.tensor([classes.index(name) for name in of], device=vectors.device)
    ranks = (pictures @ vectors.T).argsort(dim=1, descending=True).eq(own[:, None]).float().argmax(dim=1)
    right = {f"top{k}": round(100 * float((ranks < k).float().mean()), 2) for k in (1, 5)}
    return {"classes": len(classes), "pictures": len(keys)} | right


def _things(towers: Any, library: Library, keys: list[str]) -> dict[str, float]:
    whole, regions = _pictures(towers, library, keys)
    numbers = torch.tensor([library.validation[key] for key in keys], device=library.device)
    there = library.objects[numbers].cpu().numpy()
    phrases = _read(towers, library, [f"a {name}" for name in library.classes], PHRASE)
    far = (whole @ phrases.T).float().cpu().numpy()
    best = torch.einsum("nrd,md->nmr", regions.float(), phrases).topk(3, dim=-1).values
    near = best.mean(dim=-1).float().cpu().numpy()
    both = _standard(far) + _standard(near)
    scores = {"whole": far, "regions": near, "both": both}
    return {name: round(float(_mean_precision(score, there)), 4) for name, score in scores.items()}


def _standard(scores: np.ndarray) -> np.ndarray:
    return np.asarray((scores - scores.mean(axis=0)) / (scores.std(axis=0) + 1e-9))


def _mean_precision(scores: np.ndarray, there: np.ndarray) -> float:
    """Mean over the columns that have any of the average precision."""
    values = []
    for column in range(scores.shape[1]):
        right = there[np.argsort(-scores[:, column]), column]
        if right.any():
            precise = np.cumsum(right) / np.arange(1, len(right) + 1)
            values.append(precise[right].mean())
    return float(np.mean(values)) if values else 0.0


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
        gallery = _pack_pictures(model, pack, chosen, device)
        rows = Words(tokenizer, length).rows([text for _, text in asked]).astype(np.int64)
        texts = _texts(model, torch.from_numpy(rows), device)
    targets = torch.tensor([place for place, _ in asked], device=texts.device)
    scores = texts @ gallery.T
    ranks = (scores > scores.gather(1, targets[:, None])).sum(dim=1)
    recalls = {f"R@{k}": round(100 * float((ranks < k).float().mean()), 2) for k in (1, 5, 10)}
    return {"gallery": len(chosen), "queries": len(asked)} | recalls


def _pack_pictures(model: DualEncoder, pack: Pack, chosen: list[int], device: str) -> Tensor:
    size = model.image.shape.image_size
    pixels = torch.from_numpy(pack.pixels(chosen, max(size, 192), processes=torch.get_num_threads()))
    parts = (feeding.resize(part.to(device), size) for part in pixels.split(256))
    return torch.cat([model.image(part)[0].float() for part in parts])


def _texts(model: DualEncoder, rows: Tensor, device: str) -> Tensor:
    parts = (part.to(device) for part in rows.split(512))
    return torch.cat([model.text(part, (part > 0).long()).float() for part in parts])
