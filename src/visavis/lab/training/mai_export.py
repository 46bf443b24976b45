"""From a trained MAI to the files that ship: two ONNX graphs in int8, and a description."""

from __future__ import annotations

import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, nn

from visavis.lab.networks.mai import HeldTokens, Mai
from visavis.lab.training.quantise import quantise
from visavis.lab.training.retriever_export import describe, export_graph
from visavis.search.learned import mai


class _Gather(nn.Module):
    """Pictures and captions: tokens, and the vectors that pictures are found by."""

    def __init__(self, model: Mai) -> None:
        super().__init__()
        self.model = model

    def forward(self, whole: Tensor, regions: Tensor, caption: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        tokens = self.model.gather_picture(whole, regions, caption, mask)
        return tokens, self.model.target(whole, tokens)


class _Compose(nn.Module):
    """Kept tokens and a request: the vector of the picture that is meant."""

    def __init__(self, model: Mai) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, tokens: Tensor, places: Tensor, roles: Tensor, request: Tensor, said: Tensor, whole: Tensor
    ) -> Tensor:
        held = HeldTokens(tokens, places, torch.ones_like(places, dtype=torch.bool))
        return self.model.compose(held, roles, request, torch.ones_like(request[:, :, 0]), said, whole)


def export_mai(model: Mai, fingerprint: str, folder: Path, figures: dict[str, Any]) -> None:
    """Write both graphs and the description."""
    folder.mkdir(parents=True, exist_ok=True)
    model = copy.deepcopy(model).float().cpu().eval()
    shape = model.shape
    d, t = shape.dimension, shape.tokens
    whole, regions = torch.randn(2, d), torch.randn(2, shape.regions, d)
    caption, mask = torch.randn(2, 5, shape.width), torch.ones(2, 5)
    free = {0: "n"}
    words = {0: "n", 1: "l"}
    tokens, places = torch.randn(1, t, d), torch.ones(1, t, dtype=torch.long)
    with TemporaryDirectory(prefix="visavis-mai-") as name:
        draft = Path(name)
        export_graph(
            _Gather(model),
            (whole, regions, caption, mask),
            draft / mai.GATHER,
            ("whole", "regions", "caption", "mask"),
            ("tokens", "target"),
            {"whole": free, "regions": free, "caption": words, "mask": words, "tokens": free, "target": free},
        )
        export_graph(
            _Compose(model),
            (tokens, places, places.clone(), torch.randn(1, 7, shape.width), torch.randn(1, d), torch.randn(1, d)),
            draft / mai.COMPOSE,
            ("tokens", "places", "roles", "request", "said", "whole_reference"),
            ("query",),
            {"tokens": {1: "s"}, "places": {1: "s"}, "roles": {1: "s"}, "request": {1: "l"}},
        )
        for file in (mai.GATHER, mai.COMPOSE):
            quantise(draft / file, folder / file, "int8-rows")
    described = {"tokens": t, "dimension": d, "regions": shape.regions, "width": shape.width, "form": shape.form}
    describe(folder / mai.DESCRIPTION, fingerprint, {**described, "trained": figures})
