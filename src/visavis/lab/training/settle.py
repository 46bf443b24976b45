"""After a further training: which weights are kept, the files that ship, and the vectors that later trainings read.

The last weights, their slow mean, the ones that knew names best, and mixtures are compared on what was held out, with
the rounding of int8. The best that keeps what the start could is exported and measured again as it would ship; if it
does not hold there, the next best is tried, and in the end the start stays.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from tokenizers import Tokenizer
from torch import Tensor

from visavis.encoders.builtin import BuiltinEncoder
from visavis.lab.networks.towers import ImageTower, TextTower, fill, pool_regions, read_shipped, write_towers
from visavis.lab.training import feed as feeding
from visavis.lab.training import scene_texts
from visavis.lab.training.checks import check
from visavis.lab.training.export import export_towers_of
from visavis.lab.training.further_losses import FurtherPlan, Towers
from visavis.lab.training.library import Library
from visavis.lab.training.quantise import in_full, round_as_int8

State = dict[str, Tensor]
#: What must be kept: recalls of captions and titles.
FLOORS = {("coco", "R@1"): 41.0, ("coco", "R@10"): 84.0, ("product", "R@10"): 91.1}
#: How much each figure counts where several candidates hold.
WORTH = {
    ("coco", "R@1"): 1.0,
    ("coco", "R@10"): 1.0,
    ("product", "R@10"): 1.0,
    ("held", "top1"): 0.25,
    ("known", "top1"): 0.15,
    ("things", "regions"): 100.0,
}
#: Packs whose pictures are held out begin with this; the names held out are among those of the labels.
VALIDATION = ("cocoval", "productsval", "labels02")


def states(work: Path, start: Path) -> dict[str, State]:
    """The candidates by name, the start among them."""
    packed, image, text = read_shipped(start), ImageTower(), TextTower()
    fill(image, packed["image"])
    fill(text, packed["text"])
    first = {f"image.{k}": v for k, v in image.state_dict().items()}
    first |= {f"text.{k}": v for k, v in text.state_dict().items()}
    found = {"start": first}
    for name in ("slow", "last", "names"):
        if (work / f"{name}.pt").is_file():
            read = torch.load(work / f"{name}.pt", map_location="cpu", weights_only=True)
            found[name] = first | {k: v.float() for k, v in read.items() if k in first}
    if "slow" in found:
        for other, share in (("start", 0.9), ("start", 0.7), ("start", 0.5), ("names", 0.7), ("names", 0.5)):
            if other in found:
                mixed = {k: share * v + (1 - share) * found[other][k] for k, v in found["slow"].items()}
                found[f"slow {share} + {other}"] = mixed
    return found


def holds(figures: dict[str, Any]) -> bool:
    """Whether no floor is broken."""
    return all(figures[part][name] >= least for (part, name), least in FLOORS.items() if part in figures)


def worth(figures: dict[str, Any]) -> float:
    """One number to rank by."""
    return sum(weight * figures[part][name] for (part, name), weight in WORTH.items() if part in figures)


def better(figures: dict[str, Any], than: dict[str, Any]) -> bool:
    """Whether the floors hold, or those of captions do and the sum is greater."""
    captions = all(figures["coco"][name] >= FLOORS["coco", name] for name in ("R@1", "R@10") if "coco" in figures)
    common = [place for place in WORTH if place[0] in figures and place[0] in than]
    gain = sum(WORTH[part, name] * (figures[part][name] - than[part][name]) for part, name in common)
    return holds(figures) or (captions and gain > 0)


class Settling:
    """One choice."""

    def __init__(self, work: Path, start: Path, out: Path, device: str, threads: int) -> None:
        self.work, self.start, self.out, self.device, self.threads = work, start, out, torch.device(device), threads
        self.out.mkdir(parents=True, exist_ok=True)
        texts = scene_texts.read(work / "texts.json.gz")
        self.held = texts["held"]
        tokenizer = Tokenizer.from_file(str(start / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        held = work / "held"
        held.mkdir(exist_ok=True)
        count = 0
        for rows in sorted((work / "packs").glob("*.jsonl")):
            if rows.stem.startswith(VALIDATION):
                for file in (rows, rows.with_suffix(".npy")):
                    link = held / file.name
                    if not link.exists():
                        link.symlink_to(file.resolve())
                count += len(rows.read_text(encoding="utf-8").splitlines())
        self.library = Library(held, texts | {"said": {}, "wrong": {}}, tokenizer, device, 168, count)
        self.library.look()
        self.towers = Towers(FurtherPlan(), len(self.library.classes)).to(self.device).eval()
        self.figures: dict[str, Any] = {}

    def load(self, state: State) -> None:
        """Put weights into the towers."""
        for part in ("image", "text"):
            tower = getattr(self.towers, part)
            tower.load_state_dict({k.removeprefix(f"{part}."): v for k, v in state.items() if k.startswith(part)})

    def compare(self, candidates: dict[str, State]) -> list[str]:
        """Figures of all candidates, rounded; returns the names of those worth exporting, best first."""
        round_as_int8(self.towers.image)
        for name, state in candidates.items():
            self.load(state)
            self.figures[name] = check(self.towers, self.library, self.device)
            self._say(name, self.figures[name])
        in_full(self.towers.image)
        start = self.figures["start"]
        good = [name for name in candidates if name != "start" and better(self.figures[name], start)]
        return sorted(good, key=lambda name: (holds(self.figures[name]), worth(self.figures[name])), reverse=True)

    def settle(self, candidates: dict[str, State], tries: int) -> str:
        """Export the best until one holds as it would ship; its folder becomes ``towers``."""
        folder = self.out / "towers"
        chosen, order = "start", self.compare(candidates)
        shipped = self.figures.get("start int8") or self.figures["start"]
        shutil.rmtree(folder, ignore_errors=True)
        for number, name in enumerate(order[:tries]):
            self.load(candidates[name])
            made = self.out / f"try{number}"
            export_towers_of(self.towers.image, self.towers.text, self.start, made, "visavis-builtin-3")
            self.figures[f"{name} int8"] = found = self.measure(made)
            self._say(f"{name} int8", found)
            if better(found, {part: shipped[part] for part in found if part in shipped}):
                chosen = name
                shutil.copytree(made, folder)
                break
        if chosen == "start":
            shutil.copytree(self.start, folder)
        self.load(candidates[chosen])
        write_towers(folder / "towers.pt", self.towers.image, self.towers.text)
        for left in folder.glob("*.fp32.onnx"):
            left.unlink()
        self.figures["chosen"] = chosen
        (self.out / "figures.json").write_text(json.dumps(self.figures, indent=1), encoding="utf-8")
        return chosen

    def measure(self, folder: Path) -> dict[str, Any]:
        """Recalls of the exported files on the held-out pictures, by the code that ships."""
        encoder = BuiltinEncoder(folder, threads=self.threads)
        found: dict[str, Any] = {}
        for name, captions in (("coco", 5), ("product", 1)):
            keys = [key for key in self.held if key.startswith(f"{name}:") and key in self.library.validation]
            if not keys:
                continue
            numbers = torch.tensor([self.library.validation[key] for key in keys], device=self.device)
            pixels = self.library.pixels[numbers].permute(0, 2, 3, 1).cpu().numpy()
            gallery = encoder.encode_images([Image.fromarray(picture) for picture in pixels])
            asked = [
                (i, t) for i, k in enumerate(keys) if len(self.held[k]) >= captions for t in self.held[k][:captions]
            ]
            scores = encoder.encode_texts([text for _, text in asked]) @ gallery.T
            own = scores[np.arange(len(asked)), [place for place, _ in asked]]
            ranks = (scores > own[:, None]).sum(axis=1)
            found[name] = {f"R@{k}": round(100 * float((ranks < k).mean()), 2) for k in (1, 5, 10)}
        return found

    @torch.no_grad()
    def vectors(self, kind: str, prefix: str, splits: tuple[str, ...] = ("train", "val")) -> int:
        """Write the vectors of all packed pictures of one kind, with the chosen weights; returns how many."""
        folder = self.out / "vectors" / kind
        folder.mkdir(parents=True, exist_ok=True)
        ids: list[int] = []
        wholes, regions = [], []
        round_as_int8(self.towers.image)
        for rows in sorted((self.work / "packs").glob("*.jsonl")):
            samples = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
            chosen = [
                i
                for i, sample in enumerate(samples)
                if sample["group"].startswith(prefix) and sample["split"] in splits
            ]
            if not chosen:
                continue
            pixels = np.load(rows.with_suffix(".npy"), mmap_mode="r")
            for at in range(0, len(chosen), 512):
                some = np.array(pixels[chosen[at : at + 512]])
                whole, patches = self.towers.image(feeding.resize(torch.from_numpy(some).to(self.device), 168))
                wholes.append(whole.half().cpu().numpy())
                regions.append(pool_regions(patches).half().cpu().numpy())
            ids += [int(samples[i]["group"].removeprefix(prefix)) for i in chosen]
        in_full(self.towers.image)
        if ids:
            np.save(folder / "whole.npy", np.concatenate(wholes))
            np.save(folder / "regions.npy", np.concatenate(regions))
        (folder / "ids.json").write_text(json.dumps(ids), encoding="utf-8")
        return len(ids)

    @staticmethod
    def _say(name: str, figures: dict[str, Any]) -> None:
        print(json.dumps({"candidate": name, "worth": round(worth(figures), 3)} | figures), flush=True)


def main() -> None:
    """Run after a training in its folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path, help="the folder of the training")
    parser.add_argument("start", type=Path, help="the weights it began with, as they ship")
    parser.add_argument("out", type=Path, help="where towers/, vectors/ and figures.json go")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=12)
    parser.add_argument("--tries", type=int, default=2, help="exports at most")
    parser.add_argument("--start-figures", type=Path, help="figures of the start as it ships, where they are known")
    given = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    began = time.monotonic()
    settling = Settling(given.work, given.start, given.out, given.device, given.threads)
    if given.start_figures:
        settling.figures["start int8"] = json.loads(given.start_figures.read_text(encoding="utf-8"))
    chosen = settling.settle(states(given.work, given.start), given.tries)
    print(f"chosen: {chosen}, {time.monotonic() - began:.0f} s", flush=True)
    for kind, prefix in (("coco", "coco:"), ("products", "product:")):
        print(kind, settling.vectors(kind, prefix), f"{time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
