"""What MAI is trained on: vectors of pictures, captions as word pieces, requests, sessions, their turns."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from visavis.encoders.base import TOKENIZER, WORDS
from visavis.encoders.inputs import TextReader, read_word_table
from visavis.lab.datasets.multiturn import KINDS, Session
from visavis.lab.evaluation.gallery import read_ids
from visavis.lab.networks.mai import COMBINED, HISTORY, REFERENCE, HeldTokens, Mai
from visavis.lab.networks.towers import TorchTextEncoder
from visavis.search.learned.mai import CAPTION_TOKENS

#: Texts that are read at once.
_TEXTS = 8192
#: Pictures that a request may speak of: the reference, and up to two that it combines.
REFERENCES = 3
#: What a request that goes back does to the reference (the paper's Table 9).
Rollback = Literal["replace", "ignore", "random", "blend"]
ROLLBACKS: tuple[Rollback, ...] = ("replace", "ignore", "random", "blend")
_BACK = KINDS.index("rollback")


@dataclass(frozen=True)
class PictureTable:
    """Pictures by number; number 0 is no picture: zeros and no caption.

    Attributes:
        ids: The ids, the first one empty.
        whole: ``[p, d]``.
        regions: ``[p, r, d]``.
        pieces: Word pieces of the captions, ``[p, l]``, padded with 0.
        lengths: How many of them there are, ``[p]``.
        captions: The text tower's vectors of the captions, ``[p, d]``.
        words: The word table, ``[v, w]``.
    """

    ids: tuple[str, ...]
    whole: Tensor
    regions: Tensor
    pieces: Tensor
    lengths: Tensor
    captions: Tensor
    words: Tensor

    def read(self, numbers: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Whole, regions, caption vectors and their mask of pictures; ``hidden [n]`` says whose caption is hidden."""
        lengths = self.lengths[numbers]
        if hidden is not None:
            lengths = lengths.masked_fill(hidden, 0)
        longest = max(1, int(lengths.max()))
        mask = torch.arange(longest, device=lengths.device)[None] < lengths[:, None]
        caption = self.words[self.pieces[numbers, :longest]].float() * mask[:, :, None]
        return self.whole[numbers].float(), self.regions[numbers].float(), caption, mask.float()


def picture_table(
    vectors: Path, captions: Mapping[str, str], encoder: TorchTextEncoder, towers: Path, device: str
) -> PictureTable:
    """The pictures that have both vectors and a caption."""
    ids = read_ids(vectors)
    whole, regions = (np.load(vectors / f"{name}.npy", mmap_mode="r") for name in ("whole", "regions"))
    places = [place for place, id in enumerate(ids) if id in captions]
    texts = [captions[ids[place]] for place in places]
    rows = TextReader(towers / TOKENIZER, CAPTION_TOKENS).read(texts)
    pieces = np.zeros((len(rows) + 1, CAPTION_TOKENS), np.int64)
    for at, row in enumerate(rows, start=1):
        pieces[at, : row.shape[1]] = row[0]
    table = read_word_table(towers / WORDS)
    words = table.vectors(np.arange(len(table)))

    def padded(values: NDArray[np.float16]) -> Tensor:
        chosen = np.asarray(values[places], np.float16)
        return torch.from_numpy(np.concatenate([np.zeros_like(chosen[:1]), chosen])).to(device)

    said = encoder.encode(texts).to(device)
    return PictureTable(
        ("", *(ids[place] for place in places)),
        padded(whole),
        padded(regions),
        torch.from_numpy(pieces).to(device),
        torch.from_numpy((pieces > 0).sum(axis=1)).to(device),
        torch.cat([torch.zeros_like(said[:1]), said]),
        torch.from_numpy(words.astype(np.float16)).to(device),
    )


