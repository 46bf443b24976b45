"""Pictures and texts on the device, drawn from without the processor having a hand in it.

Packs may arrive while the training runs. Each picture has a short list of texts; which texts fit which pictures of a
batch is read off these lists, so that a text that several pictures share is never a wrong one.
"""

from __future__ import annotations

import json
import random
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from visavis.lab.networks.towers import ImageTower, TextTower, fill
from visavis.lab.training import feed as feeding
from visavis.lab.training.scene_texts import label_sentences, negatives
from visavis.language.english import chunks

#: Lengths of token rows: a sentence, a phrase, several sentences together.
SENTENCE, PHRASE, LONG = 24, 12, 128
#: Texts a picture, wrong texts and noun chunks a text, words a chunk.
TEXTS, WRONG, CHUNKS = 24, 4, 4
#: Words of captions are told apart by a hash of so many values.
SLOTS = 4096
#: Classes with fewer pictures are not shown more often than those with so many.
_FEW = 16
POOLS = ("scenes", "long", "plain", "shop", "named")


class Texts:
    """All sentences once, as rows of token ids that can be added to."""

    def __init__(self, tokenizer: Any, device: torch.device) -> None:
        self._tokenizer, self.device = tokenizer, device
        self._end = tokenizer.token_to_id("[SEP]")
        self._numbers: dict[str, int] = {}
        self.rows = torch.zeros((0, SENTENCE), dtype=torch.int32, device=device)
        self.sided = torch.zeros(0, dtype=torch.bool, device=device)

    def add(self, texts: list[str]) -> list[int]:
        """The numbers of texts, new ones tokenised."""
        new = [text for text in dict.fromkeys(texts) if text not in self._numbers]
        self._numbers.update({text: len(self._numbers) + i for i, text in enumerate(new)})
        if new:
            sided = torch.tensor([bool({"left", "right"} & set(text.lower().split())) for text in new])
            self.rows = torch.cat([self.rows, self.tokens(new, SENTENCE)])
            self.sided = torch.cat([self.sided, sided.to(self.device)])
        return [self._numbers[text] for text in texts]

    def tokens(self, texts: list[str], length: int) -> Tensor:
        """``int32 [n, length]``, zero-padded, cut at the end."""
        out = np.zeros((len(texts), length), np.int32)
        for i, encoding in enumerate(self._tokenizer.encode_batch(texts)):
            ids = encoding.ids[:length]
            ids[-1] = self._end
            out[i, : len(ids)] = ids
        return torch.from_numpy(out).to(self.device)


