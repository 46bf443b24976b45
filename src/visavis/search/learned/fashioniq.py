"""Fashion IQ's retriever at run time: words, predicted attributes and picture of every turn become one query."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from visavis.conversation.history import Dialogue, Round
from visavis.encoders.base import Encoder
from visavis.encoders.builtin import Tower, token_encoder
from visavis.errors import NotFoundError, StorageError
from visavis.language.prompt import without_prefix
from visavis.search.learned.base import DialogueQuery, DialogueReader, PictureVectors, read_weights_file, trained_for
from visavis.search.phrases import joined
from visavis.types import FloatArray

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

WEIGHTS = Path(__file__).parent / "weights"
DESCRIPTION, ATTRIBUTES_MODEL = "fashioniq.json", "fashioniq-attributes.onnx"
MODEL = "fashioniq.onnx"
#: Queries that are remembered: those of a few conversations.
_REMEMBERED = 256


class PictureAttributes:
    """Fashion IQ's attribute predictor: texture, fabric, shape, part and style of products."""

    def __init__(self, folder: Path) -> None:
        described = read_weights_file(folder / DESCRIPTION)
        self.top = int(described["top"])
        self.names: tuple[str, ...] = tuple(described["attributes"]["names"])
        self.types: tuple[str, ...] = tuple(described["attributes"]["types"])
        self._model = Tower(folder / ATTRIBUTES_MODEL)

    def logits(self, whole: FloatArray, regions: FloatArray) -> FloatArray:
        """One logit an attribute of pictures ``[n, d]`` with regions ``[n, r, d]``, ``[n, a]``."""
        feeds = {"whole": np.asarray(whole, np.float32), "regions": np.asarray(regions, np.float32)}
        return np.asarray(self._model.run(feeds)[0], np.float32)

    def numbers(self, whole: FloatArray, regions: FloatArray) -> NDArray[np.int64]:
        """Numbers of the likeliest attributes, ``[n, top]``, likeliest first."""
        order = np.argsort(-self.logits(whole, regions), axis=1, kind="stable")
        return np.asarray(order[:, : self.top], np.int64)

    def named(self, whole: FloatArray, regions: FloatArray) -> list[dict[str, str]]:
        """For each picture the likeliest attribute of each type that is more likely than not."""
        made = []
        for row in self.logits(whole, regions):
            found: dict[str, str] = {}
            for number in np.argsort(-row, kind="stable"):
                if row[number] <= 0:
                    break
                found.setdefault(self.types[number], self.names[number])
            made.append(found)
        return made


def write_table(collection: StoredCollection, output: Path, folder: Path = WEIGHTS) -> int:
    """Write what is predicted of a collection's pictures as a CSV file that can be indexed.

    Pictures that a catalogue gives attributes, and those whose files are gone, are left out; the day and the place that
    a file tells are no catalogue.

    Returns:
        How many pictures it has.

    Raises:
        NotFoundError: The predictor is not there, or was made for another encoder.
    """
    if not all((folder / file).is_file() for file in (DESCRIPTION, ATTRIBUTES_MODEL)):
        raise NotFoundError("The attribute predictor is not installed.", "Install visavis anew.")
    if (wanted := trained_for(folder / DESCRIPTION)) != collection.encoder.fingerprint:
        raise NotFoundError(f"The attribute predictor was made for the encoder {wanted}.", "Upgrade the collection.")
    predictor = PictureAttributes(folder)
    columns = ("file", *dict.fromkeys(predictor.types))
    written = 0
    try:
        with output.open("w", encoding="utf-8", newline="") as stream:
            table = csv.DictWriter(stream, columns)
            table.writeheader()
            for points in collection.store.scroll(256):
                ids = [point.id for point in points]
                pictures, described = collection.catalogue.pictures(ids), collection.catalogue.described(ids)
                for point in points:
                    picture = pictures.get(point.id)
                    if picture is None or picture.missing or picture.id in described:
                        continue
                    regions = point.whole[None] if point.regions is None else point.regions
                    row = predictor.named(point.whole[None], regions[None])[0]
                    table.writerow({"file": picture.paths[0], **row})
                    written += 1
    except OSError as error:
        raise StorageError(f"{output} cannot be written: {error.strerror}.", "Choose another file.") from error
    return written


class FashioniqReader(DialogueReader):
    """One pass over the turns; a turn's picture is the one that it points at, or the first that was shown before it."""

    name = "fashioniq"

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        described = read_weights_file(folder / DESCRIPTION)
        self._turns, self._words = int(described["turns"]), int(described["words"])
        self.attributes = PictureAttributes(folder)
        self._encoder = token_encoder(encoder, self.name)
        self._retriever = Tower(folder / MODEL)
        self._known: LRUCache[tuple[tuple[str, str], ...], FloatArray] = LRUCache(_REMEMBERED)
        self._lock = Lock()
        self.bytes_a_picture = 2 * encoder.dimension

    def read(self, dialogue: Dialogue, pictures: PictureVectors) -> DialogueQuery | None:
        """The query of the last turns that describe what is wanted."""
        rounds = [(without_prefix(one.text), _picture(one)) for one in dialogue if one.text]
        if not rounds:
            return None
        key = tuple(rounds[-self._turns :])
        with self._lock:
            found = self._known.get(key)
        if found is None:
            found = self.vector(key, pictures)
            with self._lock:
                self._known[key] = found
        return DialogueQuery(found)

    def vector(self, rounds: Sequence[tuple[str, str]], pictures: PictureVectors) -> FloatArray:
        """The vector of the picture that is meant, ``[d]``.

        Args:
            rounds: What each turn said, and the picture that it was said of; an empty id where there was none.
            pictures: Gives the vectors of pictures.
        """
        texts = [text for text, _ in rounds]
        read = [tokens[: self._words] for tokens in self._encoder.encode_tokens(texts)]
        words = np.zeros((1, len(rounds), max(map(len, read)), read[0].shape[1]), np.float32)
        there = np.zeros(words.shape[:3], np.float32)
        for turn, tokens in enumerate(read):
            words[0, turn, : len(tokens)], there[0, turn, : len(tokens)] = tokens, 1.0
        shown = np.zeros((1, len(rounds), self._encoder.dimension), np.float32)
        named = np.zeros((1, len(rounds), self.attributes.top), np.int64)
        seen = np.zeros((1, len(rounds)), np.float32)
        for turn, (_, id) in enumerate(rounds):
            whole, regions = pictures([id] if id else [])
            if len(whole) and whole[0].any():
                shown[0, turn], seen[0, turn] = whole[0], 1.0
                named[0, turn] = self.attributes.numbers(whole, regions)[0]
        feeds = {
            "words": words,
            "there": there,
            "pictures": shown,
            "attributes": named,
            "seen": seen,
            "said": self._encoder.encode_texts([joined(texts)]),
        }
        return np.asarray(self._retriever.run(feeds)[0][0], np.float32)


def _picture(one: Round) -> str:
    return next(iter((*one.pointed, *one.shown[:1])), "")
