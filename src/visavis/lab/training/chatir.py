"""Trains ChatIR's retriever: dialogues made of COCO's texts, the vector of the picture as the target."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from visavis.encoders.builtin import BuiltinEncoder
from visavis.encoders.description import TOKENIZER
from visavis.errors import BadInputError
from visavis.lab.datasets.scene_dialogues import Masking, Scene, dialogue_of_scene, masked, read_scenes
from visavis.lab.networks.bert import TextTower
from visavis.lab.networks.chatir import DialogEncoder, DialogHead, HeadShape, info_nce, recall_surrogate
from visavis.lab.networks.shipped import fill, read_shipped
from visavis.lab.training.epochs import EpochRun, Report, chosen_device, seed_everything
from visavis.search.learned.dialog_text import MOST_TOKENS, Dialog, joined, shortened
from visavis.types import FloatArray

Loss = Literal["recall", "nce", "both"]
#: The networks by their names on the command line.
PARTS = ("head", "all")


@dataclass(frozen=True)
class ChatirSettings:
    """What a person chooses of a run.

    Attributes:
        data: The folder with captions.jsonl and perhaps more.jsonl.
        vectors: What ``visavis bench embed`` wrote for it.
        out: Where checkpoints, the log and the exported files go.
        part: What is trained: the head alone, or the tower as well (needs a GPU).
        masking: What is hidden of the dialogues in training.
        loss: The Recall@K surrogate, InfoNCE, or their sum.
        captions_only: The baseline: the same network fine-tuned on captions alone.
        rank: The rank of the residual on pictures' vectors; 0 for none.
        inner: The width of the head.
        variants: Dialogues of each picture; later epochs repeat them, so that a frozen tower reads each once.
        rounds: Rounds of a dialogue at most.
        epochs: Epochs at most.
        batch: Dialogues of a step.
        limit: Pictures to train on at most; all unless told.
        rate: The first learning rate; it decays by 0.93 an epoch.
        patience: Epochs without improvement before it ends.
        seconds: How long it may take.
        seed: Draws everything.
        device: cuda, cpu or auto.
    """

    data: Path
    vectors: Path
    out: Path
    part: str = "head"
    masking: Masking = "caption"
    loss: Loss = "both"
    captions_only: bool = False
    rank: int = 0
    inner: int = 192
    variants: int = 4
    rounds: int = 10
    epochs: int = 36
    batch: int = 512
    limit: int | None = None
    rate: float = 5e-5
    patience: int = 5
    seconds: float = float("inf")
    seed: int = 0
    device: str = "auto"


Read = tuple[Tensor, Tensor, Tensor]


class DialogTower:
    """Reads dialogues, shortened by whole rounds: the tower's vectors, its token vectors and their mask.

    A frozen tower is the one that ships, in int8: what it reads is what the product reads, and it is remembered.
    """

    def __init__(self, encoder: BuiltinEncoder, model: DialogEncoder, most: int = MOST_TOKENS) -> None:
        self._encoder = encoder
        self._model = model
        self._most = most
        self._known: dict[str, tuple[NDArray[np.float16], FloatArray]] = {}
        self._tokenizer = Tokenizer.from_file(str(encoder.description.file(TOKENIZER)))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(most)

    def __call__(self, dialogs: Sequence[Dialog]) -> Read:
        """Vectors ``[n, d]``, token vectors ``[n, l, w]`` and their mask ``[n, l]``."""
        texts = [joined(shortened(dialog, self._encoder.count_tokens, self._most)[0]) for dialog in dialogs]
        device = self._model.head.narrow.weight.device
        read = self._remembered(texts) if self._model.frozen else self._trained(texts)
        whole, tokens, mask = (part.to(device) for part in read)
        return whole, tokens, mask

    def _remembered(self, texts: Sequence[str]) -> Read:
        for text in texts:
            if text not in self._known:
                whole, tokens = self._encoder.encode_long(text, self._most)
                self._known[text] = tokens.astype(np.float16), whole
        found = [self._known[text] for text in texts]
        longest = max(len(tokens) for tokens, _ in found)
        padded = np.zeros((len(found), longest, found[0][0].shape[1]), np.float32)
        mask = np.zeros((len(found), longest), np.float32)
        for row, (read, _) in enumerate(found):
            padded[row, : len(read)], mask[row, : len(read)] = read, 1.0
        return (
            torch.from_numpy(np.stack([whole for _, whole in found])),
            torch.from_numpy(padded),
            torch.from_numpy(mask),
        )

    def _trained(self, texts: Sequence[str]) -> Read:
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        longest = max(map(len, rows))
        device = self._model.head.narrow.weight.device
        ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows], device=device)
        mask = torch.tensor([[1.0] * len(row) + [0.0] * (longest - len(row)) for row in rows], device=device)
        whole, tokens = self._model.read(ids, mask)
        return whole, tokens, mask


def shipped_encoder(encoder: BuiltinEncoder, settings: ChatirSettings) -> DialogEncoder:
    """The dialog encoder to begin with: the text tower that ships, and a head that changes nothing yet."""
    tower = TextTower()
    fill(tower, read_shipped(encoder.description.folder)["text"])
    head = DialogHead(HeadShape(inner=settings.inner, rank=settings.rank))
    return DialogEncoder(tower, head, frozen=settings.part == "head")


@dataclass(frozen=True)
class Pictures:
    """Scenes and the vectors of their pictures ``[n, d]``."""

    scenes: tuple[Scene, ...]
    whole: Tensor
    classes: tuple[str, ...]

    def dialogs(self, places: Sequence[int], variant: int, settings: ChatirSettings) -> list[Dialog]:
        """A dialogue for each, cut at a random round and masked; captions alone for the baseline."""
        made = []
        for place in places:
            draw = random.Random(f"{settings.seed}-{place}-{variant}")
            dialog = dialogue_of_scene(self.scenes[place], self.classes, draw, settings.rounds)
            dialog = dialog.first(0 if settings.captions_only else draw.randint(0, len(dialog.rounds)))
            made.append(masked(dialog, settings.masking, draw))
        return made


def read_pictures(settings: ChatirSettings) -> tuple[Pictures, Pictures]:
    """Pictures to train on, and those of Karpathy's val to validate on."""
    ids = {str(id): place for place, id in enumerate(np.load(settings.vectors / "ids.npy"))}
    whole = np.load(settings.vectors / "whole.npy", mmap_mode="r")
    scenes = [one for one in read_scenes(settings.data) if one.id in ids and one.captions and one.split != "test"]
    classes = tuple(sorted({name for one in scenes for name in one.objects}))
    train = [one for one in scenes if one.split != "val"][: settings.limit]
    held = [one for one in scenes if one.split == "val"][: max(50, min(500, len(train) // 4))]
    if not train or not held:
        raise BadInputError("There is nothing to train or to validate on.", "captions.jsonl needs train and val.")
    made = []
    for part in (train, held):
        rows = np.asarray(whole[[ids[one.id] for one in part]], np.float32)
        made.append(Pictures(tuple(part), torch.from_numpy(rows), classes))
    return made[0], made[1]


def loss_of(scores: Tensor, kind: Loss) -> Tensor:
    """The loss of scores whose diagonal is right."""
    if kind == "both":
        return recall_surrogate(scores) + info_nce(scores)
    return recall_surrogate(scores) if kind == "recall" else info_nce(scores)


@torch.no_grad()
def target_ranks(
    model: DialogEncoder, tower: DialogTower, dialogs: Sequence[Dialog], whole: Tensor, batch: int = 64
) -> Tensor:
    """The rank of each dialogue's own picture, counted from one, among all."""
    ranks = []
    for start in range(0, len(dialogs), batch):
        scores = _scores(model, tower(dialogs[start : start + batch]), whole)
        own = scores[torch.arange(len(scores)), torch.arange(start, start + len(scores))]
        ranks.append(1 + (scores > own[:, None]).sum(dim=1).cpu())
    return torch.cat(ranks)


def _scores(model: DialogEncoder, read: Read, pictures: Tensor) -> Tensor:
    vector, tokens, mask = read
    pictures = pictures.to(vector.device)
    query = model.head(tokens, mask, vector)
    if not model.head.shape.rank:
        return query @ pictures.T
    return model.head.scores(model.head.pooled(tokens, mask), query, pictures)


def run(settings: ChatirSettings, encoder: BuiltinEncoder, report: Report = str) -> dict[str, Any]:
    """Train, or go on where a run was stopped; export; return Hits@10 and mean rank by round on validation."""
    seed_everything(settings.seed)
    train, held = read_pictures(settings)
    device = chosen_device(settings.device)
    model = shipped_encoder(encoder, settings).to(device)
    tower = DialogTower(encoder, model)
    trained = model.head if model.frozen else model
    optimiser = torch.optim.AdamW(trained.parameters(), settings.rate)
    running = EpochRun(trained, optimiser, settings.out, settings.patience, settings.seconds, report)
    running.resume()
    told = random.Random(f"held-{settings.seed}")
    asked = [dialogue_of_scene(scene, held.classes, told, settings.rounds) for scene in held.scenes]

    def epoch(number: int) -> dict[str, float]:
        for group in optimiser.param_groups:
            group["lr"] = max(settings.rate * 0.93**number, 1e-6)
        draw = random.Random(f"{settings.seed}-{number}")
        order = draw.sample(range(len(train.scenes)), len(train.scenes))
        total, steps = 0.0, 0
        for start in range(0, len(order), settings.batch):
            chosen = order[start : start + settings.batch]
            if len(chosen) < 2:
                continue
            read = tower(train.dialogs(chosen, number % settings.variants, settings))
            loss = loss_of(_scores(model, read, train.whole[chosen]), settings.loss)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total, steps = total + float(loss.detach()), steps + 1
        return {"loss": total / max(steps, 1)}

    def score() -> float:
        ranks = torch.stack([target_ranks(model, tower, _after(asked, n), held.whole) for n in (0, settings.rounds)])
        return float((1 / ranks.float()).mean())

    figures: dict[str, Any] = {"pictures": len(train.scenes), "validated": len(held.scenes)}
    figures["settings"] = {k: str(v) if isinstance(v, Path) else v for k, v in asdict(settings).items()}
    figures["before"] = _figures(model, tower, asked, held.whole, settings.rounds)
    running.run(settings.epochs, epoch, score)
    figures["after"] = _figures(model, tower, asked, held.whole, settings.rounds)
    figures["parameters"] = sum(parameter.numel() for parameter in model.head.parameters())
    if settings.part == "head" and not settings.rank:
        from visavis.lab.training.retriever_export import export_chatir

        kept = {key: figures[key] for key in ("pictures", "validated", "before", "after")}
        export_chatir(model.head, encoder.fingerprint, settings.out / "ship", kept)
    (settings.out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return figures


def _after(dialogs: Sequence[Dialog], rounds: int) -> list[Dialog]:
    return [dialog.first(rounds) for dialog in dialogs]


def _figures(
    model: DialogEncoder, tower: DialogTower, dialogs: Sequence[Dialog], whole: Tensor, rounds: int
) -> dict[str, list[float]]:
    """R@10, Hits@10 (found by then) and average target rank after 0, half and all rounds."""
    model.eval()
    steps = sorted({0, rounds // 2, rounds})
    ranks = torch.stack([target_ranks(model, tower, _after(dialogs, step), whole) for step in steps])
    hits = (ranks <= 10).float()
    return {
        "rounds": [float(step) for step in steps],
        "R@10": [round(100 * float(row.mean()), 1) for row in hits],
        "Hits@10": [round(100 * float(row.mean()), 1) for row in hits.cummax(dim=0).values],
        "mean rank": [round(float(row.float().mean()), 1) for row in ranks],
    }
