"""The vocabulary as vectors, encoded once for each encoder and kept in the home."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import Encoder
from visavis.files import PRIVATE_FILE, replacing
from visavis.home import home_folder
from visavis.search.vectors import TextVectors, product
from visavis.search.vocabulary import Term, default_vocabulary, prompts
from visavis.types import UNREADABLE, FloatArray

FloatArray64 = NDArray[np.float64]
#: The file of vectors that ships with the package.
PACKAGE = "vectors.npz"
_BATCH = 64


class ConceptBank:
    """Concepts, and how well pictures match them.

    The vectors of the vocabulary come with the package for the encoder that does; for another one they are read from
    the home, or made and saved there. Other prompts ("a red car") are embedded when they are first needed.
    """

    def __init__(
        self,
        encoder: Encoder,
        vocabulary: Sequence[Term] | None = None,
        home: Path | str | None = None,
        *,
        standing: Sequence[str] = (),
    ) -> None:
        """Set it up; nothing is read before it is needed.

        Args:
            encoder: Makes vectors of words.
            vocabulary: The concepts; those that ship with the package, unless told.
            home: Where vectors are kept.
            standing: Other prompts that are always needed; their vectors are kept with the vocabulary's.
        """
        self.encoder = encoder
        self.concepts = tuple(default_vocabulary() if vocabulary is None else vocabulary)
        self._home = home
        self._vectors: FloatArray | None = None
        self._texts = TextVectors(encoder)
        self._kept = [*(concept.prompt for concept in self.concepts), *standing]
        self.places = {prompt: place for place, prompt in enumerate(self._kept)}

    @property
    def vectors(self) -> FloatArray:
        """``[v, d]``: one vector a concept."""
        return self._all_vectors()[: len(self.concepts)]

    def _all_vectors(self) -> FloatArray:
        if self._vectors is None:
            digest, file = self._digest(), self._file()
            vectors = packaged_vectors(digest)
            if vectors is None:
                vectors = self._load() if file.exists() else None
            if vectors is None:
                vectors = self._embed(self._kept)
                with replacing(file, parents=True, mode=PRIVATE_FILE) as stream:  # another process may be reading
                    np.save(stream, vectors.astype(np.float16))
            self._vectors = vectors
        return self._vectors

    def prompt_vectors(self, prompts: Sequence[str]) -> FloatArray:
        """``[q, d]``: one vector a prompt."""
        kept, places = self._all_vectors(), self.places
        others = [prompt for prompt in dict.fromkeys(prompts) if prompt not in places]
        made = dict(zip(others, self._texts(others), strict=True))
        rows = [kept[places[prompt]] if prompt in places else made[prompt] for prompt in prompts]
        return np.array(rows, np.float32).reshape(-1, self.encoder.dimension)

    def match(self, regions: FloatArray, vectors: FloatArray | None = None) -> FloatArray:
        """``[n, v]``: the cosine of each picture's best region with each concept (or with other vectors)."""
        wanted = self.vectors if vectors is None else vectors
        best = np.empty((len(regions), len(wanted)), np.float32)
        for start in range(0, len(regions), _BATCH):
            part = np.asarray(regions[start : start + _BATCH], np.float32)
            cosines = product(part.reshape(-1, part.shape[-1]), wanted)
            best[start : start + _BATCH] = cosines.reshape(len(part), part.shape[1], -1).max(axis=1)
        return best

    def _embed(self, prompts: Sequence[str]) -> FloatArray:
        parts = [self.encoder.encode_texts(prompts[at : at + _BATCH]) for at in range(0, len(prompts), _BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.encoder.dimension), np.float32)

    def _digest(self) -> str:
        """Of the encoder and the prompts: another of either has other vectors."""
        text = "\n".join([getattr(self.encoder, "fingerprint", self.encoder.name), *self._kept])
        return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()

    def _file(self) -> Path:
        return home_folder(self._home) / "cache" / "concepts" / f"{self._digest()}.npy"

    def _load(self) -> FloatArray | None:
        try:
            vectors = np.load(self._file()).astype(np.float32)
        except UNREADABLE:
            return None  # damaged: it is made anew
        return vectors if vectors.shape == (len(self._kept), self.encoder.dimension) else None

    def write_package(self, file: Path) -> None:
        """Make the file that ships with the package; to be done again when encoder or vocabulary change."""
        with file.open("wb") as stream:
            np.savez(stream, digest=self._digest(), vectors=self._embed(self._kept).astype(np.float16))


def default_bank(encoder: Encoder, home: Path | str | None = None) -> ConceptBank:
    """The vocabulary that ships with the package, and every prompt that its questions need."""
    return ConceptBank(encoder, home=home, standing=prompts())


def packaged_vectors(digest: str) -> FloatArray | None:
    """The vectors that ship with the package, if they are of this encoder and these prompts."""
    try:
        with files(__package__).joinpath(PACKAGE).open("rb") as stream, np.load(stream) as content:
            return np.asarray(content["vectors"], np.float32) if str(content["digest"]) == digest else None
    except UNREADABLE:
        return None
