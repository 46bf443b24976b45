"""Train the shipped towers further: on everything that is said of pictures, and on what is there and what is not.

Beside captions against pictures this teaches presence: each thing, pair of things and noun chunk against the best
regions of each picture, with a yes or no. The run fits itself into the seconds it is given, takes up packs of pictures
as they arrive, and goes on from its last checkpoint when it was stopped.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.bert import TextTower, TextTowerShape
from visavis.lab.networks.shipped import fill
from visavis.lab.networks.vit import ImageTower, ImageTowerShape, pool_regions
from visavis.lab.training import feed as feeding
from visavis.lab.training import scene_texts
from visavis.lab.training.library import PHRASE, Library
from visavis.lab.training.objective import contrast, contrast_with_negatives, soft_cross_entropy

#: How a thing is asked for.
THING_WORDS = ("{}", "a {}", "a photo of a {}", "there is a {}", "{}s")
#: The parameters that turn a fit into a yes or no.
_YES_NO = ("bias", "biases", "slopes")


@dataclass(frozen=True)
class Plan:
    """What decides a run, beside the data and the time."""

    scenes: int = 1280
    long: int = 96
    plain: int = 192
    shop: int = 288
    named: int = 288
    phrases: int = 512
    pairs: int = 48
    warmup: int = 200
    hold: int = 150
    seed: int = 7
    image_rate: float = 1.2e-4
    text_rate: float = 1.0e-4
    head_rate: float = 3e-4
    yes_no_rate: float = 3e-3
    hold_rate: float = 2e-2
    layer_decay: float = 0.92
    weight_decay: float = 0.05
    drop_path: float = 0.06
    dropout: float = 0.1
    average: float = 0.9995
    trust: float = 0.3
    shop_weight: float = 0.5
    named_weight: float = 0.3
    negative_weight: float = 0.25
    region_weight: float = 0.25
    presence_weight: float = 0.15
    chunk_weight: float = 0.05
    imitation_weight: float = 0.2

    def smaller(self, share: float) -> Plan:
        """The same with smaller batches, to try it out."""
        sizes = ("scenes", "long", "plain", "shop", "named", "phrases", "pairs")
        return Plan(**{**self.__dict__, **{name: max(4, int(getattr(self, name) * share)) for name in sizes}})


class Towers(nn.Module):
    """The two towers, the temperature, and what turns a fit into a yes or no."""

    def __init__(self, plan: Plan, things: int) -> None:
        super().__init__()
        self.image = ImageTower(ImageTowerShape())
        for block in self.image.blocks:
            block.drop_path = plan.drop_path  # the same for all: a compiled block then serves every layer
        self.text = TextTower(TextTowerShape(dropout=plan.dropout))
        self.log_scale = nn.Parameter(torch.tensor(math.log(30.0)))
        # A yes or no begins near the shares of things and chunks; a worse start pulls all cosines together at once.
        self.slopes = nn.Parameter(torch.tensor([2.3, 1.8]))  # logarithms, of the best regions and of the whole
        self.bias = nn.Parameter(torch.tensor(-5.5))
        self.biases = nn.Parameter(torch.full((things,), 2.0))

    @property
    def scale(self) -> Tensor:
        """What cosines are multiplied with."""
        return self.log_scale.exp().clamp(max=100)

    def presence(self, regions: Tensor, whole: Tensor, phrases: Tensor) -> Tensor:
        """Logits of "this phrase is in this picture", each phrase measured against its mean over the pictures."""
        near, far = self.slopes.exp().unbind()
        best, all_over = best_regions(regions, phrases), whole @ phrases.T
        best, all_over = best - best.mean(dim=0).detach(), all_over - all_over.mean(dim=0).detach()
        return near * best + far * all_over + self.bias


def best_regions(regions: Tensor, phrases: Tensor) -> Tensor:
    """The mean of each picture's three best regions for each phrase, ``[pictures, phrases]``."""
    similar = torch.einsum("nrd,md->nmr", regions, phrases)
    return similar.topk(3, dim=-1).values.float().mean(dim=-1)