class Library:
    """Everything there is to learn from so far."""

    def __init__(self, folder: Path, texts: dict[str, Any], tokenizer: Any, device: str, size: int, room: int) -> None:
        self._folder, self.device = folder, torch.device(device)
        self._said, self._wrong, self._objects = texts["said"], texts["wrong"], texts["objects"]
        self.held, self.classes = texts["held"], texts["classes"]
        self._chance = random.Random(11)
        self._seen: set[str] = set()
        self.count = 0
        self.keys: list[str] = []
        self.texts = Texts(tokenizer, self.device)
        place = {"device": self.device}
        self.pixels = torch.zeros((room, 3, size, size), dtype=torch.uint8, **place)
        self.lists = torch.full((room, TEXTS), -1, dtype=torch.int32, **place)
        self.denied = torch.full((room, WRONG), -1, dtype=torch.int32, **place)
        self.lengths = torch.zeros(room, dtype=torch.int32, **place)
        self.words = torch.zeros((room, SLOTS), dtype=torch.bool, **place)
        self.objects = torch.zeros((room, len(self.classes)), dtype=torch.bool, **place)
        self.long_of = torch.full((room,), -1, dtype=torch.int64, **place)
        self.long_rows = torch.zeros((0, LONG), dtype=torch.int32, **place)
        self._pools: dict[str, list[int]] = {name: [] for name in POOLS}
        self.pools: dict[str, Tensor] = {}
        self.validation: dict[str, int] = {}
        self.named = self.names = torch.zeros(0, dtype=torch.int64, **place)
        self._slots: dict[str, int] = {}
        self._prepare(texts["said"])

    def _prepare(self, said: dict[str, list[str]]) -> None:
        """Sentences of scenes with their wrong sentences and noun chunks, before the first picture is there."""
        scenes = sorted({t for key, some in said.items() if key.startswith(("coco:", "flickr:")) for t in some})
        numbers = self.texts.add(scenes)
        wrong = [negatives(text, self._chance) for text in scenes]
        parts = [chunks(text)[:CHUNKS] for text in scenes]
        self._chunk_texts = sorted({part for some in parts for part in some})
        place = {part: i for i, part in enumerate(self._chunk_texts)}
        self.chunk_rows = self.texts.tokens(self._chunk_texts or ["thing"], PHRASE)
        slots = [[self._slot(word) for word in part.split()] for part in self._chunk_texts] or [[0]]
        self.chunk_slots = torch.tensor([(some * 4)[:4] for some in slots], device=self.device)
        flat = self.texts.add([text for some in wrong for text in some])
        self.texts.add([text for some in self._wrong.values() for text in some])
        table = np.full((len(self.texts.rows), WRONG), -1, np.int32)
        chunk = np.full((len(self.texts.rows), CHUNKS), -1, np.int32)
        at = 0
        for number, some, found in zip(numbers, wrong, parts, strict=True):
            table[number, : len(some)] = flat[at : at + len(some)]
            at += len(some)
            chunk[number, : len(found)] = [place[part] for part in found]
        self.wrong = torch.from_numpy(table).to(self.device)
        self.chunks = torch.from_numpy(chunk).to(self.device)

    @property
    def packs(self) -> int:
        """How many packs have come."""
        return len(self._seen)

    def look(self) -> list[str]:
        """Take up the packs that have arrived since the last look; returns their names."""
        new = [rows for rows in sorted(self._folder.glob("*.jsonl")) if rows.stem not in self._seen]
        for rows in new:
            self._seen.add(rows.stem)
            self._take(rows)
        if new:
            self.pools = {
                name: torch.tensor(some, device=self.device, dtype=torch.int64) for name, some in self._pools.items()
            }
            self._extend()
            self.named = self.pools["named"]
            self.pools["named"] = self._balanced(self.named)
            lists = self.lists[self.named]
            self.names = lists[lists >= 0].unique().long()
        return [rows.stem for rows in new]

    def _balanced(self, pictures: Tensor) -> Tensor:
        """Pictures of rare classes several times, so that a class counts by the root of how many it has."""
        classes = [self.keys[number] for number in pictures.tolist()]
        counts = Counter(classes)
        most = max(counts.values(), default=1)
        times = [round(2 * (most / max(counts[name], _FEW)) ** 0.5) for name in classes]
        return pictures.repeat_interleave(torch.tensor(times, dtype=torch.int64, device=self.device).clamp(min=1))

    def _extend(self) -> None:
        """Texts that came with a pack have neither wrong texts nor chunks."""
        more = len(self.texts.rows) - len(self.wrong)
        if more > 0:
            none = torch.full((more, WRONG), -1, dtype=torch.int32, device=self.device)
            self.wrong = torch.cat([self.wrong, none])
            self.chunks = torch.cat([self.chunks, none[:, :CHUNKS]])

    def _take(self, rows: Path) -> None:
        samples = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
        pixels = np.load(rows.with_suffix(".npy"), mmap_mode="r")
        start, end = self.count, self.count + len(samples)
        if end > len(self.pixels):
            raise ValueError(f"There is room for {len(self.pixels)} pictures, and {end} have come.")
        for at in range(0, len(samples), 2048):
            part = np.array(pixels[at : at + 2048])
            self.pixels[start + at : start + at + len(part)] = torch.from_numpy(part).to(self.device)
        said = [self._texts_of(sample) for sample in samples]
        flat = self.texts.add([text for some in said for text in some])
        lists, at = np.full((len(samples), TEXTS), -1, np.int32), 0
        things = np.zeros((len(samples), len(self.classes)), bool)
        words = np.zeros((len(samples), SLOTS), bool)
        joined: list[str] = []
        long_of = np.full(len(samples), -1, np.int64)
        for i, (sample, some) in enumerate(zip(samples, said, strict=True)):
            lists[i, : len(some)] = flat[at : at + len(some)]
            at += len(some)
            key = sample["group"]
            things[i, self._objects.get(key, [])] = True
            if sample["split"] == "val":
                self.validation[key] = start + i
                continue
            pool = self._pool(key, some)
            self._pools[pool].append(start + i)
            if pool == "scenes":
                names = [self.classes[n] for n in self._objects.get(key, [])]
                words[i, [self._slot(w) for t in (*some, *names) for w in t.lower().split()]] = True
                distinct = list(dict.fromkeys(some))
                if len(distinct) > 2:
                    self._pools["long"].append(start + i)
                    long_of[i] = len(self.long_rows) + len(joined)
                    joined.append(self._join(distinct))
        self._deny(samples, start)
        counts = torch.tensor([len(some) for some in said], dtype=torch.int32)
        for target, values in ((self.lists, lists), (self.objects, things), (self.words, words)):
            target[start:end] = torch.from_numpy(values).to(self.device)
        self.long_of[start:end] = torch.from_numpy(long_of).to(self.device)
        self.lengths[start:end] = counts.to(self.device)
        if joined:
            self.long_rows = torch.cat([self.long_rows, self.texts.tokens(joined, LONG)])
        self.keys += [sample["group"] for sample in samples]
        self.count = end

    def _deny(self, samples: list[dict[str, Any]], start: int) -> None:
        """Statements that people found to be false of a picture."""
        for i, sample in enumerate(samples):
            if false := self._wrong.get(sample["group"], [])[:WRONG]:
                numbers = torch.tensor(self.texts.add(false), dtype=torch.int32, device=self.device)
                self.denied[start + i, : len(false)] = numbers

    def _texts_of(self, sample: dict[str, Any]) -> list[str]:
        key = sample["group"]
        if sample["split"] == "val":
            return []
        if key.startswith("class:"):
            return list(label_sentences(sample["texts"], white=key.startswith("class:white:"))[:TEXTS])
        return list(self._said.get(key, sample["texts"]))[:TEXTS]

    @staticmethod
    def _pool(key: str, texts: list[str]) -> str:
        if key.startswith("class:"):
            return "named"
        if key.startswith(("coco:", "flickr:")):
            return "scenes" if texts else "plain"
        return "shop"

    def _join(self, texts: list[str]) -> str:
        """Several sentences as one text: a conversation says more than a caption."""
        some = self._chance.sample(texts, min(len(texts), self._chance.randint(3, 7)))
        return self._chance.choice((". ", ", ", " and ")).join(text.rstrip(". ") for text in some)

    def _slot(self, word: str) -> int:
        word = word.strip(".,!?'\"")
        if word not in self._slots:
            self._slots[word] = zlib.crc32(word.encode()) % SLOTS
        return self._slots[word]

    def draw(self, pool: str, count: int) -> Tensor:
        """Pictures of a pool at random, with repeats when it has few."""
        choice = self.pools[pool]
        return choice[torch.randint(len(choice), (count,), device=self.device)]

    def text_of(self, pictures: Tensor) -> Tensor:
        """One text at random for each picture."""
        lengths = self.lengths[pictures]
        column = (torch.rand(len(pictures), device=self.device) * lengths).long().clamp(max=TEXTS - 1)
        return self.lists[pictures].gather(1, column[:, None])[:, 0].long()

    def fits(self, pictures: Tensor, texts: Tensor) -> Tensor:
        """Which texts stand in which pictures' lists, ``[pictures, texts]``."""
        lists = self.lists[pictures]
        out = torch.zeros((len(pictures), len(texts)), dtype=torch.bool, device=self.device)
        for column in range(TEXTS):
            out |= lists[:, column, None] == texts[None, :]
        return out

    def one_of(self, table: Tensor, texts: Tensor) -> Tensor:
        """One entry at random of each text's row in a table padded with -1; -1 where it has none."""
        rows = table[texts]
        chances = torch.rand(rows.shape, device=self.device).masked_fill(rows < 0, -1.0)
        return rows.gather(1, chances.argmax(dim=1, keepdim=True))[:, 0].long()

    def contained(self, pictures: Tensor, chunk: Tensor) -> Tensor:
        """Whether the texts of each picture have all words of each chunk."""
        have = self.words[pictures]
        slots = self.chunk_slots[chunk]
        out = torch.ones((len(pictures), len(chunk)), dtype=torch.bool, device=self.device)
        for column in range(slots.shape[1]):
            out &= have[:, slots[:, column]]
        return out


