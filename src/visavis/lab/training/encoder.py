"""Train the built-in encoder: pictures and words into one space.

Each step draws a batch from every source, passes all pictures through the image tower at once and all texts
through the text tower at once, and adds up the sources' losses. A slow copy of the model (an exponential mean
of its weights) softens the targets, speaks for pictures without texts, and is what is exported in the end.
"""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.files import replacing
from visavis.lab.networks.towers import ImageTower, ImageTowerShape, TextTower, TextTowerShape
from visavis.lab.training import feed as feeding
from visavis.lab.training.feed import Batch, Feed, Source, Words
from visavis.lab.training.tower_optimiser import TowerRates, tower_optimiser


def soft_cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy against a distribution in each row."""
    return -(target * F.log_softmax(logits, dim=-1)).sum(dim=-1).mean()


def contrast(logits: Tensor, positive: Tensor, teacher: Tensor | None = None, trust: float = 0.0) -> Tensor:
    """Both directions of InfoNCE with several positives a row.

    Args:
        logits: ``[pictures, texts]``, scaled.
        positive: The same shape; True where the text belongs to the picture.
        teacher: Logits of a slow copy of the model, to soften the targets with, or None.
        trust: How much of the target comes from the teacher.
    """
    loss = torch.zeros((), device=logits.device)
    for direction in (False, True):
        student = logits.T if direction else logits
        target = (positive.T if direction else positive).float()
        target = target / target.sum(dim=-1, keepdim=True).clamp(min=1)
        if teacher is not None:
            soft = (teacher.T if direction else teacher).softmax(dim=-1)
            target = (1 - trust) * target + trust * soft
        loss = loss + soft_cross_entropy(student, target)
    return loss / 2


def contrast_with_negatives(logits: Tensor, positive: Tensor, own: Tensor, valid: Tensor) -> Tensor:
    """Picture to text where each picture has one more wrong text of its own.

    Args:
        logits: ``[n, texts]``.
        positive: The same shape.
        own: ``[n]``: the picture's logit with its own hard negative.
        valid: ``[n]``: whether it has one.
    """
    own = own.masked_fill(~valid, torch.finfo(own.dtype).min)
    every = torch.cat([logits, own[:, None]], dim=1)
    target = F.pad(positive.float(), (0, 1))
    return soft_cross_entropy(every, target / target.sum(dim=-1, keepdim=True).clamp(min=1))


def best_patches(patches: Tensor, phrases: Tensor, sharpness: float = 15.0) -> Tensor:
    """How well each phrase fits the best places of each picture: ``[pictures, phrases]``.

    A soft maximum, so that more than one patch learns.
    """
    similar = torch.einsum("npd,md->nmp", patches, phrases)
    return (similar * (sharpness * similar).softmax(dim=-1)).sum(dim=-1)


@dataclass(frozen=True, kw_only=True)
class Recipe(TowerRates):
    """Everything that decides what a run gives (with the data and the machine)."""

    sources: tuple[Source, ...]
    steps: int = 4000
    image_rate: float = 1.5e-4
    text_rate: float = 1.5e-4
    head_rate: float = 1e-3
    region_weight: float = 0.3
    negative_weight: float = 0.2
    text_length: int = 40
    image: dict[str, Any] = field(default_factory=dict)
    text: dict[str, Any] = field(default_factory=dict)


class DualEncoder(nn.Module):
    """The two towers and the temperature."""

    def __init__(self, image: ImageTower, text: TextTower) -> None:
        super().__init__()
        self.image, self.text = image, text
        self.log_scale = nn.Parameter(torch.tensor(math.log(20.0)))

    @property
    def scale(self) -> Tensor:
        """What cosines are multiplied with."""
        return self.log_scale.exp().clamp(max=100)


def build(recipe: Recipe) -> DualEncoder:
    """A model of the recipe's shape, with random weights."""
    image = ImageTower(ImageTowerShape(drop_path=recipe.drop_path, **recipe.image))
    text = TextTower(TextTowerShape(dropout=recipe.dropout, **recipe.text))
    return DualEncoder(image, text)


