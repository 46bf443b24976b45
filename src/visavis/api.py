"""The facade for Python users: open a collection, index pictures, search.

import visavis

with visavis.open_collection("holidays", create=True) as holidays:
holidays.index("~/Pictures/holidays")
found = holidays.search("a dog on a beach", avoid=["people"])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from visavis.collections.collection import StoredCollection
from visavis.collections.places import Place
from visavis.encoders.base import Encoder
from visavis.language.filter_text import parse_filter
from visavis.search.engine import FoundPicture, SearchEngine, SearchResults
from visavis.search.learned.kept import forget
from visavis.search.results import NEAR_DUPLICATE
from visavis.stores.base import Store
from visavis.stores.filters import Filter

__all__ = ["Collection", "FoundPicture", "SearchResults", "open_collection"]


class Collection(StoredCollection):
    """A named, searchable set of pictures. Opened with :func:`open_collection`; close it, or use ``with``."""

    @cached_property
    def engine(self) -> SearchEngine:
        """Ranks its pictures: for single searches and for conversations alike."""
        return SearchEngine(self)

    def refresh(self) -> None:
        """Measure anew what scores mean in this collection; called after indexing."""
        self.engine.refresh()

    def remove_pictures(self, ids: Sequence[str]) -> None:
        """Remove pictures: vectors, rows and thumbnails; the files themselves stay."""
        super().remove_pictures(ids)
        forget(self.place.folder, ids)

    def search(
        self,
        text: str = "",
        k: int = 20,
        *,
        like: Sequence[str | Path] = (),
        avoid: Sequence[str] = (),
        filter: Filter | str | None = None,
        sort: str = "",
        with_edits: bool = False,
        all_copies: bool = False,
    ) -> SearchResults:
        """Find pictures by words, by a picture, or by both.

        What matches comes first, then what comes near; ``matches`` tells how many of all pictures match.

        Args:
            text: What they show.
            k: How many at most.
            like: Pictures they resemble: ids, or paths of files that need not be in the collection.
            avoid: What they must not show.
            filter: Conditions on attributes, as values or as text (``"price < 50"``).
            sort: The order of what matches: an attribute, ``brightness`` or ``saturation``, and ``asc`` or ``desc``.
            with_edits: Whether edited pictures are shown too.
            all_copies: Whether near-duplicates are shown one by one instead of folded into the best of them.
        """
        found = self.engine.search(
            text.strip(),
            k,
            like=like,
            avoid=avoid,
            filter=parse_filter(filter) if isinstance(filter, str) else filter,
            sort=sort,
            with_edits=with_edits,
            fold=None if all_copies else NEAR_DUPLICATE,
        )
        return replace(found, waiting=self.waiting())


def open_collection(
    name: str,
    home: Path | str | None = None,
    store: str | Store | None = None,
    *,
    catalogue: str | None = None,
    encoder: Encoder | str | None = None,
    create: bool = False,
) -> Collection:
    """Open a collection by its name.

    Args:
        name: Letters, digits, dots, underscores and dashes.
        home: Where visavis keeps its things; by default VISAVIS_HOME, or the platform's place for data.
        store: For a new collection: where its vectors live (``qdrant://host:6333``), by default in its folder; or a
            store that is open already.
        catalogue: For a new collection: a ``postgresql://`` URL; by default SQLite in its folder.
        encoder: An encoder, or for a new collection the name of one.
        create: Create it if there is none.

    Raises:
        NotFoundError: There is no such collection, and ``create`` is not set.

    Example:
        >>> import visavis
        >>> with visavis.open_collection("holidays", home, create=True) as holidays:
        ...     report = holidays.index(pictures)
        ...     found = holidays.search("a red square", k=1)
        >>> report.files, [Path(result.picture.path).name for result in found.results]
        (3, ['red.png'])
    """
    return Collection.open(Place.of(name, home), store, catalogue=catalogue, encoder=encoder, create=create)
