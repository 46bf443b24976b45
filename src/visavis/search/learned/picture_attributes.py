"""Attributes that a network predicts of pictures from their vectors: for pictures that no catalogue describes."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis.collections.collection import StoredCollection
from visavis.encoders.tower import Tower
from visavis.errors import NotFoundError, StorageError
from visavis.search.learned.base import read_weights_file, trained_for
from visavis.types import FloatArray

WEIGHTS = Path(__file__).parent / "weights"
DESCRIPTION, MODEL = "fashioniq.json", "fashioniq-attributes.onnx"


class PictureAttributes:
    """Fashion IQ's attribute predictor: texture, fabric, shape, part and style of products."""

    def __init__(self, folder: Path) -> None:
        described = read_weights_file(folder / DESCRIPTION)
        self.top = int(described["top"])
        self.names: tuple[str, ...] = tuple(described["attributes"]["names"])
        self.types: tuple[str, ...] = tuple(described["attributes"]["types"])
        self._model = Tower(folder / MODEL)

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

    Pictures with attributes of their own, and those whose files are gone, are left out.

    Returns:
        How many pictures it has.

    Raises:
        NotFoundError: The predictor is not there, or was made for another encoder.
    """
    if not all((folder / file).is_file() for file in (DESCRIPTION, MODEL)):
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
                pictures = collection.catalogue.pictures([point.id for point in points])
                for point in points:
                    picture = pictures.get(point.id)
                    if picture is None or picture.missing or picture.attributes:
                        continue
                    regions = point.whole[None] if point.regions is None else point.regions
                    row = predictor.named(point.whole[None], regions[None])[0]
                    table.writerow({"file": picture.paths[0], **row})
                    written += 1
    except OSError as error:
        raise StorageError(f"{output} cannot be written: {error.strerror}.", "Choose another file.") from error
    return written
