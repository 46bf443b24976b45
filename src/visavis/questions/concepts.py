"""The vocabulary as vectors, embedded once for each encoder and kept in the home."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import Encoder, FloatArray
from visavis.home import ensure_folder, home_folder
from visavis.questions.vocabulary import Concept, default_vocabulary

FloatArray64 = NDArray[np.float64]
_BATCH = 64


class ConceptBank:
    """Concepts, and how well pictures match them.

    The vocabulary's vectors are read from the home, or made and saved there; other prompts ("a red car") are embedded
    when they are first needed and remembered.
    """

    def __init__(
        self,
        encoder: Encoder,
        vocabulary: Sequence[Concept] | None = None,
        home: Path | str | None = None,
    ) -> None:
        self.encoder = encoder
        self.concepts = tuple(default_vocabulary() if vocabulary is None else vocabulary)
        self._home = home
        self._vectors: FloatArray | None = None
        self._prompts: dict[str, FloatArray] = {}
        self.places = {concept.prompt: place for place, concept in enumerate(self.concepts)}

    @property
    def vectors(self) -> FloatArray:
        """``[v, d]``: one vector a concept."""
        if self._vectors is None:
            self._vectors = self._load() if (file := self._file()).exists() else None
            if self._vectors is None:
                self._vectors = self._embed([concept.prompt for concept in self.concepts])
                _save(file, self._vectors)
        return self._vectors

    def prompt_vectors(self, prompts: Sequence[str]) -> FloatArray:
        """``[q, d]``: one vector a prompt."""
        new = [prompt for prompt in dict.fromkeys(prompts) if prompt not in self._prompts]
        if new:
            self._prompts.update({p: self.vectors[self.places[p]] for p in new if p in self.places})
            unknown = [p for p in new if p not in self.places]
            self._prompts.update(zip(unknown, self._embed(unknown), strict=True))
        return np.array([self._prompts[prompt] for prompt in prompts], np.float32).reshape(-1, self.encoder.dimension)

    def match(self, regions: FloatArray, vectors: FloatArray | None = None) -> FloatArray:
        """``[n, v]``: the cosine of each picture's best region with each concept (or with other vectors)."""
        wanted = self.vectors if vectors is None else vectors
        best = np.empty((len(regions), len(wanted)), np.float32)
        for start in range(0, len(regions), _BATCH):
            part = np.asarray(regions[start : start + _BATCH], np.float32)
            cosines = part.reshape(-1, part.shape[-1]) @ wanted.T
            best[start : start + _BATCH] = cosines.reshape(len(part), part.shape[1], -1).max(axis=1)
        return best

    def _embed(self, prompts: Sequence[str]) -> FloatArray:
        parts = [self.encoder.encode_texts(prompts[at : at + _BATCH]) for at in range(0, len(prompts), _BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.encoder.dimension), np.float32)

    def _file(self) -> Path:
        """Named after the encoder and the prompts: another of either is another file."""
        name = getattr(self.encoder, "fingerprint", self.encoder.name)
        prompts = "\n".join(concept.prompt for concept in self.concepts)
        digest = hashlib.blake2b(f"{name}\n{prompts}".encode(), digest_size=10).hexdigest()
        return home_folder(self._home) / "cache" / "concepts" / f"{digest}.npy"

    def _load(self) -> FloatArray | None:
        try:
            vectors = np.load(self._file()).astype(np.float32)
        except (OSError, ValueError, EOFError):
            return None  # damaged: it is made anew
        return vectors if vectors.shape == (len(self.concepts), self.encoder.dimension) else None


def _save(file: Path, vectors: FloatArray) -> None:
    """Whole or not at all: another process may be reading."""
    ensure_folder(file.parent)
    draft = file.with_suffix(f".{os.getpid()}.draft")
    with draft.open("wb") as stream:
        np.save(stream, vectors.astype(np.float16))
    draft.replace(file)
