"""From trained retrievers to the files that ship: ONNX graphs and a description."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

import torch
from onnx import ModelProto, load, numpy_helper
from torch import Tensor, nn

from visavis.lab.datasets.product_attributes import TOP, AttributeTable
from visavis.lab.networks.chatir import DialogHead
from visavis.lab.networks.drilldown import Drilldown
from visavis.lab.networks.fashioniq import AttributePredictor, DialogRetriever, History
from visavis.lab.networks.mai import HeldTokens, Mai
from visavis.lab.training.quantise import Kind, quantise
from visavis.search.learned import chatir, drilldown, fashioniq, mai

#: Fashion IQ's attributes, a row each, are stored as bytes: its two graphs have 4 MB together.
_TABLE = 40_000
_Model = TypeVar("_Model", bound=nn.Module)


class _ModelPart(nn.Module, Generic[_Model]):
    """A part of a model's computation, as a graph of its own."""

    def __init__(self, model: _Model) -> None:
        super().__init__()
        self.model = model


class _Step(_ModelPart[Drilldown]):
    """One query: the states after it."""

    def forward(self, query: Tensor, states: Tensor, filled: Tensor) -> tuple[Tensor, Tensor]:
        made = self.model.queries(query)
        return self.model.step(states, filled, made, self.model.choose(states, filled, made))


class _Score(_ModelPart[Drilldown]):
    """How well a state fits pictures."""

    def forward(self, states: Tensor, filled: Tensor, regions: Tensor) -> Tensor:
        return self.model.similarity(states, filled, self.model.pictures(regions))


def export_drilldown(model: Drilldown, fingerprint: str, folder: Path, figures: dict[str, Any]) -> None:
    """Write the update of the states, the similarity and the description."""
    folder.mkdir(parents=True, exist_ok=True)
    model = copy.deepcopy(model).float().cpu().eval()
    shape = model.shape
    states, filled = model.empty(1)
    query, regions = torch.zeros(1, shape.query), torch.zeros(2, 37, shape.regions)
    export_graph(
        _Step(model),
        (query, states, filled),
        folder / drilldown.STEP,
        ("query", "states", "filled"),
        ("new_states", "new_filled"),
        {},
    )
    export_graph(
        _Score(model),
        (states, filled, regions),
        folder / drilldown.SCORE,
        ("states", "filled", "regions"),
        ("scores",),
        {"regions": {0: "n", 1: "r"}, "scores": {1: "n"}},
    )
    sizes = {"states": shape.states, "dimension": shape.dimension, "regions": 36}
    described = {**sizes, "form": shape.form, "whole": shape.whole}
    describe(folder / drilldown.DESCRIPTION, fingerprint, {**described, "trained": figures})


def exported_weights(model: Drilldown, folder: Path) -> dict[str, Tensor]:
    """The weights that ``export_drilldown`` wrote, as a state of a network of the same shape.

    A product with a constant is written transposed and without a name, so these are told by their order.
    """
    weights: dict[str, Tensor] = {}
    unnamed: list[Tensor] = []
    for name in (drilldown.STEP, drilldown.SCORE):
        graph = load(folder / name)
        weights |= _named(graph)
        unnamed += _factors(graph)
    missing = [name for name in model.state_dict() if name not in weights]
    *policy, image = unnamed  # those of the update come before that of the similarity
    weights |= zip([one for one in missing if one.startswith("policy.")], policy, strict=True)
    return {**weights, "image.weight": image}


def _named(graph: ModelProto) -> dict[str, Tensor]:
    held = ((one.name.removeprefix("model."), one) for one in graph.graph.initializer if one.name.startswith("model."))
    return {name: torch.from_numpy(numpy_helper.to_array(one).copy()) for name, one in held}


def _factors(graph: ModelProto) -> list[Tensor]:
    constants = {one.name: one for one in graph.graph.initializer}
    products = [node.input[1] for node in graph.graph.node if node.op_type == "MatMul" and node.input[1] in constants]
    return [torch.from_numpy(numpy_helper.to_array(constants[name]).T.copy()) for name in products]


