"""The collections of a home, each opened once and shared by all requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import RLock

from visavis.apps.server.library.opened import Opened
from visavis.apps.server.library.suggesting import suggestions
from visavis.apps.server.settings import ServerSettings
from visavis.collections.collection import open_collection
from visavis.collections.places import Place, names
from visavis.errors import BadInputError, BusyError, VisavisError

#: Collections that are opened before somebody asks.
_WARMED = 2


class Library:
    """Opens collections when they are first asked for and keeps them open. May be used from any thread."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._opened: dict[str, Opened] = {}
        self._lock = RLock()

    def names(self) -> list[str]:
        """The names of all collections, in order."""
        return names(self._settings.home)

    def open(self, name: str) -> Opened:
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
            opened = Opened(open_collection(name, self._settings.home))
            self._opened[name] = opened
            return opened

    def warm(self) -> None:
        """Get ready what the first message will need, so that it does not wait for it."""
        for name in self.names()[:_WARMED]:
            with suppress(VisavisError):  # whoever asks for this one is told what is wrong
                opened = self.open(name)
                if len(opened.bare):
                    opened.assistant()
                    suggestions(opened)  # which searches, and so gets the encoder ready too

    def create(self, name: str) -> Opened:
        """A new collection.

        Raises:
            BusyError: There is one of this name.
        """
        with self._lock:
            if Place.of(name, self._settings.home).exists:
                raise BusyError(f"There is a collection '{name}' already.", "Choose another name.")
            chosen = self._settings
            collection = open_collection(name, chosen.home, chosen.store, catalogue=chosen.catalogue, create=True)
            self._opened[name] = Opened(collection)
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
    def using(self, name: str) -> Iterator[Opened]:
        """A collection that must not be removed meanwhile."""
        with self._lock:
            opened = self.open(name)
            opened.in_use += 1
        try:
            yield opened
        finally:
            with self._lock:
                opened.in_use -= 1

    def check_spread(self) -> None:
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
        """Close everything."""
        with self._lock:
            for opened in self._opened.values():
                opened.bare.close()
            self._opened.clear()
