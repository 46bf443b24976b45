"""Open collections, each opened once and shared by all requests."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock

from cachetools import LRUCache

from visavis.api import Collection, open_collection
from visavis.assistant import Assistant
from visavis.assistant.context import CollectionView
from visavis.assistant.question_policy import default_questioner
from visavis.assistant.retrieval import ConversationSearch, default_retriever
from visavis.assistant.understanding import default_parser
from visavis.collections.catalogue import Catalogue
from visavis.collections.places import Place, names
from visavis.errors import BadInputError, BusyError
from visavis.server.models.collections import Facet
from visavis.server.settings import ServerSettings

#: Cached counts of facets, each for one state and one set of filters.
_CACHED_FACETS = 64
#: Cached orders of all pictures, each by one attribute.
_CACHED_ORDERS = 4


class OpenCollection:
    """One open collection with its assistant and its ranking; the encoder is loaded on first use.

    Attributes:
        bare: The collection, for what needs only its catalogue and its files.
        in_use: How many jobs work on it.
        suggestions: Cached suggestions, with the state of the collection that they were made for.
        facets: Cached counts of values, by state and filters.
        orders: Cached orders of all pictures, by state and attribute.
        facets_lock: Guards both.
    """

    def __init__(self, collection: Collection) -> None:
        self.bare = collection
        self.in_use = 0
        self._view = CollectionView(collection)
        self._store_is_open = False
        self.suggestions: tuple[str, list[str]] | None = None
        self.facets: LRUCache[Hashable, list[Facet]] = LRUCache(_CACHED_FACETS)
        self.orders: LRUCache[Hashable, list[str]] = LRUCache(_CACHED_ORDERS)
        self.facets_lock = Lock()
        self._lock = RLock()
        self._prepared: tuple[Assistant, ConversationSearch] | None = None

    @property
    def name(self) -> str:
        """The name of the collection."""
        return self.bare.name

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue of the collection."""
        return self.bare.catalogue

    @property
    def collection(self) -> Collection:
        """The collection with its store open; one thread opens it and the others wait."""
        if not self._store_is_open:
            with self._lock:
                _ = self.bare.store
                self._store_is_open = True
        return self.bare

    @property
    def view(self) -> CollectionView:
        """What is known of the collection's attributes."""
        _ = self.collection
        return self._view

    @property
    def assistant(self) -> Assistant:
        """The assistant of the collection."""
        return self._prepare()[0]

    @property
    def ranking(self) -> ConversationSearch:
        """Ranks without saving anything."""
        return self._prepare()[1]

    def refresh(self) -> None:
        """Discard what was derived from the collection, after it changed."""
        with self._lock:
            self._prepared = None
            self._view = CollectionView(self.bare)

    def _prepare(self) -> tuple[Assistant, ConversationSearch]:
        """The assistant and the ranking, as one value: another thread may call ``refresh`` meanwhile."""
        with self._lock:
            if self._prepared is None:
                retriever, policy = default_retriever(self.collection), default_questioner(self.collection)
                assistant = Assistant(self.collection, default_parser(), retriever, questioner=policy)
                self._prepared = assistant, ConversationSearch(self.collection, retriever)
            return self._prepared


def check_picture(opened: OpenCollection, id: str) -> str:
    """The id of a picture that exists.

    Raises:
        NotFoundError: It does not.
    """
    return opened.bare.picture(id).id


class CollectionRegistry:
    """Opens collections on first use and keeps them open; safe to use from any thread."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._opened: dict[str, OpenCollection] = {}
        self._lock = RLock()

    def names(self) -> list[str]:
        """The names of all collections, in order."""
        return names(self._settings.home)

    def open(self, name: str) -> OpenCollection:
        """A collection.

        Raises:
            NotFoundError: There is none of this name.
        """
        with self._lock:
            place = Place.of(name, self._settings.home)
            kept = self._opened.get(name)
            if kept is not None and place.exists:
                return kept
            if kept is not None:  # another process removed it
                self._opened.pop(name).bare.close()
            opened = OpenCollection(open_collection(name, self._settings.home))
            self._opened[name] = opened
            return opened

    def create(self, name: str) -> OpenCollection:
        """A new collection.

        Raises:
            BusyError: There is one of this name.
        """
        with self._lock:
            if Place.of(name, self._settings.home).exists:
                raise BusyError(f"There is a collection '{name}' already.", "Choose another name.")
            chosen = self._settings
            collection = open_collection(name, chosen.home, chosen.store, catalogue=chosen.catalogue, create=True)
            self._opened[name] = OpenCollection(collection)
            return self._opened[name]

    def remove(self, name: str) -> None:
        """Delete a collection; the pictures' files stay where they are."""
        with self._lock:
            opened = self.open(name)
            if opened.in_use:
                raise BusyError(f"The collection '{name}' is being indexed.", "Stop that first.")
            opened.collection.remove()
            self._opened.pop(name, None)

    @contextmanager
    def using(self, name: str) -> Iterator[OpenCollection]:
        """A collection that cannot be removed within the block."""
        with self._lock:
            opened = self.open(name)
            opened.in_use += 1
        try:
            yield opened
        finally:
            with self._lock:
                opened.in_use -= 1

    def check_shareable(self) -> None:
        """Refuse what several processes cannot share.

        Raises:
            BadInputError: A collection keeps its vectors or its rows in files of its own.
        """
        for name in self.names():
            settings = Place.of(name, self._settings.home).settings()
            if not settings.store or not settings.catalogue:
                raise BadInputError(
                    f"Several workers cannot share the collection '{name}': its vectors or its catalogue are files.",
                    "Use one worker, or index it with --store qdrant://... --catalogue postgresql://...",
                )

    def close(self) -> None:
        """Close all collections."""
        with self._lock:
            for opened in self._opened.values():
                opened.bare.close()
            self._opened.clear()
