"""A collection: the one object that everything else works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from PIL import Image

from visavis.collections import ledger
from visavis.collections.adding import add_picture
from visavis.collections.catalogue import Catalogue
from visavis.collections.database import drop_schema, schema_name
from visavis.collections.indexing.indexer import Indexer, Options
from visavis.collections.indexing.lock import index_lock
from visavis.collections.indexing.runs import find_source
from visavis.collections.indexing.work import Report
from visavis.collections.places import Place, Settings
from visavis.collections.searching.request import Search, SearchResults
from visavis.collections.searching.searcher import Searcher
from visavis.collections.sources.links import fetch, is_link
from visavis.collections.vectors import full_address, open_vectors
from visavis.collections.verifying import Verification, Verifier
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, NotFoundError
from visavis.pictures.opening import open_picture
from visavis.pictures.picture import Details, Origin, Picture
from visavis.pictures.thumbnails import thumbnail_path
from visavis.stores.base import Store
from visavis.stores.filter_text import parse_filter
from visavis.stores.filters import Filter

#: Pictures without a search index that are still looked through one by one fast enough.
_WORTH_AN_INDEX = 20_000


class Collection:
    """A named, searchable set of pictures. Opened with :func:`open_collection`; close it, or use ``with``."""

    def __init__(
        self, place: Place, settings: Settings, *, encoder: Encoder | None = None, store: Store | None = None
    ) -> None:
        self.place = place
        self.settings = settings
        self.catalogue = Catalogue(settings.catalogue or place.catalogue_file, schema_name(place.name))
        #: The encoder that was handed over, where it is not the one that the settings name.
        self.own_encoder = encoder
        self._store = store

    @property
    def name(self) -> str:
        """What it is called."""
        return self.place.name

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder that made its vectors; loaded on first use."""
        encoder = self.own_encoder or _load_encoder(self.settings.encoder)
        present = {"name": encoder.name, "dimension": encoder.dimension, "fingerprint": encoder.fingerprint}
        made_with = self.catalogue.meta("encoder")
        if not made_with:
            self.catalogue.set_meta("encoder", present)
        elif made_with != present:
            which = "another version of " if made_with["name"] == encoder.name else ""
            raise BadInputError(
                f"The collection '{self.name}' was made with {which}the encoder '{made_with['name']}', "
                f"not with this '{encoder.name}'.",
                "Use that one, or index into a new collection: vectors of two encoders cannot be compared.",
            )
        return encoder

    @property
    def store(self) -> Store:
        """Its vectors; opened on first use."""
        if self._store is None:
            made_with = self.catalogue.meta("encoder")
            dimension = made_with["dimension"] if made_with else self.encoder.dimension
            self._store = open_vectors(self.place, self.settings.store, dimension)
        return self._store

    def __len__(self) -> int:
        return self.catalogue.count_present()

    def __iter__(self) -> Iterator[Picture]:
        for pictures in self.catalogue.scroll(missing=False):
            yield from pictures

    # -- bringing pictures in ----------------------------------------------------------------------

    def index(
        self,
        path: Path | str,
        *,
        ignore: Sequence[str] = (),
        columns: Mapping[str, str] | None = None,
        allow_urls: bool = False,
        options: Options | None = None,
        wait: float = 0.0,
        on_wait: Callable[[str], None] | None = None,
        on_progress: Callable[[Report], None] | None = None,
    ) -> Report:
        """Bring a folder, a picture or a catalogue file into the collection; what it has is passed over.

        Args:
            path: The folder or file.
            ignore: Patterns of files to pass over, as in a .gitignore.
            columns: For a catalogue file: column to attribute, or to ``picture``, ``caption`` or ``ignore``.
            allow_urls: Whether pictures may be fetched from links in a catalogue file.
            options: Threads, and whether to try failed files again.
            wait: Seconds to wait for another process that indexes; negative for as long as it takes.
            on_wait: Told, in words, that it has to wait.
            on_progress: Called after each file.

        Raises:
            BusyError: Another process indexes this collection.
        """
        with index_lock(self.place.lock_file, self.name, wait=wait, on_wait=on_wait):
            source = find_source(self.catalogue, Path(path), ignore, columns, allow_urls)
            report = self._indexer(options or Options()).run(source, on_progress)
            self._settle_in()
        return report

    def _settle_in(self) -> None:
        """What is worth doing when much has come in: a search index over it, and a fresh sample of what is there."""
        info = self.store.info()
        if info.count - info.indexed > _WORTH_AN_INDEX:
            self.store.optimize()
        self.searcher.refresh()

    def _indexer(self, options: Options) -> Indexer:
        return Indexer(self.catalogue, self.store, self.place.thumbnails_folder, lambda: self.encoder, options)

    def add(self, data: bytes, *, origin: Origin | None = None, details: Details | None = None) -> Picture:
        """Take in one picture at once, with its file: an edited one, or one a person handed over.

        Args:
            data: The bytes of an image file.
            origin: What it was made of and how, for an edited picture.
            details: Its captions and attributes.
        """
        return add_picture(self, data, origin, details or Details())

    def remove_pictures(self, ids: Sequence[str]) -> None:
        """Forget pictures: vectors, rows and thumbnails; the files themselves stay where they are."""
        ledger.forget(self.catalogue, ids)
        self.store.delete(ids)
        for id in ids:
            self.thumbnail(id).unlink(missing_ok=True)

    # -- finding them ------------------------------------------------------------------------------

    @cached_property
    def searcher(self) -> Searcher:
        """What does the searching."""
        return Searcher(self)

    def search(
        self,
        text: str = "",
        k: int = 20,
        *,
        like: Sequence[str | Path] = (),
        avoid: Sequence[str] = (),
        filter: Filter | str | None = None,
        with_edits: bool = False,
        cutoff: bool = True,
    ) -> SearchResults:
        """Find pictures by words, by a picture, or by both.

        Args:
            text: What they show.
            k: How many at most.
            like: Pictures they resemble: ids, or paths of files that need not be in the collection.
            avoid: What they must not show.
            filter: Conditions on attributes, as values or as text (``"price < 50"``).
            with_edits: Whether edited pictures are shown too.
            cutoff: Whether to answer "nothing fits" instead of the nearest, however far.
        """
        conditions = parse_filter(filter) if isinstance(filter, str) else filter
        wanted = Search(text, k, tuple(like), tuple(avoid), conditions, with_edits, cutoff=cutoff)
        return self.searcher.search(wanted)

    def picture(self, id: str) -> Picture:
        """The picture with this id; the first letters are enough where no other begins with them."""
        found = self.catalogue.ids_starting(id.lower()) if id else []
        if len(found) > 1:
            raise BadInputError(f"Several pictures begin with '{id}'.", "Give more of its letters.")
        picture = self.catalogue.picture(found[0]) if found else None
        if picture is None:
            raise NotFoundError(f"There is no picture '{id}' in the collection '{self.name}'.", "Search for it.")
        return picture

    def thumbnail(self, id: str) -> Path:
        """Where the small copy of a picture lies."""
        return thumbnail_path(self.place.thumbnails_folder, id)

    def open_image(self, id: str, *, keep_alpha: bool = False, allow_urls: bool = False) -> Image.Image:
        """The pixels of a picture, from any file that still holds it."""
        picture = self.picture(id)
        changed = ""
        for path in picture.paths:
            if not is_link(path) and Path(path).is_file():
                opened = open_picture(Path(path), keep_alpha=keep_alpha)
                if opened.id == picture.id:
                    return opened.image
                changed = path  # another picture by now
        links = [path for path in picture.paths if is_link(path)]
        if links and allow_urls:
            return open_picture(fetch(links[0]), keep_alpha=keep_alpha, name=links[0]).image
        if changed:
            raise NotFoundError(f"The file {changed} has changed since it was indexed.", "Index it again.")
        raise NotFoundError(f"No file holds the picture {id} any more.", f"It was at: {', '.join(picture.paths)}.")

    # -- the whole ---------------------------------------------------------------------------------

    def verify(self, *, repair: bool = False, forget_missing: bool = False) -> Verification:
        """Check that catalogue, vectors, files and thumbnails agree.

        Args:
            repair: Whether to put right what can be.
            forget_missing: Whether pictures without a file are forgotten.
        """
        with index_lock(self.place.lock_file, self.name):
            return Verifier(self, repair=repair, forget_missing=forget_missing).run()

    def close(self) -> None:
        """Let go of everything; a second close does nothing."""
        if self._store is not None:
            self._store.close()
            self._store = None
        self.catalogue.close()

    def remove(self) -> None:
        """Delete the collection, its vectors and its thumbnails; the pictures' files stay where they are."""
        with index_lock(self.place.lock_file, self.name):
            if self.settings.store:
                self.store.clear()
            self.close()
            if self.settings.catalogue:
                drop_schema(self.settings.catalogue, schema_name(self.name))
        self.place.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


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
    place = Place.of(name, home)
    chosen = encoder if isinstance(encoder, str) else None
    address = full_address(store, name) if isinstance(store, str) else None
    if place.exists:
        settings = place.settings()
        _agree(name, "store", address, settings.store)
        _agree(name, "catalogue", catalogue, settings.catalogue)
        _agree(name, "encoder", chosen, settings.encoder)
    elif create:
        settings = Settings(store=address, catalogue=catalogue, encoder=chosen or Settings.encoder)
        place.create(settings)
    else:
        settings = place.settings()  # says that there is none, and which there are
    return Collection(
        place,
        settings,
        encoder=None if isinstance(encoder, str) else encoder,
        store=None if isinstance(store, str) else store,
    )


def _load_encoder(name: str) -> Encoder:
    from visavis.encoders.registry import load_encoder

    return load_encoder(name)


def _agree(name: str, what: str, given: str | None, kept: str | None) -> None:
    if given is not None and given != kept:
        raise BadInputError(
            f"The collection '{name}' has another {what} ({kept or 'in its own folder'}).",
            f"Leave the {what} out, or index into a new collection.",
        )