class Elder:
    """Vectors of an earlier encoder for the pictures that have names, and for the names, made once."""

    def __init__(self, image: dict[str, Tensor], text: dict[str, Tensor], scale: float, library: Library) -> None:
        self._library, self._scale, self._device = library, scale, library.device
        self._image, self._text = ImageTower(), TextTower()
        fill(self._image, image)
        fill(self._text, text)
        for tower in (self._image, self._text):
            tower.to(self._device).eval().requires_grad_(False)
        self._seen = 0
        self._pictures = self._names = torch.zeros((0, self._image.shape.dimension), device=self._device)

    @torch.no_grad()
    def look(self) -> None:
        """See the pictures with names that have come since the last look, and read every name."""
        library, width = self._library, self._image.shape.dimension
        new, self._seen = library.named[self._seen :], len(library.named)
        if not len(new):
            return
        kept = self._pictures
        self._pictures = torch.zeros((library.count, width), dtype=torch.half, device=self._device)
        self._pictures[: len(kept)] = kept
        self._names = torch.zeros((len(library.texts.rows), width), dtype=torch.half, device=self._device)
        with torch.autocast(self._device.type, dtype=torch.bfloat16, enabled=self._device.type == "cuda"):
            for some in new.split(512):
                pixels = feeding.resize(library.pixels[some], self._image.shape.image_size)
                self._pictures[some] = self._image(pixels)[0].half()
            for some in library.names.split(2048):
                rows = library.texts.rows[some].long()
                self._names[some] = self._text(rows, (rows > 0).long()).half()

    def logits(self, pictures: Tensor, texts: Tensor) -> Tensor:
        """How well it finds that the names fit, ``[pictures, texts]``, scaled."""
        return self._scale * self._pictures[pictures].float() @ self._names[texts].float().T
