"""The towers of a further training, its plan, and the losses of one step: captions, presence, regions, imitation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.towers import ImageTower, ImageTowerShape, TextTower, TextTowerShape, pool_regions
from visavis.lab.training import feed as feeding
from visavis.lab.training.encoder import contrast, contrast_with_negatives, soft_cross_entropy
from visavis.lab.training.library import PHRASE, Elder, Library
from visavis.lab.training.tower_optimiser import TowerRates

#: How a thing is asked for.
THING_WORDS = ("{}", "a {}", "a photo of a {}", "there is a {}", "{}s")


@dataclass(frozen=True, kw_only=True)
class FurtherPlan(TowerRates):
    """What decides a run, beside the data and the time."""

    scenes: int = 1280
    long: int = 96
    plain: int = 192
    shop: int = 288
    named: int = 288
    phrases: int = 512
    pairs: int = 48
    hold: int = 150
    image_rate: float = 1.2e-4
    text_rate: float = 1.0e-4
    head_rate: float = 3e-4
    yes_no_rate: float = 3e-3
    hold_rate: float = 2e-2
    drop_path: float = 0.06
    shop_weight: float = 0.5
    #: How much the slow copy has to say about which titles fit a product, since many products share a title's words.
    shop_trust: float = 0.0
    named_weight: float = 0.3
    negative_weight: float = 0.25
    region_weight: float = 0.25
    presence_weight: float = 0.15
    chunk_weight: float = 0.05
    imitation_weight: float = 0.2
    #: Names that no picture of the batch need have, beside those of the batch.
    vocabulary: int = 0
    #: How much an earlier encoder has to say about which names fit a picture, where there is one.
    elder_trust: float = 0.0
    scale: float = 30.0
    #: Whether the picture tower learns with the rounding of int8.
    int8: bool = False

    @classmethod
    def broad(cls) -> FurtherPlan:
        """What keeps scenes as they are and gives names of single things and titles of products a larger share."""
        return cls(
            scenes=896, long=64, plain=96, shop=704, named=704, phrases=384, pairs=32, vocabulary=512,
            warmup=100, hold=100, image_rate=7e-5, text_rate=6e-5, head_rate=2e-4, scale=39.8,
            shop_weight=1.1, shop_trust=0.3, named_weight=0.5, negative_weight=0.2, region_weight=0.2,
            presence_weight=0.12, chunk_weight=0.04, imitation_weight=0.15, elder_trust=0.75, int8=True,
        )  # fmt: skip

    def smaller(self, share: float) -> FurtherPlan:
        """The same with smaller batches, to try it out."""
        sizes = ("scenes", "long", "plain", "shop", "named", "phrases", "pairs", "vocabulary")
        return FurtherPlan(
            **{
                **self.__dict__,
                **{name: max(4, int(getattr(self, name) * share)) for name in sizes if getattr(self, name)},
            }
        )


class Towers(nn.Module):
    """The two towers, the temperature, and what turns a fit into a yes or no."""

    def __init__(self, plan: FurtherPlan, things: int) -> None:
        super().__init__()
        self.image = ImageTower(ImageTowerShape())
        for block in self.image.blocks:
            block.drop_path = plan.drop_path  # the same for all: a compiled block then serves every layer
        self.text = TextTower(TextTowerShape(dropout=plan.dropout))
        self.log_scale = nn.Parameter(torch.tensor(math.log(plan.scale)))
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


class FurtherLosses:
    """Draws batches from the library and computes their losses."""

    def __init__(
        self,
        model: Towers,
        slow: Towers,
        library: Library,
        plan: FurtherPlan,
        device: torch.device,
        elder: Elder | None = None,
    ) -> None:
        self.model, self.slow, self.library, self.plan, self.device = model, slow, library, plan, device
        self._elder = elder
        self._holding = False
        self._phrases()

    def _phrases(self) -> None:
        """The things by their names in several wordings, and all pairs of them."""
        tokens, names = self.library.texts.tokens, self.library.classes
        worded = [form.format(name) for name in names for form in THING_WORDS]
        self.things = tokens(worded, PHRASE).view(len(names), len(THING_WORDS), PHRASE)
        both = [f"a {one} and a {other}" for one in names for other in names]
        self.both = tokens(both, PHRASE).view(len(names), len(names), PHRASE)

    def __call__(self, *, holding: bool) -> dict[str, Tensor]:
        """Draw a batch and return its losses, weighted as planned.

        Args:
            holding: Whether only what turns a fit into a yes or no learns from yes and no, not the towers.
        """
        self._holding = holding
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
        if "named" in own and plan.vocabulary:
            others = library.names[torch.randint(len(library.names), (plan.vocabulary,), device=self.device)]
            own["named"] = torch.cat([own["named"], others])
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
                teacher_logits, trust = self._name_teacher(name, drawn[name], own[name])
                losses[name] = weight * contrast(fit, library.fits(drawn[name], own[name]), teacher_logits, trust)
        return losses

    @torch.no_grad()
    def _name_teacher(self, name: str, pictures: Tensor, texts: Tensor) -> tuple[Tensor | None, float]:
        """Who else says which names fit: the slow copy for titles of products, an earlier encoder for things."""
        if name == "named":
            return (self._elder.logits(pictures, texts) if self._elder else None), self.plan.elder_trust
        if not self.plan.shop_trust:
            return None, 0.0
        whole, _ = self._see(feeding.resize(self.library.pixels[pictures], 168), self.slow)
        return self.slow.scale * whole @ self._read(self.library.texts.rows[texts], self.slow).T, self.plan.shop_trust

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
        if self._holding:
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
