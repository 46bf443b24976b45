"""One training run from data sets to exported files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from visavis.encoders import description
from visavis.errors import BadInputError
from visavis.lab.networks.initial import IMAGE_FILE, TEXT_FILE, find_file, start_image_tower, start_text_tower
from visavis.lab.training.checks import recall
from visavis.lab.training.encoder import DualEncoder, Recipe, Trainer, build
from visavis.lab.training.export import ship
from visavis.lab.training.packs import Pack
from visavis.lab.training.sources import SHARES, pack_all

#: The tokenizer that ships is the one the text tower starts with.
TOKENIZER = Path(description.__file__).parent / "weights" / "tokenizer.json"


@dataclass(frozen=True)
class Settings:
    """What a person chooses of a run; ``tiny`` is a model to try things out with."""

    data: Path
    out: Path
    steps: int = 3000
    batch: int = 1024
    drawn: int = 6000
    seed: int = 7
    device: str = "auto"
    start: Path | None = None
    tiny: bool = False

    def chosen_device(self) -> str:
        """The device by name; ``auto`` takes a GPU where there is one."""
        here = torch.cuda.is_available()
        if self.device == "cuda" and not here:
            raise BadInputError("There is no GPU here that torch can use.", "Choose --device cpu.")
        return ("cuda" if here else "cpu") if self.device == "auto" else self.device


def prepare(settings: Settings, on_pack: Callable[[str, int], None]) -> Trainer:
    """Pack the data, build the model, and take up an earlier run's checkpoint where there is one."""
    names = pack_all(settings.data, settings.out / "packs", drawn=settings.drawn, seed=settings.seed, on_pack=on_pack)
    recipe = _recipe(settings, names)
    model = build(recipe)
    if not settings.tiny:
        start_image_tower(model.image, find_file(*IMAGE_FILE, settings.start))
        start_text_tower(model.text, find_file(*TEXT_FILE, settings.start))
    trainer = Trainer(recipe, settings.out / "packs", _tokenizer(), settings.chosen_device(), model)
    if (settings.out / "checkpoint.pt").is_file():
        trainer.resume(settings.out / "checkpoint.pt")
    if settings.chosen_device() == "cuda":
        trainer.compile()
    return trainer


def finish(trainer: Trainer, settings: Settings) -> dict[str, Any]:
    """Export the slow copy and score it on what was held out."""
    scores: dict[str, Any] = {"steps": trainer.step}
    for feed in trainer.feeds:
        name = feed.source.pack
        path = settings.out / "packs" / name
        if name in ("scenes", "products") and any(s.split == "val" for s in Pack(path).samples):
            captions = 1 if name == "products" else 5
            scores[name] = score(trainer.slow, path, trainer.device.type, captions)
    calibration = {"scale": round(float(trainer.slow.scale), 3)}
    name = "visavis-tiny" if settings.tiny else "visavis-builtin"
    ship(trainer.slow, TOKENIZER, settings.out / "ship", name=name, calibration=calibration)
    return scores


def score(model: DualEncoder, pack: Path, device: str, captions: int) -> dict[str, float]:
    """R@K on a pack's held-out pictures."""
    return recall(model, pack, _tokenizer(), device, split="val", captions=captions)


def _recipe(settings: Settings, packs: list[str]) -> Recipe:
    def share(name: str) -> Any:
        full = SHARES[name]
        return replace(full, batch=max(2, full.batch * settings.batch // SHARES["scenes"].batch))

    recipe = Recipe(
        sources=tuple(share(name) for name in SHARES if name in packs),
        steps=settings.steps,
        warmup=min(200, max(1, settings.steps // 10)),
        seed=settings.seed,
    )
    if settings.tiny:
        small = {"width": 48, "heads": 2, "layers": 1, "dimension": 32}
        return replace(recipe, image={**small, "image_size": 56}, text=small, drop_path=0.0, dropout=0.0)
    return recipe


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
