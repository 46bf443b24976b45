"""Dialogues between a simulated user and a retriever: what trains Fashion IQ's retriever, and what it is measured by.

The user sees the picture that the retriever puts first and says how the target differs; the retriever reads all turns
so far. They share words and pictures, nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from visavis.lab.datasets.product_attributes import compared, described
from visavis.lab.networks.captioner import SOURCES, Captioner, CaptionVocabulary
from visavis.lab.networks.fashioniq import History
from visavis.lab.training.captioner import ProductPairs
from visavis.lab.training.product_vectors import ProductVectors, TextFeatures
from visavis.search.phrases import joined

TURNS = 5
#: The turns that the paper reports.
REPORTED = (1, 3, 5)
#: Kinds of products whose real captions the captioner knows.
_REAL = {"Tshirts": "toptee", "Tops": "toptee", "Shirts": "shirt", "Dresses": "dress", "Shoes": "shoes"}


class DialogUser(Protocol):
    """Says how targets differ from references, by their places among products."""

    def say(self, reference: Sequence[int], target: Sequence[int], draw: random.Random) -> list[str]:
        """One text a pair."""


class CatalogueUser:
    """Says what the catalogue says of the target and not of the reference."""

    def __init__(self, products: ProductVectors) -> None:
        self._texts = products.texts

    def say(self, reference: Sequence[int], target: Sequence[int], draw: random.Random) -> list[str]:
        """One text a pair."""
        return [compared(self._texts[a], self._texts[b], draw) for a, b in zip(reference, target, strict=True)]


class CaptionerUser:
    """The trained captioner, frozen."""

    def __init__(
        self,
        captioner: Captioner,
        vocabulary: CaptionVocabulary,
        pairs: ProductPairs,
        *,
        beam: int = 0,
        real: float = 0.25,
    ) -> None:
        """Make a user of a captioner.

        Args:
            captioner: The captioner.
            vocabulary: Its words.
            pairs: The products, as it reads them.
            beam: The width of the beam; 0 decodes greedily.
            real: The share of what is said as Fashion IQ's and Shoes' annotators say it, where the kind is theirs.
        """
        self._captioner, self._vocabulary, self._pairs, self._beam = captioner, vocabulary, pairs, beam
        rows = pairs.products.rows
        kinds = [_REAL.get(str(row.get("articleType"))) or _REAL.get(str(row.get("subCategory"))) for row in rows]
        self._sources = [SOURCES.index(kind or "products") for kind in kinds]
        self._real = real

    @torch.no_grad()
    def say(self, reference: Sequence[int], target: Sequence[int], draw: random.Random) -> list[str]:
        """One text a pair."""
        own = SOURCES.index("products")
        source = torch.tensor([self._sources[place] if draw.random() < self._real else own for place in target])
        device = self._captioner.words.weight.device
        pair = self._pairs.pair(torch.tensor(reference), torch.tensor(target), source).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            numbers = self._captioner.beam(pair, self._beam) if self._beam else self._captioner.greedy(pair)
        return [self._vocabulary.text(row) or "is similar" for row in numbers.tolist()]


class MixedUser:
    """Sometimes one user, sometimes another, so that a retriever learns neither by heart."""

    def __init__(self, one: DialogUser, other: DialogUser, share: float) -> None:
        self._one, self._other, self._share = one, other, share

    def say(self, reference: Sequence[int], target: Sequence[int], draw: random.Random) -> list[str]:
        """One text a pair; the second user says ``share`` of them."""
        made = [""] * len(target)
        seconds = [draw.random() < self._share for _ in target]
        for user, second in ((self._one, False), (self._other, True)):
            places = [place for place, own in enumerate(seconds) if own == second]
            if places:
                said = user.say([reference[p] for p in places], [target[p] for p in places], draw)
                for place, text in zip(places, said, strict=True):
                    made[place] = text
        return made


class PlayedTurn(NamedTuple):
    """A turn of dialogues.

    Attributes:
        history: All turns so far.
        query: What the retriever made of them, ``[n, d]``.
        scores: Of the gallery, without gradients, ``[n, p]``.
    """

    history: History
    query: Tensor
    scores: Tensor


@dataclass(frozen=True)
class RecordedDialogues:
    """Dialogues that were played, to be read again turn by turn.

    Attributes:
        history: All turns.
        said: The tower's vectors of the feedback up to each turn, ``[t, n, d]``.
    """

    history: History
    said: Tensor

    @classmethod
    @torch.no_grad()
    def of(cls, turns: Iterable[PlayedTurn]) -> RecordedDialogues:
        """Play dialogues to their end, and keep them."""
        played = [turn.history for turn in turns]
        return cls(played[-1], torch.stack([history.said for history in played]))

    def prefixes(self, rows: slice) -> Iterator[History]:
        """The history of some of the dialogues up to each turn."""
        for turn, said in enumerate(self.said, 1):
            yield History(*(part[rows, :turn] for part in self.history[:-1]), said[rows])  # type: ignore[call-arg]


@dataclass(frozen=True)
class Dialogues:
    """Where dialogues are played.

    Attributes:
        products: The gallery.
        attributes: Numbers of the attributes that were predicted of each, ``[n, 8]``, on the device.
        texts: Reads texts.
        user: Speaks.
        words: Words of a message that are read.
    """

    products: ProductVectors
    attributes: Tensor
    texts: TextFeatures
    user: DialogUser
    words: int

    def play(
        self,
        targets: Sequence[int],
        starts: Sequence[int | None],
        queries: Callable[[History], Tensor],
        draw: random.Random,
        gallery: Tensor,
        *,
        turns: int = TURNS,
        skip_target: bool = False,
    ) -> Iterator[PlayedTurn]:
        """The turns one after another.

        Args:
            targets: Places of what is looked for.
            starts: Places of the products shown first; None begins with a description.
            queries: The retriever.
            draw: Draws what is said.
            gallery: The vectors of the products, on the device.
            turns: How many turns.
            skip_target: Whether the target is never shown, so that there is always something to say.
        """
        said: list[list[str]] = [[] for _ in targets]
        shown = list(starts)
        words, there, pictures, named, seen = [], [], [], [], []
        own = torch.tensor(list(targets), device=gallery.device)
        for _ in range(turns):
            messages = self._messages(targets, shown, draw)
            for texts, message in zip(said, messages, strict=True):
                texts.append(message)
            token, mask = self.texts.tokens(messages, self.words)
            places = torch.tensor([0 if place is None else place for place in shown], device=gallery.device)
            has = torch.tensor([0.0 if place is None else 1.0 for place in shown], device=gallery.device)
            words.append(token)
            there.append(mask)
            pictures.append(gallery[places] * has[:, None])
            named.append(self.attributes[places])
            seen.append(has)
            turn_by_turn = [torch.stack(part, dim=1) for part in (words, there, pictures, named, seen)]
            history = History(*turn_by_turn, self.texts.whole([joined(texts) for texts in said]))  # type: ignore[call-arg]
            query = queries(history)
            with torch.no_grad():
                scores = query.detach().float() @ gallery.T
            yield PlayedTurn(history, query, scores)
            with torch.no_grad():
                offered = scores.scatter(1, own[:, None], float("-inf")) if skip_target else scores
                shown = list(offered.argmax(dim=1).tolist())

    def _messages(self, targets: Sequence[int], shown: Sequence[int | None], draw: random.Random) -> list[str]:
        texts = self.products.texts
        made = [described(texts[t], draw) if at is None else "" for t, at in zip(targets, shown, strict=True)]
        compare = [row for row, place in enumerate(shown) if place is not None]
        if compare:
            references = [place for place in shown if place is not None]
            said = self.user.say(references, [targets[row] for row in compare], draw)
            for row, text in zip(compare, said, strict=True):
                made[row] = text
        return made


@torch.no_grad()
def dialog_figures(
    dialogues: Dialogues, queries: Callable[[History], Tensor], targets: Sequence[int], seed: int = 0, batch: int = 256
) -> dict[str, Any]:
    """The paper's figures: ranking percentile, R@10 and R@50 at turns 1, 3 and 5, from random products.

    P is the mean of 1 - r / N with ranks r from one; pictures that were shown stay in the ranking, the target's own
    rank counts in every turn, and a user who sees the target goes on.
    """
    gallery = dialogues.products.whole.to(dialogues.attributes.device)
    draw = random.Random(f"figures-{seed}")
    ranks: list[list[Tensor]] = []
    for start in range(0, len(targets), batch):
        chosen = list(targets[start : start + batch])
        begun: list[int | None] = [draw.randrange(len(gallery)) for _ in chosen]
        own = torch.tensor(chosen, device=gallery.device)[:, None]
        turns = dialogues.play(chosen, begun, queries, draw, gallery)
        ranks.append([1 + (turn.scores > turn.scores.gather(1, own)).sum(dim=1).cpu() for turn in turns])
    table = torch.stack([torch.cat([part[turn] for part in ranks]) for turn in range(TURNS)]).float()
    at = [turn - 1 for turn in REPORTED]
    return {
        "targets": len(targets),
        "gallery": len(gallery),
        "turns": list(REPORTED),
        "P": [round(100 * float((1 - table[t] / len(gallery)).mean()), 2) for t in at],
        "R@10": [round(100 * float((table[t] <= 10).float().mean()), 2) for t in at],
        "R@50": [round(100 * float((table[t] <= 50).float().mean()), 2) for t in at],
        "mean R@10": round(100 * float((table <= 10).float().mean()), 2),
    }
