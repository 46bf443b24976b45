"""Whether catalogue, vectors, files and thumbnails agree; and making them agree again."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from visavis.collections import ledger
from visavis.collections.batches import batches
from visavis.collections.indexing.reading import DECODED_SIZE, small_copy
from visavis.collections.leftovers import leftovers
from visavis.collections.payload import payload_of
from visavis.collections.sources.candidate import is_gone
from visavis.errors import VisavisError
from visavis.pictures.opening import OpenedPicture, open_scaled
from visavis.pictures.picture import Picture
from visavis.pictures.thumbnails import save_thumbnail
from visavis.stores.base import Point

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

_BATCH = 500
#: How many examples of each kind of fault are named.
_NAMED = 10


@dataclass
class Fault:
    """One kind of disagreement.

    Attributes:
        kind: What is wrong, in words.
        count: How often.
        repaired: How many of them were put right.
        examples: Ids or paths.
    """

    kind: str
    count: int = 0
    repaired: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass
class Verification:
    """What was looked at and what was wrong with it."""

    pictures: int = 0
    points: int = 0
    faults: dict[str, Fault] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong (any more)."""
        return all(fault.repaired == fault.count for fault in self.faults.values())

    def note(self, kind: str, example: str, *, repaired: bool) -> None:
        """Count a fault."""
        fault = self.faults.setdefault(kind, Fault(kind))
        fault.count += 1
        fault.repaired += repaired
        if len(fault.examples) < _NAMED:
            fault.examples.append(example)

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {
            "sound": self.sound,
            "pictures": self.pictures,
            "points": self.points,
            "faults": [vars(fault) for fault in self.faults.values()],
        }


class Verifier:
    """Walks through a collection once by its rows and once by its points."""

    def __init__(self, collection: Collection, *, repair: bool, forget_missing: bool = False) -> None:
        """Look at one collection.

        Args:
            collection: Which.
            repair: Whether to put right what can be.
            forget_missing: Whether pictures without a file are forgotten.
        """
        self._collection = collection
        self._repair = repair
        self._forget_missing = forget_missing
        self._result = Verification()

    def run(self) -> Verification:
        """Verify everything."""
        for pictures in self._collection.catalogue.scroll(_BATCH):
            self._result.pictures += len(pictures)
            kept = [picture for picture in pictures if not self._forgotten(picture)]
            kept = self._check_files(kept)
            self._check_points(kept)
            self._check_thumbnails(kept)
        self._check_strangers()
        self._check_leftovers()
        if self._repair:
            self._collection.store.flush()
        return self._result

    def _forgotten(self, picture: Picture) -> bool:
        if picture.missing and self._forget_missing:
            self._collection.remove_pictures([picture.id])
            return True
        return False

    def _check_files(self, pictures: list[Picture]) -> list[Picture]:
        """Files the catalogue counts on must exist; returns the pictures as they are then."""
        gone = [
            path for picture in pictures if not picture.missing for path in picture.paths if is_gone(path)
        ]  # fmt: skip
        for path in gone:
            self._result.note("the file is gone", path, repaired=self._repair)
        if gone and self._repair:
            ledger.mark_missing(self._collection.catalogue, gone)
            return list(self._collection.catalogue.pictures([picture.id for picture in pictures]).values())
        return pictures

    def _check_points(self, pictures: list[Picture]) -> None:
        """Each picture must have its vectors, with the payload its rows say."""
        store = self._collection.store
        payloads = store.payloads([picture.id for picture in pictures])
        for picture in pictures:
            wanted = payload_of(picture)
            if picture.id not in payloads:
                self._result.note(
                    "the vectors are missing", picture.id, repaired=self._repair and self._encode(picture)
                )
            elif payloads[picture.id] != wanted:
                self._result.note("the vectors have old attributes", picture.id, repaired=self._repair)
                if self._repair:
                    store.set_payload(picture.id, wanted)

    def _check_thumbnails(self, pictures: list[Picture]) -> None:
        for picture in pictures:
            path = self._collection.thumbnail(picture.id)
            if not picture.missing and not path.is_file():
                repaired = self._repair and self._draw(picture)
                self._result.note("the thumbnail is missing", picture.id, repaired=repaired)

    def _check_strangers(self) -> None:
        """Points without a row: left by a run that was killed before it wrote the row."""
        store = self._collection.store
        for ids in batches(list(store.ids()), _BATCH):
            self._result.points += len(ids)
            known = ledger.known_pictures(self._collection.catalogue, ids)
            strangers = [id for id in ids if id not in known]
            for id in strangers:
                self._result.note("vectors without a row", id, repaired=self._repair)
            if strangers and self._repair:
                store.delete(strangers)

    def _check_leftovers(self) -> None:
        """Files of edits without a row: left in the same way, and taking room."""
        for path in leftovers(self._collection.place.edits_folder, self._collection.catalogue):
            self._result.note("an edited file without a row", str(path), repaired=self._repair)
            if self._repair:
                path.unlink(missing_ok=True)

    def _encode(self, picture: Picture) -> bool:
        opened = _open(picture)
        if opened is None:
            return False
        encoded = self._collection.encoder.encode_pictures([opened.image])
        self._collection.store.upsert([Point(picture.id, encoded.whole[0], encoded.regions[0], payload_of(picture))])
        return True

    def _draw(self, picture: Picture) -> bool:
        opened = _open(picture)
        if opened is None:
            return False
        save_thumbnail(self._collection.place.thumbnails_folder, picture.id, small_copy(opened.image))
        return True


def _open(picture: Picture) -> OpenedPicture | None:
    """The picture from a file that holds it still, with the same content."""
    for path in picture.paths:
        try:
            opened = open_scaled(Path(path), DECODED_SIZE)
        except VisavisError:
            continue
        if opened.id == picture.id:
            return opened
    return None