class FurtherTraining:
    """One run."""

    def __init__(self, work: Path, plan: Plan, device: str, *, room: int) -> None:
        torch.manual_seed(plan.seed)
        self.work, self.plan, self.device = work, plan, torch.device(device)
        tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        texts = scene_texts.read(work / "texts.json.gz")
        self.library = Library(work / "packs", texts, tokenizer, device, 168, room)
        self.model = Towers(plan, len(self.library.classes))
        start = torch.load(work / "start.pt", weights_only=True)
        fill(self.model.image, start["image"])
        fill(self.model.text, start["text"])
        self.model.text.words.requires_grad_(False)
        self.model.to(self.device)
        self.slow = copy.deepcopy(self.model).requires_grad_(False).eval()
        self._fast = [p for p in self.model.parameters() if p.requires_grad]
        self._slow = [
            p
            for (_, p), q in zip(self.slow.named_parameters(), self.model.parameters(), strict=True)
            if q.requires_grad
        ]
        self.optimiser = torch.optim.AdamW(self._groups(), betas=(0.9, 0.98), eps=1e-6, fused=device == "cuda")
        self.step, self.spent, self.progress = 0, 0.0, 0.0
        self._phrases()

    def _phrases(self) -> None:
        """The things by their names in several wordings, and all pairs of them."""
        tokens, names = self.library.texts.tokens, self.library.classes
        worded = [form.format(name) for name in names for form in THING_WORDS]
        self.things = tokens(worded, PHRASE).view(len(names), len(THING_WORDS), PHRASE)
        both = [f"a {one} and a {other}" for one in names for other in names]
        self.both = tokens(both, PHRASE).view(len(names), len(names), PHRASE)

    def _groups(self) -> list[dict[str, Any]]:
        """Parameters by learning rate: the first layers hold what the start weights know."""
        plan, layers = self.plan, self.model.image.shape.layers
        groups: dict[tuple[float, float], list[nn.Parameter]] = {}
        for name, parameter in self.model.named_parameters():
            if not parameter.requires_grad:
                continue
            rate = plan.head_rate
            if name.startswith("image.") and "head" not in name:
                layer = int(name.split(".")[2]) if ".blocks." in name else layers if ".norm." in name else -1
                rate = plan.image_rate * plan.layer_decay ** (layers - layer)
            elif name.startswith("text.") and "head" not in name:
                rate = plan.text_rate
            elif name in _YES_NO:
                rate = plan.yes_no_rate
            decay = plan.weight_decay if parameter.ndim > 1 and "position" not in name else 0.0
            groups.setdefault((rate, decay), []).append(parameter)
        return [
            {"params": some, "lr": rate, "base": rate, "weight_decay": decay} for (rate, decay), some in groups.items()
        ]

    @property
    def holding(self) -> bool:
        """Whether only what turns a fit into a yes or no learns from yes and no, not the towers."""
        return self.step < self.plan.hold

    def compile(self) -> None:
        """Compile one layer of each tower (all share it)."""
        import torch._dynamo

        for limit in ("cache_size_limit", "recompile_limit"):
            if hasattr(torch._dynamo.config, limit):
                setattr(torch._dynamo.config, limit, 64)
        torch._dynamo.config.suppress_errors = True  # what cannot be compiled runs as it is
        for towers in (self.model, self.slow):
            for layer in (*towers.image.blocks, *towers.text.layers):
                layer.compile(dynamic=False)

    def rate(self) -> float:
        """The factor on every learning rate: a rise over the first steps, and half a cosine over the whole run."""
        rise = min(1.0, (self.step + 1) / self.plan.warmup)
        return rise * (0.5 * (1 + math.cos(math.pi * min(1.0, self.progress))) + 1e-3)

    def train_step(self) -> dict[str, Tensor]:
        """One step; returns the losses on the device."""
        for group in self.optimiser.param_groups:
            group["lr"] = group["base"] * self.rate()
            if self.holding and group["base"] == self.plan.yes_no_rate:
                group["lr"] = self.plan.hold_rate
        self.model.train()
        losses = self._losses()
        total = torch.stack([*losses.values()]).sum()
        total.backward()
        nn.utils.clip_grad_norm_(self._fast, 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        keep = min(self.plan.average, 1 - 1 / (2 + self.step / 4))
        torch._foreach_mul_(self._slow, keep)
        torch._foreach_add_(self._slow, [p.detach() for p in self._fast], alpha=1 - keep)
        self.step += 1
        return {name: loss.detach() for name, loss in losses.items()}

    def _losses(self) -> dict[str, Tensor]:
        plan, library = self.plan, self.library
        sizes = {name: getattr(plan, name) for name in ("plain", "shop", "named") if len(library.pools[name])}
        long = plan.long if len(library.pools["long"]) else 0
        scenes = torch.cat([library.draw("long", long), library.draw("scenes", plan.scenes - long)])
        drawn = {name: library.draw(name, size) for name, size in sizes.items()}
        first, second = library.text_of(scenes), library.text_of(scenes)
        wrong = library.one_of(library.wrong, first)
        denied = library.one_of(library.denied, scenes)
        use = (denied >= 0) & ((wrong < 0) | (torch.rand(len(wrong), device=self.device) < 0.5))
        wrong = torch.where(use, denied, wrong)
        own = {name: library.text_of(drawn[name]) for name in ("shop", "named") if name in drawn}
        sided = library.texts.sided
        turned = sided[first] | sided[second] | sided[wrong.clamp(min=0)]
        pictures = torch.cat([scenes, *drawn.values()])
        still = F.pad(turned, (0, len(pictures) - len(turned)))
        pixels = library.pixels[pictures]
        whole, patches = self._see(feeding.augment(pixels, 168, sided=still), self.model)
        parts = dict(zip(("scenes", *drawn), whole.split([len(scenes), *map(len, drawn.values())]), strict=True))
        with_objects = len(scenes) + sizes.get("plain", 0)  # these come first
        regions = pool_regions(patches[:with_objects])

        vectors = self._read(library.texts.rows[torch.cat([first, second, wrong.clamp(min=0), *own.values()])])
        n = len(scenes)
        captions, negative, rest = vectors[: 2 * n], vectors[2 * n : 3 * n], vectors[3 * n :]
        long_rows = library.long_rows[library.long_of[scenes[:long]]]
        if long:
            captions = torch.cat([captions, self._read(long_rows)])
        chunk = library.one_of(library.chunks, first[: plan.phrases])
        chunk_rows = self._at_least_one(library.chunk_rows[chunk.clamp(min=0)])
        asked, there = self._asked(pictures[:with_objects])
        phrases = self._read(torch.cat([asked, chunk_rows]))

        positive = library.fits(scenes, torch.cat([first, second]))
        if long:
            mine = torch.arange(n, device=self.device)[:, None] == torch.arange(long, device=self.device)[None, :]
            positive = torch.cat([positive, mine], dim=1)
        teacher = self._teach(pixels[:with_objects], torch.cat([first, second]), long_rows, chunk_rows)
        logits = self.model.scale * parts["scenes"] @ captions.T
        losses = {"captions": contrast(logits, positive, teacher["captions"], plan.trust)}
        hard = self.model.scale * (parts["scenes"] * negative).sum(dim=-1)
        losses["negatives"] = plan.negative_weight * contrast_with_negatives(logits, positive, hard, wrong >= 0)
        losses["presence"] = plan.presence_weight * self._presence(
            regions, torch.cat([parts["scenes"], parts["plain"]]) if "plain" in parts else parts["scenes"],
            phrases[: len(asked)], there, self._known(pictures[:with_objects]),
        )  # fmt: skip
        m = len(chunk)
        region, yes_no = self._chunks(
            regions[:m], parts["scenes"][:m], phrases[len(asked) :], chunk, scenes[:m], teacher
        )
        losses["regions"], losses["chunks"] = plan.region_weight * region, plan.chunk_weight * yes_no
        if "plain" in parts:
            target = teacher["plain"].softmax(dim=-1)
            imitated = soft_cross_entropy(self.model.scale * parts["plain"] @ captions.detach().T, target)
            losses["plain"] = plan.imitation_weight * imitated
        at = 0
        for name, weight in (("shop", plan.shop_weight), ("named", plan.named_weight)):
            if name in own:
                said = rest[at : at + len(own[name])]
                at += len(said)
                fit = self.model.scale * parts[name] @ said.T
                losses[name] = weight * contrast(fit, library.fits(drawn[name], own[name]))
        return losses

    def _half(self) -> torch.autocast:
        """Half precision, for the towers alone: cosines are compared in full."""
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda")

    def _see(self, pixels: Tensor, towers: Towers) -> tuple[Tensor, Tensor]:
        with self._half():
            whole, patches = towers.image(pixels)
        return whole.float(), patches.float()

    def _read(self, rows: Tensor, towers: Towers | None = None) -> Tensor:
        with self._half():
            vectors: Tensor = (towers or self.model).text(rows.long(), (rows > 0).long())
        return vectors.float()

    @staticmethod
    def _at_least_one(rows: Tensor) -> Tensor:
        rows = rows.clone()
        rows[:, 0] = rows[:, 0].clamp(min=1)
        return rows

    def _asked(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Phrases to ask all pictures for: every thing, and pairs that stand together somewhere; and who has them."""
        objects = self.library.objects[pictures]
        forms = torch.randint(self.things.shape[1], (len(self.things),), device=self.device)
        things = self.things[torch.arange(len(self.things), device=self.device), forms]
        some = objects[torch.randint(len(objects), (self.plan.pairs,), device=self.device)]
        pair = (some + torch.rand(some.shape, device=self.device)).topk(2, dim=1).indices
        pairs = self.both[pair[:, 0], pair[:, 1]]
        there = torch.cat([objects, objects[:, pair[:, 0]] & objects[:, pair[:, 1]]], dim=1)
        return torch.cat([things, pairs]), there

    def _known(self, pictures: Tensor) -> Tensor:
        """Pictures whose things were listed."""
        return self.library.objects[pictures].any(dim=1)

    def _logits(self, regions: Tensor, whole: Tensor, phrases: Tensor) -> Tensor:
        if self.holding:
            regions, whole, phrases = regions.detach(), whole.detach(), phrases.detach()
        return self.model.presence(regions, whole, phrases)

    def _presence(self, regions: Tensor, whole: Tensor, phrases: Tensor, there: Tensor, known: Tensor) -> Tensor:
        logits = self._logits(regions, whole, phrases)
        biases = F.pad(self.model.biases, (0, len(phrases) - len(self.model.biases)))
        loss = F.binary_cross_entropy_with_logits(logits + biases, there.float(), reduction="none")
        return (loss * known[:, None]).sum() / (there & known[:, None]).sum().clamp(min=1)

    def _chunks(
        self,
        regions: Tensor,
        whole: Tensor,
        phrases: Tensor,
        chunk: Tensor,
        pictures: Tensor,
        teacher: dict[str, Tensor],
    ) -> tuple[Tensor, Tensor]:
        """Noun chunks against regions: which picture it is of, and whether it is there."""
        m = len(chunk)
        valid = (chunk >= 0).float()
        own = torch.eye(m, dtype=torch.bool, device=self.device)
        taught = best_regions(teacher["regions"][:m], teacher["chunks"])
        likely = taught > 0.9 * taught.diagonal()[None, :]  # the slow copy sees it there, too
        unsure = (self.library.contained(pictures, chunk.clamp(min=0)) | likely) & ~own
        fit = (self.model.scale * best_regions(regions, phrases)).masked_fill(unsure, -1e4)
        target = torch.arange(m, device=self.device)
        ranked = F.cross_entropy(fit.T, target, reduction="none") + F.cross_entropy(fit, target, reduction="none")
        logits = self._logits(regions, whole, phrases)
        yes_no = F.binary_cross_entropy_with_logits(logits, own.float(), reduction="none").masked_fill(unsure, 0)
        count = valid.sum().clamp(min=1)
        return (ranked * valid).sum() / (2 * count), (yes_no * valid[None, :]).sum() / count

    @torch.no_grad()
    def _teach(self, pixels: Tensor, texts: Tensor, long_rows: Tensor, chunk_rows: Tensor) -> dict[str, Tensor]:
        """What the slow copy, which sees whole pictures, thinks."""
        whole, patches = self._see(feeding.resize(pixels, 168), self.slow)
        captions = self._read(self.library.texts.rows[texts], self.slow)
        if len(long_rows):
            captions = torch.cat([captions, self._read(long_rows, self.slow)])
        logits = self.slow.scale * whole @ captions.T
        n = self.plan.scenes
        return {
            "captions": logits[:n],
            "plain": logits[n:],
            "regions": pool_regions(patches[: self.plan.phrases]),
            "chunks": self._read(chunk_rows, self.slow),
        }

    def save(self) -> None:
        """A checkpoint to go on from, written whole or not at all."""
        state = {
            "step": self.step,
            "spent": self.spent,
            "model": self.model.state_dict(),
            "slow": self.slow.state_dict(),
            "optimiser": self.optimiser.state_dict(),
        }
        torch.save(state, self.work / "checkpoint.part")
        (self.work / "checkpoint.part").replace(self.work / "checkpoint.pt")

    def resume(self) -> bool:
        """Go on from the last checkpoint, where there is one."""
        if not (self.work / "checkpoint.pt").is_file():
            return False
        state = torch.load(self.work / "checkpoint.pt", map_location=self.device, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.slow.load_state_dict(state["slow"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.spent = state["step"], state["spent"]
        return True

    def write_pieces(self, size: int = 15 * 2**20) -> None:
        """The slow copy in half precision, without the word table, in files small enough to be moved."""
        state = {k: v.half().cpu() for k, v in self.slow.state_dict().items() if not k.startswith("text.words")}
        torch.save(state, self.work / "slow.pt")
        data = (self.work / "slow.pt").read_bytes()
        folder = self.work / "pieces"
        folder.mkdir(exist_ok=True)
        for number, at in enumerate(range(0, len(data), size)):
            (folder / f"slow.pt.{number}").write_bytes(data[at : at + size])

    def run(
        self, *, seconds: float, steps: int | None, stop_after: float, every: float, check: float, least: int
    ) -> None:
        """Train until the time is used up; ``seconds`` may be changed on the way by a file of that name."""
        began = saved = checked = time.monotonic()
        while not self._ready(least):
            if time.monotonic() - began > 900:
                raise TimeoutError("Too few pictures with captions have come.")
            time.sleep(1)
        base, begin = self.spent, time.monotonic()
        last, last_step = begin, self.step
        with (self.work / "log.jsonl").open("a", encoding="utf-8") as log:
            if self.step == 0:
                self._report(log)
            while True:
                if self.step % 20 == 0:
                    self._arrivals()
                    if (self.work / "seconds").is_file():
                        seconds = float((self.work / "seconds").read_text())
                self.spent = base + time.monotonic() - begin
                self.progress = self.step / steps if steps else self.spent / seconds
                if self.progress >= 1 or time.monotonic() - began > stop_after:
                    break
                losses = self.train_step()
                now = time.monotonic()
                if self.step % 50 == 0 or self.step in (1, 10):
                    row = {name: round(float(loss), 4) for name, loss in losses.items()}
                    now = time.monotonic()
                    head = {
                        "step": self.step,
                        "spent": round(self.spent, 1),
                        "progress": round(self.progress, 4),
                        "steps/s": round((self.step - last_step) / max(now - last, 1e-9), 2),
                        "pictures": self.library.count,
                        "scale": round(float(self.model.scale.detach()), 2),
                    }
                    print(json.dumps(head | row), flush=True)
                    log.write(json.dumps(head | row) + "\n")
                    log.flush()
                    last, last_step = now, self.step
                if now - saved > every:
                    self.save()
                    self.write_pieces()
                    saved = time.monotonic()
                if now - checked > check:
                    self._report(log)
                    checked = time.monotonic()
            self.save()
            self.write_pieces()
            self._report(log)
        if self.progress >= 1:
            (self.work / "done").write_text(f"{self.step}\n")

    def _ready(self, least: int) -> bool:
        self._arrivals()
        pools = self.library.pools
        return bool(pools) and len(pools["scenes"]) >= least

    def _arrivals(self) -> None:
        for name in self.library.look():
            print(f"pack {name}: {self.library.count} pictures", flush=True)

    def _report(self, log: Any) -> None:
        from visavis.lab.training.checks import check

        started = time.monotonic()
        rows = {"step": self.step, "slow": check(self.slow, self.library, self.device)}
        if self.progress >= 1:
            rows["last"] = check(self.model, self.library, self.device)
        rows["check_seconds"] = round(time.monotonic() - started, 1)
        print(json.dumps(rows), flush=True)
        log.write(json.dumps(rows) + "\n")


def main() -> None:
    """Run from a folder with ``start.pt``, ``texts.json.gz``, ``tokenizer.json`` and ``packs/``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--seconds", type=float, default=1200, help="training time of the whole run")
    parser.add_argument("--steps", type=int, help="a fixed number of steps instead")
    parser.add_argument("--stop-after", type=float, default=1e9, help="end this process after so many seconds")
    parser.add_argument("--every", type=float, default=150, help="seconds between checkpoints")
    parser.add_argument("--check", type=float, default=300, help="seconds between checks")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--room", type=int, default=235_000, help="pictures at most")
    parser.add_argument("--least", type=int, default=20_000, help="pictures with captions to wait for")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual batch sizes")
    parser.add_argument("--no-compile", action="store_true")
    given = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    plan = Plan() if given.share == 1 else Plan().smaller(given.share)
    run = FurtherTraining(given.work, plan, given.device, room=given.room)
    print(f"ready; went on from a checkpoint: {run.resume()}", flush=True)
    if given.device == "cuda" and not given.no_compile:
        run.compile()
    run.run(
        seconds=given.seconds,
        steps=given.steps,
        stop_after=given.stop_after,
        every=given.every,
        check=given.check,
        least=given.least,
    )


if __name__ == "__main__":
    main()