def export_chatir(head: DialogHead, fingerprint: str, folder: Path, figures: dict[str, Any]) -> None:
    """Write the head and the description."""
    folder.mkdir(parents=True, exist_ok=True)
    head = copy.deepcopy(head).float().cpu().eval()
    shape = head.shape
    tokens, mask = torch.zeros(1, 7, shape.width), torch.ones(1, 7)
    free = {0: "n", 1: "length"}
    export_graph(
        head,
        (tokens, mask, torch.zeros(1, shape.dimension)),
        folder / chatir.MODEL,
        ("tokens", "mask", "whole"),
        ("query",),
        {"tokens": free, "mask": free, "whole": {0: "n"}, "query": {0: "n"}},
    )
    describe(folder / chatir.DESCRIPTION, fingerprint, {"inner": shape.inner, "trained": figures})


class _Query(_ModelPart[DialogRetriever]):
    """A history in single inputs: the query."""

    def forward(
        self, words: Tensor, there: Tensor, pictures: Tensor, attributes: Tensor, seen: Tensor, said: Tensor
    ) -> Tensor:
        return self.model(History(words, there, pictures, attributes, seen, said))


def export_fashioniq(
    model: DialogRetriever,
    predictor: AttributePredictor,
    table: AttributeTable,
    fingerprint: str,
    folder: Path,
    figures: dict[str, Any],
    kind: Kind = "int8-rows",
) -> None:
    """Write the retriever, the attribute predictor and the description; matrix products in bytes unless told."""
    folder.mkdir(parents=True, exist_ok=True)
    model, predictor = (copy.deepcopy(one).float().cpu().eval() for one in (model, predictor))
    shape = model.shape
    history = (
        torch.zeros(1, 2, 7, shape.tokens),
        torch.ones(1, 2, 7),
        torch.zeros(1, 2, shape.dimension),
        torch.zeros(1, 2, TOP, dtype=torch.long),
        torch.ones(1, 2),
        torch.zeros(1, shape.dimension),
    )
    turns = {0: "n", 1: "turns"}
    free = dict.fromkeys(("pictures", "attributes", "seen"), turns)
    free |= {name: {**turns, 2: "length"} for name in ("words", "there")}
    with TemporaryDirectory(prefix="visavis-export-") as work:
        draft = Path(work) / "draft.onnx"
        free |= {"said": {0: "n"}, "query": {0: "n"}}
        export_graph(_Query(model), history, draft, History._fields, ("query",), free)
        quantise(draft, folder / fashioniq.MODEL, kind, named=False, table=_TABLE)
        pictures = (torch.zeros(2, shape.dimension), torch.zeros(2, 36, shape.dimension))
        dims = {"whole": {0: "n"}, "regions": {0: "n", 1: "r"}, "logits": {0: "n"}}
        export_graph(predictor, pictures, draft, ("whole", "regions"), ("logits",), dims)
        quantise(draft, folder / fashioniq.ATTRIBUTES_MODEL, kind, named=False)
    sizes = {"turns": shape.turns, "words": shape.words, "top": TOP, "attributes": table.as_json()}
    describe(folder / fashioniq.DESCRIPTION, fingerprint, {**sizes, "trained": figures})


def describe(path: Path, fingerprint: str, value: dict[str, Any]) -> None:
    """Write the description beside weights: the encoder they belong to, sizes and figures."""
    path.write_text(json.dumps({"encoder": fingerprint, **value}, indent=2) + "\n", encoding="utf-8")


def export_graph(
    module: nn.Module,
    example: tuple[Tensor, ...],
    path: Path,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    free: dict[str, dict[int, str]],
) -> None:
    """Write a module as an ONNX graph."""
    torch.onnx.export(
        module.eval(),
        example,
        str(path),
        input_names=list(inputs),
        output_names=list(outputs),
        dynamic_axes=free,
        opset_version=17,
        dynamo=False,
    )


class _Gather(_ModelPart[Mai]):
    """Pictures and captions: tokens, and the vectors that pictures are found by."""

    def forward(self, whole: Tensor, regions: Tensor, caption: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        tokens = self.model.gather_picture(whole, regions, caption, mask)
        return tokens, self.model.target(whole, tokens)


class _Compose(_ModelPart[Mai]):
    """Kept tokens and a request: the vector of the picture that is meant."""

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
