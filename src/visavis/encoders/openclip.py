"""Any model of open_clip, by name: stronger encoders for machines that can download and run them (extra ``hub``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self, TypeVar

import numpy as np
from PIL import Image

from visavis.encoders.base import Encoded, Encoder, FloatArray
from visavis.encoders.inputs import clean, loaded, plain, strings, unit, window_boxes
from visavis.errors import MissingExtraError, NotFoundError

Item = TypeVar("Item")

#: Pictures, crops or texts that go through the model at once.
BATCH = 32
#: Regions are windows over this grid, as the built-in encoder's.
_REGION_GRID = 12
#: Fine vectors are taken on a grid of this side, from crops twice as wide as a cell.
PATCH_GRID = 6


class OpenClipEncoder(Encoder):
    """Wraps a model of open_clip.

    These models are trained on whole pictures only, and their inner tokens have many shapes (or none, in
    convolutional ones), so regions and patches are encoded as crops: right for every model, at ten and
    thirty-seven times the cost of the whole.
    """

    def __init__(
        self, model: Any, preprocess: Callable[[Image.Image], Any], tokenizer: Callable[[list[str]], Any], name: str
    ) -> None:
        """Wrap a model that is in memory already.

        Args:
            model: Has ``encode_image`` and ``encode_text``.
            preprocess: From a picture to the tensor that the model reads.
            tokenizer: From texts to the tensor that the model reads.
            name: The encoder's stable name.
        """
        self.name = name
        self._model = model.eval()
        self._preprocess, self._tokenizer = preprocess, tokenizer
        self._device = next(model.parameters()).device
        self.dimension = int(self._run_texts(["a"]).shape[1])

    @classmethod
    def load(cls, spec: str) -> Self:
        """Load ``MODEL/PRETRAINED``, downloading it on first use, onto a GPU where there is one."""
        open_clip, torch = _packages()
        model_name, _, weights = spec.partition("/")
        known = open_clip.list_models()
        if model_name not in known:
            raise NotFoundError(f"open_clip has no model '{model_name}'.", f"It has, among others: {_some(known)}.")
        tags = open_clip.list_pretrained_tags_by_model(model_name)
        if weights not in tags:
            raise NotFoundError(
                f"open_clip has no weights '{weights}' for {model_name}.",
                f"It has: {', '.join(tags)}." if tags else "Choose another model.",
            )
        device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            model, _, preprocess = open_clip.create_model_and_transforms(model_name, pretrained=weights, device=device)
        except Exception as error:  # the download fails in many ways
            raise NotFoundError(
                f"The weights of {spec} cannot be loaded ({error}).", "They are downloaded once: check the connection."
            ) from error
        return cls(model, preprocess, open_clip.get_tokenizer(model_name), f"openclip:{spec}")

    def encode_pictures(self, images: Sequence[Image.Image]) -> Encoded:
        """Whole vectors, and region vectors from crops."""
        boxes = window_boxes(_REGION_GRID)
        ready = [plain(image) for image in loaded(images)]
        regions = self._encode_images([crop for image in ready for crop in _crops(image, boxes)])
        return Encoded(self._encode_images(ready), regions.reshape(len(ready), len(boxes), self.dimension), boxes)

    def encode_images(self, images: Sequence[Image.Image]) -> FloatArray:
        """One vector a picture, without the regions' cost."""
        return self._encode_images([plain(image) for image in loaded(images)])

    def encode_patches(self, images: Sequence[Image.Image]) -> FloatArray:
        """A grid of vectors from overlapping crops."""
        boxes = patch_boxes()
        crops = [crop for image in loaded(images) for crop in _crops(plain(image), boxes)]
        return self._encode_images(crops).reshape(len(images), PATCH_GRID, PATCH_GRID, self.dimension)

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """One vector a text, cut where the model's tokenizer cuts."""
        lines = [clean(text) for text in strings(texts)]
        return self._stack(self._run_texts(part) for part in _parts(lines))

    def _encode_images(self, images: list[Image.Image]) -> FloatArray:
        return self._stack(self._run_images(part) for part in _parts(images))

    def _run_images(self, images: list[Image.Image]) -> FloatArray:
        _, torch = _packages()
        with torch.inference_mode():
            pixels = torch.stack([self._preprocess(image) for image in images]).to(self._device)
            return unit(self._model.encode_image(pixels).float().cpu().numpy())

    def _run_texts(self, texts: list[str]) -> FloatArray:
        _, torch = _packages()
        with torch.inference_mode():
            return unit(self._model.encode_text(self._tokenizer(texts).to(self._device)).float().cpu().numpy())

    def _stack(self, parts: Iterable[FloatArray]) -> FloatArray:
        return np.concatenate([np.zeros((0, self.dimension), np.float32), *parts])


def _parts(items: list[Item]) -> Iterator[list[Item]]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))


def patch_boxes() -> FloatArray:
    """Where the crops behind the fine vectors lie: one around each cell, reaching half a cell beyond it."""
    low = (np.arange(PATCH_GRID) - 0.5) / PATCH_GRID
    high = low + 2 / PATCH_GRID
    left, top = np.meshgrid(low, low)
    right, bottom = np.meshgrid(high, high)
    boxes = np.stack([left, top, right, bottom], axis=-1).reshape(-1, 4)
    return np.clip(boxes, 0, 1).astype(np.float32)


def _crops(image: Image.Image, boxes: FloatArray) -> Iterator[Image.Image]:
    sides = np.array([image.width, image.height] * 2)
    for left, top, right, bottom in np.round(boxes * sides).astype(int).tolist():
        # A crop of a very small picture has at least one pixel.
        x, y = min(left, image.width - 1), min(top, image.height - 1)
        yield image.crop((x, y, max(right, x + 1), max(bottom, y + 1)))


def _packages() -> tuple[Any, Any]:
    try:
        import open_clip
        import torch
    except ImportError as error:
        raise MissingExtraError("An encoder of open_clip", "hub") from error
    return open_clip, torch


def _some(names: Sequence[str]) -> str:
    usual = [name for name in ("ViT-B-32", "ViT-B-16", "ViT-L-14", "ViT-B-16-SigLIP") if name in names]
    return ", ".join(usual or list(names)[:4])