@dataclass(frozen=True)
class TextTable:
    """Texts by number: the text tower's vectors ``[n, d]``, and all token vectors one after another ``[t, w]``."""

    whole: Tensor
    tokens: Tensor
    starts: Tensor
    lengths: Tensor
    noise: bool = False

    def read(self, numbers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Token vectors ``[n, l, w]``, their mask and the whole vectors."""
        tokens, mask, whole = self._read(numbers)
        return (_noisy(tokens), mask, _noisy(whole)) if self.noise else (tokens, mask, whole)

    def _read(self, numbers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        lengths = self.lengths[numbers]
        places = torch.arange(int(lengths.max()), device=lengths.device)[None]
        mask = places < lengths[:, None]
        rows = (self.starts[numbers][:, None] + places).clamp(max=len(self.tokens) - 1)
        return self.tokens[rows].float() * mask[:, :, None], mask.float(), self.whole[numbers].float()


def _noisy(vectors: Tensor) -> Tensor:
    """Vectors with N(0, 1) x U(-1, 1) added, in units of each vector's own deviation."""
    drawn = torch.randn_like(vectors) * (2 * torch.rand_like(vectors[..., :1]) - 1)
    return vectors + drawn * vectors.std(dim=-1, keepdim=True)


def text_table(texts: Sequence[str], encoder: TorchTextEncoder, device: str) -> TextTable:
    """Read texts once."""
    flat, lengths, whole = [], [], []
    for start in range(0, len(texts), _TEXTS):
        part = list(texts[start : start + _TEXTS])
        tokens, there = encoder.tokens(part)
        flat.append(tokens[there].to(device))
        lengths.append(there.sum(dim=1).to(device))
        whole.append(encoder.encode(part).to(device))
    counts = torch.cat(lengths)
    return TextTable(torch.cat(whole), torch.cat(flat), counts.cumsum(0) - counts, counts)


@dataclass(frozen=True)
class SessionTable:
    """Sessions of one number of turns, as numbers of pictures and texts.

    Attributes:
        pictures: ``[s, t + 1]``.
        texts: ``[s, t]``.
        references: Places of the pictures that each request speaks of, ``[s, t, 3]``; -1 for none.
        kinds: The number of the kind of each request, ``[s, t]``.
    """

    pictures: Tensor
    texts: Tensor
    references: Tensor
    kinds: Tensor

    def __len__(self) -> int:
        return len(self.pictures)

    @property
    def turns(self) -> int:
        """The number of turns."""
        return self.texts.shape[1]

    def rows(self, places: Tensor) -> SessionTable:
        """Some of the sessions."""
        parts = (self.pictures, self.texts, self.references, self.kinds)
        return SessionTable(*(part[places] for part in parts))

    def first_turn(self) -> SessionTable:
        """The sessions as if they ended after their first request."""
        return SessionTable(self.pictures[:, :2], self.texts[:, :1], self.references[:, :1], self.kinds[:, :1])


def session_tables(
    sessions: Sequence[Session], pictures: Mapping[str, int], texts: Mapping[str, int], device: str
) -> dict[int, SessionTable]:
    """Sessions by their number of turns; those with an unknown picture are left out."""
    found: dict[int, list[Session]] = {}
    for session in sessions:
        if all(id in pictures for id in session.pictures):
            found.setdefault(len(session.requests), []).append(session)
    made = {}
    for turns, own in sorted(found.items()):
        references = np.full((len(own), turns, REFERENCES), -1, np.int64)
        for at, session in enumerate(own):
            for turn in range(turns):
                places = session.references(turn + 1)[:REFERENCES]
                references[at, turn, : len(places)] = places
        made[turns] = SessionTable(
            torch.tensor([[pictures[id] for id in one.pictures] for one in own], device=device),
            torch.tensor([[texts[request.text] for request in one.requests] for one in own], device=device),
            torch.from_numpy(references).to(device),
            torch.tensor([[KINDS.index(request.kind) for request in one.requests] for one in own], device=device),
        )
    return made


def batches(
    tables: Mapping[int, SessionTable], size: int, draw: random.Random | None = None
) -> list[tuple[int, Tensor]]:
    """Places of sessions of the same number of turns, in random order where ``draw`` is given."""
    made = []
    for turns, table in tables.items():
        order = list(range(len(table)))
        if draw:
            draw.shuffle(order)
        chosen = [order[start : start + size] for start in range(0, len(order), size)]
        made += [(turns, torch.tensor(part, device=table.texts.device)) for part in chosen if len(part) > 1 or not draw]
    if draw:
        draw.shuffle(made)
    return made


@dataclass(frozen=True)
class TurnOutput:
    """One turn of a batch.

    Attributes:
        query: The reference-side vectors, ``[n, d]``.
        target: The target-side vectors of the pictures that are meant, ``[n, d]``.
        said: The text tower's vectors of the requests.
        reference: The whole vectors of the reference pictures.
        numbers: The numbers of the pictures that are meant.
        held: The tokens that are kept.
    """

    query: Tensor
    target: Tensor
    said: Tensor
    reference: Tensor
    numbers: Tensor
    held: HeldTokens


def resolved(sessions: SessionTable, turn: int, how: Rollback, chance: torch.Generator | None = None) -> Tensor:
    """The places of the pictures that a turn (from 0) speaks of, ``[n, 3]``, as a setting of rollback has it."""
    places = sessions.references[:, turn]
    if how in ("replace", "blend"):
        return places
    back = sessions.kinds[:, turn] == _BACK
    if how == "ignore":
        main = torch.full_like(places[:, 0], turn)
    else:
        drawn = torch.randint(0, turn + 1, (len(places),), generator=chance)
        main = drawn.to(places.device)
    return torch.cat([torch.where(back, main, places[:, 0])[:, None], places[:, 1:]], dim=1)


def play(
    model: Mai,
    sessions: SessionTable,
    pictures: PictureTable,
    texts: TextTable,
    *,
    how: Rollback = "replace",
    hidden: Tensor | None = None,
    chance: torch.Generator | None = None,
) -> Iterator[TurnOutput]:
    """The turns of sessions of one length.

    Args:
        model: The network.
        sessions: The sessions.
        pictures: Their pictures.
        texts: Their requests.
        how: The setting of rollback.
        hidden: Whose captions are hidden, ``[n, t + 1]``.
        chance: Draws for the setting ``random``.
    """
    number, along = sessions.pictures.shape
    flat = sessions.pictures.flatten()
    whole, regions, caption, mask = pictures.read(flat, None if hidden is None else hidden.flatten())
    gathered = model.gather_picture(whole, regions, caption, mask)
    targets = model.target(whole, gathered).view(number, along, -1)
    gathered = gathered.view(number, along, *gathered.shape[1:])
    wholes = whole.view(number, along, -1)
    rows = torch.arange(number, device=flat.device)
    held: HeldTokens | None = None
    for turn in range(sessions.turns):
        places = resolved(sessions, turn, how, chance)
        main = places[:, 0]
        parts, reference = [gathered[rows, main]], wholes[rows, main]
        if how == "blend":
            blended = 0.5 * (reference + wholes[:, turn])
            both = regions.view(number, along, *regions.shape[1:])
            mixed = 0.5 * (both[rows, main] + both[:, turn])
            words = caption.view(number, along, *caption.shape[1:])[rows, main]
            parts = [model.gather_picture(blended, mixed, words, mask.view(number, along, -1)[rows, main])]
            reference = F.normalize(blended, dim=-1)
        parts += [gathered[rows, places[:, at].clamp(min=0)] for at in range(1, places.shape[1])]
        size = parts[0].shape[1]
        now = HeldTokens(
            torch.cat(parts, dim=1), (places.clamp(min=0) + 1).repeat_interleave(size, 1), _there(places, size)
        )
        held = model.remember(held, now)
        request, there, said = texts.read(sessions.texts[:, turn])
        query = model.compose(held, roles_of(held.places, places), request, there, said, reference)
        yield TurnOutput(query, targets[:, turn + 1], said, reference, sessions.pictures[:, turn + 1], held)


def _there(places: Tensor, size: int) -> Tensor:
    return (places >= 0).repeat_interleave(size, 1)


def roles_of(held: Tensor, places: Tensor) -> Tensor:
    """What each token is to a request: of its reference, of a picture that it combines, or of the history.

    Args:
        held: The places of the tokens' pictures, counted from 1, ``[n, s]``.
        places: The places of the request's pictures, from 0, the reference first, ``[n, 3]``; -1 for none.
    """
    roles = torch.full_like(held, HISTORY)
    for at in range(places.shape[1] - 1, -1, -1):
        named = (held == places[:, at : at + 1] + 1) & (places[:, at : at + 1] >= 0)
        roles = roles.masked_fill(named, REFERENCE if at == 0 else COMBINED)
    return roles
