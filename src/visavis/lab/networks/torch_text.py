"""The text tower in torch: many texts at once on an accelerator, where the shipped int8 tower reads one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from visavis.lab.networks.shipped import fill, read_towers
from visavis.lab.networks.towers import TextTower

#: What the shipped encoder reads of a text at most.
MAX_TOKENS = 128


class TorchTextEncoder:
    """Reads texts as the encoder does whose torch weights it is given, within the rounding of int8."""

    def __init__(self, towers: Path, tokenizer: Path, device: str, *, max_tokens: int = MAX_TOKENS) -> None:
        """Open weights.

        Args:
            towers: A file of ``write_towers``, or a folder of the shipped form.
            tokenizer: The encoder's ``tokenizer.json``.
            device: Where to compute, ``cuda`` or ``cpu``.
            max_tokens: Texts are cut after so many tokens.
        """
        self.device = torch.device(device)
        self.tower = TextTower()
        fill(self.tower, read_towers(towers)["text"])
        self.tower.to(self.device).eval().requires_grad_(False)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def encode(self, texts: Sequence[str], batch: int = 1024) -> Tensor:
        """One unit vector a text, ``float16 [n, d]`` on the device."""
        out = torch.zeros((len(texts), self.tower.shape.dimension), dtype=torch.float16, device=self.device)
        for chosen, ids, mask in self._batches(self._numbers(texts), batch):
            out[chosen] = self._read(ids, mask)[0].half()
        return out

    def tokens(self, texts: Sequence[str], batch: int = 1024) -> tuple[Tensor, Tensor]:
        """What each token became in its sentence, ``float16 [n, length, width]`` on the device, and which are there.

        The marks at both ends are included, as in the second output of the shipped tower; the rest is zeros.
        """
        numbers = self._numbers(texts)
        shape = (len(texts), max(map(len, numbers), default=0))
        out = torch.zeros((*shape, self.tower.shape.width), dtype=torch.float16, device=self.device)
        there = torch.zeros(shape, dtype=torch.bool, device=self.device)
        for chosen, ids, mask in self._batches(numbers, batch):
            length = ids.shape[1]
            out[chosen, :length] = (self._read(ids, mask)[1] * mask[:, :, None]).half()
            there[chosen, :length] = mask > 0
        return out, there

    @torch.no_grad()
    def _read(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda"):
            whole, tokens = self.tower.read(self.tower.words(ids), mask)
        return torch.nn.functional.normalize(whole.float(), dim=-1), tokens.float()

    def _numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids; texts that are said more than once are read once."""
        new = list(dict.fromkeys(texts))
        known = dict(zip(new, (encoding.ids for encoding in self._tokenizer.encode_batch(new)), strict=True))
        return [known[text] for text in texts]

    def _batches(self, encoded: Sequence[list[int]], batch: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Texts of like length together: their places, token ids and mask."""
        order = sorted(range(len(encoded)), key=lambda place: len(encoded[place]))
        for at in range(0, len(order), batch):
            chosen = order[at : at + batch]
            longest = max(len(encoded[place]) for place in chosen)
            padded = [encoded[place] + [0] * (longest - len(encoded[place])) for place in chosen]
            lengths = torch.tensor([len(encoded[place]) for place in chosen])
            mask = (torch.arange(longest) < lengths[:, None]).long()
            yield torch.tensor(chosen, device=self.device), torch.tensor(padded).to(self.device), mask.to(self.device)