class Trainer:
    """One run: feeds, model, slow copy, optimiser; can be stopped and gone on with at any checkpoint."""

    def __init__(
        self, recipe: Recipe, packs: Path, tokenizer: Any, device: str, model: DualEncoder | None = None
    ) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe, self.device = recipe, torch.device(device)
        words = Words(tokenizer, recipe.text_length)
        self.feeds = [
            Feed(source, packs, words, self.device, seed=recipe.seed + number)
            for number, source in enumerate(recipe.sources)
        ]
        self._streams = [feed.batches() for feed in self.feeds]
        self.model = (model or build(recipe)).to(self.device)
        self.slow = copy.deepcopy(self.model).requires_grad_(False).eval()
        self.optimiser = tower_optimiser(self.model, self.model.image.shape.layers, recipe)
        self.step, self.started = 0, time.monotonic()
        self._image: Callable[..., Any] = self.model.image
        self._text: Callable[..., Any] = self.model.text

    def compile(self) -> None:
        """Compile the towers: slower to start, faster to run (GPU)."""
        self._image = torch.compile(self.model.image)
        self._text = torch.compile(self.model.text)

    def rate(self) -> float:
        """The factor on every learning rate at this step: a short rise, then half a cosine."""
        r = self.recipe
        if self.step < r.warmup:
            return (self.step + 1) / r.warmup
        return 0.5 * (1 + math.cos(math.pi * min(1.0, (self.step - r.warmup) / max(1, r.steps - r.warmup)))) + 1e-3

    def train_step(self) -> dict[str, float]:
        """One step; returns the losses."""
        batches = [next(stream) for stream in self._streams]
        for group in self.optimiser.param_groups:
            group["lr"] = group["base"] * self.rate()
        self.model.train()
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda"):
            losses = self._losses(batches)
        total = torch.stack([*losses.values()]).sum()
        total.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self._follow()
        self.step += 1
        return {name: float(loss.detach()) for name, loss in losses.items()} if self.step % 50 == 0 else {}

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the slow copy a little towards the model (faster in the beginning)."""
        keep = min(self.recipe.average, 1 - 1 / (1 + self.step / 4))
        slow, fast = list(self.slow.parameters()), list(self.model.parameters())
        torch._foreach_mul_(slow, keep)
        torch._foreach_add_(slow, fast, alpha=1 - keep)

    def _losses(self, batches: Sequence[Batch]) -> dict[str, Tensor]:
        size = self.model.image.shape.image_size
        whole, patches = self._image(torch.cat([feeding.augment(b.pixels, size) for b in batches]))
        counts = [len(b.pixels) for b in batches]
        wholes, patched = whole.float().split(counts), patches.split(counts)
        texts = self._encode_texts([part for b in batches for part in (b.tokens, b.negatives)])
        vectors, negatives = texts[0::2], texts[1::2]
        teachers = self._teach(batches)
        losses: dict[str, Tensor] = {}
        for number, (feed, batch) in enumerate(zip(self.feeds, batches, strict=True)):
            name, weight = feed.source.pack, feed.source.weight
            if feed.source.kind == "images":
                losses[name] = weight * self._imitate(wholes[number], teachers)
                continue
            logits = self.model.scale * wholes[number] @ vectors[number].T
            positive = self._positive(batch)
            teacher = teachers.get(number)
            losses[name] = weight * contrast(logits, positive, teacher, self.recipe.trust)
            if feed.source.kind == "captions":
                own = self.model.scale * (wholes[number] * negatives[number]).sum(-1)
                hard = contrast_with_negatives(logits, positive, own, batch.has_negative)
                losses[f"{name}/negatives"] = weight * self.recipe.negative_weight * hard
                losses[f"{name}/regions"] = weight * self.recipe.region_weight * self._regions(patched[number], batch)
        return losses

    def _encode_texts(self, tokens: Sequence[Tensor]) -> list[Tensor]:
        joined = torch.cat(list(tokens))
        vectors = self._text(joined, (joined > 0).long()).float()
        return list(vectors.split([len(t) for t in tokens]))

    @staticmethod
    def _positive(batch: Batch) -> Tensor:
        """Which texts belong to which pictures: of the same group, or word for word the same."""
        views = len(batch.tokens) // len(batch.pixels)
        text_groups = batch.groups.repeat_interleave(views)
        same_group = batch.groups[:, None] == text_groups[None, :]
        first = batch.text_keys.view(len(batch.pixels), views)
        same_text = (first[:, :, None] == batch.text_keys[None, None, :]).any(dim=1)
        return same_group | same_text

    @torch.no_grad()
    def _teach(self, batches: Sequence[Batch]) -> dict[Any, Any]:
        """What the slow copy thinks: its logits for the caption sources and for the pictures without texts."""
        speak = self.recipe.trust > 0 and self.step > 2 * self.recipe.warmup
        taught: dict[Any, Any] = {}
        size = self.slow.image.shape.image_size
        for number, (feed, batch) in enumerate(zip(self.feeds, batches, strict=True)):
            if feed.source.kind == "captions" and speak:
                whole = self.slow.image(feeding.resize(batch.pixels, size))[0].float()
                vectors = self.slow.text(batch.tokens, (batch.tokens > 0).long()).float()
                taught[number] = self.slow.scale * whole @ vectors.T
                taught.setdefault("texts", []).append((batch.tokens, vectors))
            elif feed.source.kind == "images" and speak:
                taught["pictures"] = self.slow.image(feeding.resize(batch.pixels, size))[0].float()
        return taught

    def _imitate(self, whole: Tensor, teachers: dict[Any, Any]) -> Tensor:
        """Pictures without texts: agree with the slow copy on which of the batch's captions fit."""
        if "pictures" not in teachers or "texts" not in teachers:
            return 0.0 * whole.sum()
        texts = torch.cat([vectors for _, vectors in teachers["texts"]])
        target = (self.slow.scale * teachers["pictures"] @ texts.T).softmax(dim=-1)
        return soft_cross_entropy(self.model.scale * whole @ texts.T, target)

    def _regions(self, patches: Tensor, batch: Batch) -> Tensor:
        """Noun chunks against the best patches; a picture whose captions have the chunk's words is no negative."""
        n = min(384, len(patches))
        tokens = batch.chunks[:n]
        valid = tokens[:, 0] > 0
        mask = (tokens > 0).long()
        mask[:, 0] = 1  # a picture without a chunk still needs one token to look at
        phrases = self.model.text(tokens, mask).float()
        fit = self.model.scale * best_patches(patches[:n].float(), phrases)
        words = batch.chunk_words[:n]
        contained = (batch.image_words[:n] @ words.T) >= words.sum(dim=1)[None, :] - 0.5
        own = torch.eye(n, dtype=torch.bool, device=fit.device)
        fit = fit.masked_fill(contained & ~own, -1e4)
        to_picture = torch.nn.functional.cross_entropy(fit.T, torch.arange(n, device=fit.device), reduction="none")
        to_phrase = torch.nn.functional.cross_entropy(fit, torch.arange(n, device=fit.device), reduction="none")
        return ((to_picture + to_phrase) * valid).sum() / (2 * valid.sum().clamp(min=1))

    def save(self, path: Path) -> None:
        """A checkpoint to go on from, written whole or not at all."""
        state = {
            "format": 1,
            "step": self.step,
            "recipe": asdict(self.recipe),
            "model": self.model.state_dict(),
            "slow": self.slow.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "torch": torch.get_rng_state(),
        }
        with replacing(path, durable=True) as file:
            torch.save(state, file)

    def resume(self, path: Path) -> None:
        """Go on from a checkpoint."""
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.slow.load_state_dict(state["slow"])
        self.optimiser.load_state_dict(state["optimiser"])
        torch.set_rng_state(state["torch"].cpu())
        self.step = state["step"]

    def run(
        self, out: Path, *, every: int = 500, on_step: Callable[[int, dict[str, float]], None] | None = None
    ) -> None:
        """Train to the recipe's last step, with a checkpoint and a line in ``log.jsonl`` now and then."""
        out.mkdir(parents=True, exist_ok=True)
        with (out / "log.jsonl").open("a", encoding="utf-8") as log:
            while self.step < self.recipe.steps:
                losses = self.train_step()
                if losses:
                    seconds = round(time.monotonic() - self.started, 1)
                    row = {"step": self.step, "seconds": seconds, "scale": round(float(self.model.scale.detach()), 2)}
                    log.write(json.dumps(row | {k: round(v, 4) for k, v in losses.items()}) + "\n")
                    log.flush()
                if on_step:
                    on_step(self.step, losses)
                if self.step % every == 0 or self.step == self.recipe.steps:
                    self.save(out / "checkpoint.pt")
