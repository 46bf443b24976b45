"""Verify and repair the consistency of catalogue, vectors, files and thumbnails."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import text

from visavis.collections import ledger
from visavis.collections.catalogue import payload_of
from visavis.collections.descriptions import merged_details
from visavis.collections.edited import orphaned_files
from visavis.collections.indexing.stages import DECODED_SIZE, small_copy, sync_payloads
from visavis.collections.sources.candidates import is_missing
from visavis.database import check_database, is_intact
from visavis.encoders.base import FloatArray
from visavis.errors import VisavisError
from visavis.pictures.decoder import OpenedPicture
from visavis.pictures.picture import Picture
from visavis.pictures.reader import open_scaled
from visavis.pictures.thumbnails import save_thumbnail
from visavis.stores.base import StoredPoint
from visavis.types import batches

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

_BATCH = 500
#: How far from one the length of a vector may be; stores keep whole pictures in half precision at least, regions in
#: one byte a number.
_WHOLE_TOLERANCE, _REGION_TOLERANCE = 0.005, 0.05
#: How many examples of each kind of fault are listed.
_NAMED = 10


@dataclass
class Fault:
    """One kind of inconsistency.

    Attributes:
        kind: Its description.
        count: How often.
        repaired: How many of them were repaired.
        examples: Ids or paths.
    """

    kind: str
    count: int = 0
    repaired: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass
class Verification:
    """The result of a verification."""

    pictures: int = 0
    points: int = 0
    faults: dict[str, Fault] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether no fault remains."""
        return all(fault.repaired == fault.count for fault in self.faults.values())

    def note(self, kind: str, example: str, *, repaired: bool) -> None:
        """Count a fault."""
        fault = self.faults.setdefault(kind, Fault(kind))
        fault.count += 1
        fault.repaired += repaired
        if len(fault.examples) < _NAMED:
            fault.examples.append(example)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON values."""
        return {
            "sound": self.sound,
            "pictures": self.pictures,
            "points": self.points,
            "faults": [vars(fault) for fault in self.faults.values()],
        }


class Verifier:
    """Scans a collection once by its rows and once by its points."""

    def __init__(self, collection: StoredCollection, *, repair: bool, forget_missing: bool = False) -> None:
        """Prepare the verification of one collection.

        Args:
            collection: The collection.
            repair: Whether to repair what can be.
            forget_missing: Whether pictures without a file are removed.
        """
        self._collection = collection
        self._repair = repair
        self._forget_missing = forget_missing
        self._result = Verification()

    def run(self) -> Verification:
        """Verify everything.

        Raises:
            StorageError: The database of the catalogue is damaged, so that nothing else can be judged.
        """
        check_database(self._collection.catalogue)
        for pictures in self._collection.catalogue.scroll(_BATCH):
            self._result.pictures += len(pictures)
            kept = [picture for picture in pictures if not self._forgotten(picture)]
            kept = self._check_files(kept)
            self._check_rows(kept)
            kept = self._check_details(kept)
            self._check_points(kept)
            self._check_thumbnails(kept)
        self._check_orphaned_points()
        self._check_vectors()
        self._check_orphaned_files()
        self._check_turns()
        if self._repair:
            self._collection.store.flush()
        return self._result

    def _forgotten(self, picture: Picture) -> bool:
        if picture.missing and self._forget_missing:
            self._collection.remove_pictures([picture.id])
            return True
        return False

    def _check_files(self, pictures: list[Picture]) -> list[Picture]:
        """Check that known files exist; returns the updated pictures."""
        missing = [
            path for picture in pictures if not picture.missing for path in picture.paths if is_missing(path)
        ]  # fmt: skip
        for path in missing:
            self._result.note("the file is gone", path, repaired=self._repair)
        if missing and self._repair:
            due = ledger.mark_missing(self._collection.catalogue, missing)
            sync_payloads(self._collection.catalogue, self._collection.store, due)
            return list(self._collection.catalogue.pictures([picture.id for picture in pictures]).values())
        return pictures

    def _check_rows(self, pictures: list[Picture]) -> None:
        """Check the captions and attributes in the row of each file by their digest; indexing reads them again."""
        damaged = ledger.damaged_files(self._collection.catalogue, [picture.id for picture in pictures])
        for path in damaged:
            self._result.note("the row of the file is damaged: index its folder again", path, repaired=False)
        if damaged and self._repair:
            ledger.read_again(self._collection.catalogue, damaged)

    def _check_details(self, pictures: list[Picture]) -> list[Picture]:
        """Check that each picture has the captions and attributes of its files; returns the updated pictures."""
        catalogue = self._collection.catalogue
        ids = [picture.id for picture in pictures]
        with catalogue.transaction() as session:
            wanted = merged_details(session, ids)
        wrong = [picture.id for picture in pictures if wanted.get(picture.id, picture.details) != picture.details]
        for id in wrong:
            self._result.note("captions or attributes of its files are missing", id, repaired=self._repair)
        if wrong and self._repair:
            sync_payloads(catalogue, self._collection.store, ledger.merge_details(catalogue, wrong))
            return list(catalogue.pictures(ids).values())
        return pictures

    def _check_points(self, pictures: list[Picture]) -> None:
        """Check that each picture has its vectors, with the payload of its rows."""
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
                repaired = self._repair and self._make_thumbnail(picture)
                self._result.note("the thumbnail is missing", picture.id, repaired=repaired)

    def _check_orphaned_points(self) -> None:
        """Find points without a row, from a run that was killed before it wrote the row."""
        store = self._collection.store
        for ids in batches(list(store.ids()), _BATCH):
            self._result.points += len(ids)
            known = ledger.known_pictures(self._collection.catalogue, ids)
            strangers = [id for id in ids if id not in known]
            for id in strangers:
                self._result.note("vectors without a row", id, repaired=self._repair)
            if strangers and self._repair:
                store.delete(strangers)

    def _check_vectors(self) -> None:
        """Find vectors that are not of length one, as every encoder makes them, and regions that cannot be read."""
        without: list[str] = []
        regions = False
        for points in self._collection.store.scroll(_BATCH):
            self._encode_again("the vectors are damaged", [point.id for point in points if not _is_sound(point)])
            without += [point.id for point in points if point.regions is None]
            regions = regions or any(point.regions is not None for point in points)
        for ids in batches(without if regions else [], _BATCH):  # an encoder gives all pictures regions, or none
            self._encode_again("the regions are missing or damaged", ids)

    def _encode_again(self, fault: str, ids: list[str]) -> None:
        for id, picture in self._collection.catalogue.pictures(ids).items():
            self._result.note(fault, id, repaired=self._repair and self._encode(picture))

    def _check_orphaned_files(self) -> None:
        """Find files of edits without a row, from a killed process; they waste space."""
        for path in orphaned_files(self._collection.place.edits_folder, self._collection.catalogue):
            self._result.note("an edited file without a row", str(path), repaired=self._repair)
            if self._repair:
                path.unlink(missing_ok=True)

    def _check_turns(self) -> None:
        """Find turns of conversations whose text is not what was written."""
        with self._collection.catalogue.transaction() as session:
            every = text("SELECT conversation_id, number, body FROM turns").execution_options(yield_per=100)
            rows = session.execute(every)
            wrong = [f"conversation {id}, turn {number}" for id, number, body in rows if not is_intact(body)]
        for turn in wrong:
            self._result.note("the text of a turn is damaged: bring back a copy of the catalogue", turn, repaired=False)

    def _encode(self, picture: Picture) -> bool:
        opened = open_unchanged(picture)
        if opened is None:
            return False
        encoded = self._collection.encoder.encode_pictures([opened.image])
        self._collection.store.upsert(
            [StoredPoint(picture.id, encoded.whole[0], encoded.regions[0], payload_of(picture))]
        )
        return True

    def _make_thumbnail(self, picture: Picture) -> bool:
        opened = open_unchanged(picture)
        if opened is None:
            return False
        save_thumbnail(self._collection.place.thumbnails_folder, picture.id, small_copy(opened.image))
        return True


def _is_sound(point: StoredPoint) -> bool:
    whole = _is_unit(point.whole, _WHOLE_TOLERANCE)
    return whole and (point.regions is None or _is_unit(point.regions, _REGION_TOLERANCE))


def _is_unit(vectors: FloatArray, tolerance: float) -> bool:
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(np.atleast_2d(np.asarray(vectors, np.float64)), axis=-1)
    return bool(np.all(np.abs(lengths - 1.0) < tolerance))


def open_unchanged(picture: Picture, shorter_side: int = DECODED_SIZE) -> OpenedPicture | None:
    """Open the picture, scaled to this size, from a file that still has its content."""
    for path in picture.paths:
        try:
            opened = open_scaled(Path(path), shorter_side)
        except VisavisError:
            continue
        if opened.id == picture.id:
            return opened
    return None
