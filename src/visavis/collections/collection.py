"""A collection without its search: catalogue, vectors, files and thumbnails of a named set of pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from PIL import Image

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.database import drop_schema, schema_name
from visavis.collections.edited import add_picture
from visavis.collections.indexing.indexer import Indexer, Options
from visavis.collections.indexing.items import IndexReport, find_source
from visavis.collections.places import CollectionSettings, Place, index_lock
from visavis.collections.sources.links import fetch, is_link
from visavis.collections.upgrade import STATE_KEY, Upgrade, UpgradeReport, derive_all, read_texts, waiting
from visavis.collections.vectors import full_address, open_vectors
from visavis.collections.verification import Verification, Verifier
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, NotFoundError, StorageError
from visavis.pictures.derived import check_installed
from visavis.pictures.picture import Details, Origin, Picture
from visavis.pictures.reader import open_picture
from visavis.pictures.thumbnails import thumbnail_path
from visavis.stores.base import Store
from visavis.stores.edge_shard import remove_store

#: Up to this many pictures, a scan without a search index is fast enough.
_WORTH_AN_INDEX = 20_000


class StoredCollection:
    """A named set of pictures in storage; :class:`visavis.api.Collection` adds the search."""

    def __init__(
        self, place: Place, settings: CollectionSettings, *, encoder: Encoder | None = None, store: Store | None = None
    ) -> None:
        self.place = place
        self.settings = settings
        self.catalogue = Catalogue(settings.catalogue or place.catalogue_file, schema_name(place.name))
        #: The encoder given by the caller, where it is not the one in the settings.
        self.own_encoder = encoder
        self._store = store
        self._store_is_given = store is not None
        self._complete = False

    @classmethod
    def open(
        cls,
        place: Place,
        store: str | Store | None = None,
        *,
        catalogue: str | None = None,
        encoder: Encoder | str | None = None,
        create: bool = False,
    ) -> Self:
        """Open the collection in this place; :func:`visavis.api.open_collection` describes the arguments."""
        name = place.name
        chosen = encoder if isinstance(encoder, str) else None
        address = full_address(store, name) if isinstance(store, str) else None
        if place.exists:
            settings = place.settings()
            _check_unchanged(name, "store", address, settings.store)
            _check_unchanged(name, "catalogue", catalogue, settings.catalogue)
            _check_unchanged(name, "encoder", chosen, settings.encoder)
        elif create:
            settings = CollectionSettings(
                store=address, catalogue=catalogue, encoder=chosen or CollectionSettings.encoder
            )
            place.create(settings)
        else:
            settings = place.settings()  # raises an error that lists the existing collections
        return cls(
            place,
            settings,
            encoder=None if isinstance(encoder, str) else encoder,
            store=None if isinstance(store, str) else store,
        )

    @property
    def name(self) -> str:
        """The name of the collection."""
        return self.place.name

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder of its vectors; loaded on first use."""
        encoder = self._chosen_encoder()
        present = _identity(encoder)
        made_with = self._made_with()
        if not made_with:
            self.catalogue.set_meta("encoder", present)
        elif made_with != present:
            which = "another version of " if made_with["name"] == encoder.name else ""
            raise BadInputError(
                f"The collection '{self.name}' was made with {which}the encoder '{made_with['name']}', "
                f"not with this '{encoder.name}'.",
                f"Make new vectors of its pictures with: visavis collection upgrade {self.name}",
            )
        return encoder

    def _made_with(self) -> dict[str, Any] | None:
        """The identity of the encoder of the stored vectors."""
        found = self.catalogue.meta("encoder")
        if found and not (isinstance(found, dict) and {"name", "dimension"} <= found.keys()):
            raise StorageError(
                f"The catalogue of '{self.name}' does not say which encoder made its vectors: it is damaged.",
                f"Make them anew with: visavis collection upgrade {self.name}",
            )
        return found or None

    def _chosen_encoder(self) -> Encoder:
        return self.own_encoder or _load_encoder(self.settings.encoder)

    @property
    def store(self) -> Store:
        """The vector store; opened on first use."""
        if self._store is None:
            made_with = self._made_with()
            dimension = made_with["dimension"] if made_with else self.encoder.dimension
            self._store = open_vectors(self.place, self.settings.store, dimension)
        return self._store

    def __len__(self) -> int:
        return self.catalogue.count_present()

    def __iter__(self) -> Iterator[Picture]:
        for pictures in self.catalogue.scroll(missing=False):
            yield from pictures

    # -- indexing ------------------------------------------------------------------------------------

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
        on_progress: Callable[[IndexReport], None] | None = None,
    ) -> IndexReport:
        """Index a folder, a picture or a catalogue file; unchanged files are skipped.

        Args:
            path: The folder or file.
            ignore: Patterns of files to skip, as in a .gitignore.
            columns: For a catalogue file: column to attribute, or to ``picture``, ``caption`` or ``ignore``.
            allow_urls: Whether pictures may be downloaded from links in a catalogue file.
            options: Threads, whether to retry failed files, whether links may lead out of the folder.
            wait: Seconds to wait for another indexing process; negative for no limit.
            on_wait: Called with a message before waiting.
            on_progress: Called after each file.

        Raises:
            BusyError: Another process indexes this collection.
        """
        with index_lock(self.place.lock_file, self.name, wait=wait, on_wait=on_wait):
            options = options or Options()
            if options.texts:
                check_installed()  # before hours of other work
            source = find_source(self.catalogue, Path(path), ignore, columns, allow_urls, options.follow_links)
            report = self._indexer(options).run(source, on_progress)
            derive_all(self)
            if options.texts and not report.interrupted:
                try:
                    report.texts = read_texts(self)
                except KeyboardInterrupt:
                    report.interrupted = True
            self._finish_indexing()
        return report

    def _finish_indexing(self) -> None:
        """Build a search index after many additions, and recompute statistics of the collection."""
        info = self.store.info()
        if info.count - info.indexed > _WORTH_AN_INDEX:
            self.store.optimize()
        self.refresh()

    def refresh(self) -> None:
        """Recompute statistics of the collection; called after indexing. A hook: nothing to do here."""

    def _indexer(self, options: Options) -> Indexer:
        return Indexer(self.catalogue, self.store, self.place.thumbnails_folder, lambda: self.encoder, options)

    def add(self, data: bytes, *, origin: Origin | None = None, details: Details | None = None) -> Picture:
        """Add one picture with its file: an edited or an uploaded one.

        Args:
            data: The bytes of an image file.
            origin: The provenance of an edited picture.
            details: Its captions and attributes.
        """
        return add_picture(self, data, origin, details or Details())

    def remove_pictures(self, ids: Sequence[str]) -> None:
        """Remove pictures: vectors, rows and thumbnails; the files themselves stay."""
        ledger.forget(self.catalogue, ids)
        self.store.delete(ids)
        for id in ids:
            self.thumbnail(id).unlink(missing_ok=True)

    # -- single pictures ------------------------------------------------------------------------------

    def picture(self, id: str) -> Picture:
        """Return the picture with this id; a unique prefix is enough."""
        found = self.catalogue.ids_starting(id.lower()) if id else []
        if len(found) > 1:
            raise BadInputError(f"Several pictures begin with '{id}'.", "Give more of its letters.")
        picture = self.catalogue.picture(found[0]) if found else None
        if picture is None:
            raise NotFoundError(f"There is no picture '{id}' in the collection '{self.name}'.", "Search for it.")
        return picture

    def thumbnail(self, id: str) -> Path:
        """Return the path of a picture's thumbnail."""
        return thumbnail_path(self.place.thumbnails_folder, id)

    def open_image(self, id: str, *, keep_alpha: bool = False, allow_urls: bool = False) -> Image.Image:
        """Decode a picture from any file that still has its content."""
        picture = self.picture(id)
        changed = ""
        for path in picture.paths:
            if not is_link(path) and Path(path).is_file():
                opened = open_picture(Path(path), keep_alpha=keep_alpha)
                if opened.id == picture.id:
                    return opened.image
                changed = path  # the file has other content by now
        links = [path for path in picture.paths if is_link(path)]
        if links and allow_urls:
            return open_picture(fetch(links[0]), keep_alpha=keep_alpha, name=links[0]).image
        if changed:
            raise NotFoundError(f"The file {changed} has changed since it was indexed.", "Index it again.")
        raise NotFoundError(f"No file holds the picture {id} any more.", f"It was at: {', '.join(picture.paths)}.")

    def small_image(self, id: str) -> Image.Image:
        """Read a picture for a coarse look at it, in colour: its thumbnail, or itself where it has none."""
        small = self.thumbnail(id)
        if not small.is_file():
            return self.open_image(id).convert("RGB")
        with Image.open(small) as opened:
            return opened.convert("RGB")

    # -- the whole collection ----------------------------------------------------------------------

    def verify(self, *, repair: bool = False, forget_missing: bool = False) -> Verification:
        """Check that catalogue, vectors, files and thumbnails agree.

        Args:
            repair: Whether to repair what can be.
            forget_missing: Whether pictures without a file are removed.
        """
        with index_lock(self.place.lock_file, self.name):
            return Verifier(self, repair=repair, forget_missing=forget_missing).run()

    def upgrade(self, *, on_progress: Callable[[UpgradeReport], None] | None = None) -> UpgradeReport:
        """Encode all pictures again with the current encoder; an interrupted upgrade is resumed.

        Args:
            on_progress: Called after each picture.

        Raises:
            BusyError: Another process indexes this collection.
        """
        with index_lock(self.place.lock_file, self.name):
            encoder, self._complete = self._chosen_encoder(), False
            if self.catalogue.meta("encoder") != _identity(encoder):
                self._clear_vectors()
                self.catalogue.set_meta("fields", {})
                self.catalogue.set_meta(STATE_KEY, {"to": encoder.name})
                self.catalogue.set_meta("encoder", _identity(encoder))
            report = Upgrade(self, encoder).run(on_progress)
            report.derived = derive_all(self)
            if report.encoded:
                self._finish_indexing()
        return report

    def _clear_vectors(self) -> None:
        """Recreate the store: the vectors may have another length, and the store another format."""
        if self._store_is_given:
            self.store.clear()
            return
        if self.settings.store:
            self.store.clear()
        if self._store is not None:
            self._store.close()
            self._store = None
        if not self.settings.store:
            remove_store(self.place.store_folder)

    def waiting(self) -> int:
        """Return how many pictures a search cannot find yet, because an upgrade has not encoded them."""
        if self._complete:  # called in every search; a complete collection is not upgraded again
            return 0
        found = waiting(self)
        self._complete = not found
        return found

    def close(self) -> None:
        """Close the store and the catalogue; a second close does nothing."""
        if self._store is not None:
            self._store.close()
            self._store = None
        self.catalogue.close()

    def remove(self) -> None:
        """Delete the collection, its vectors and its thumbnails; the pictures' files stay."""
        with index_lock(self.place.lock_file, self.name):
            if self.settings.store:
                self.store.clear()
            self.close()
            if self.settings.catalogue:
                drop_schema(self.settings.catalogue, schema_name(self.name))
        self.place.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _load_encoder(name: str) -> Encoder:
    from visavis.encoders.registry import load_encoder

    return load_encoder(name)


def _identity(encoder: Encoder) -> dict[str, Any]:
    return {"name": encoder.name, "dimension": encoder.dimension, "fingerprint": encoder.fingerprint}


def _check_unchanged(name: str, what: str, given: str | None, kept: str | None) -> None:
    if given is not None and given != kept:
        raise BadInputError(
            f"The collection '{name}' has another {what} ({kept or 'in its own folder'}).",
            f"Leave the {what} out, or index into a new collection.",
        )
